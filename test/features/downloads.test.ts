import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { untilStill } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

/** Addresses of binary content, and downloads from them. */

const KEY = 'k'.repeat(32);

const element = (name: string, type: string, more = 'minOccurs="0"'): string =>
  `<xs:element name="${name}" type="${type}" ${more}/>`;

const operation = (name: string): string =>
  `<operation name="${name}"><soap:operation soapAction="urn:d/${name}"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`;

const OPERATIONS = ['GetFolder', 'GetContent', 'PutContent'];

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:d="urn:d"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:d"><types><xs:schema targetNamespace="urn:d" elementFormDefault="qualified">
  <xs:complexType name="Typed"><xs:simpleContent><xs:extension base="xs:base64Binary"><xs:attribute name="kind" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="Document"><xs:sequence>${element('name', 'xs:string')}${element('content', 'xs:base64Binary')}${element('size', 'xs:int')}${element('typed', 'd:Typed')}</xs:sequence></xs:complexType>
  <xs:complexType name="Folder"><xs:sequence>${element('title', 'xs:string')}${element('document', 'd:Document', 'minOccurs="0" maxOccurs="unbounded"')}${element('pages', 'xs:base64Binary', 'minOccurs="0" maxOccurs="unbounded"')}</xs:sequence></xs:complexType>
  <xs:element name="GetFolder"><xs:complexType><xs:sequence>${element('id', 'xs:string')}</xs:sequence></xs:complexType></xs:element>
  <xs:element name="GetFolderResponse"><xs:complexType><xs:sequence>${element('folder', 'd:Folder')}</xs:sequence></xs:complexType></xs:element>
  <xs:element name="GetContent"><xs:complexType><xs:sequence>${element('id', 'xs:string')}</xs:sequence></xs:complexType></xs:element>
  <xs:element name="GetContentResponse"><xs:complexType><xs:sequence>${element('content', 'xs:base64Binary')}</xs:sequence></xs:complexType></xs:element>
  <xs:element name="PutContent"><xs:complexType><xs:sequence>${element('id', 'xs:string')}</xs:sequence></xs:complexType></xs:element>
  <xs:element name="PutContentResponse"><xs:complexType><xs:sequence>${element('content', 'xs:base64Binary')}</xs:sequence></xs:complexType></xs:element></xs:schema></types>
  ${OPERATIONS.map((name) => `<message name="${name}"><part name="p" element="d:${name}"/></message><message name="${name}Response"><part name="p" element="d:${name}Response"/></message>`).join('')}
  <portType name="Files">${OPERATIONS.map((name) => `<operation name="${name}"><input message="d:${name}"/><output message="d:${name}Response"/></operation>`).join('')}</portType>
  <binding name="Files" type="d:Files"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>${OPERATIONS.map(operation).join('')}</binding>
  <service name="Files"><port name="Files" binding="d:Files"><soap:address location="http://h/"/></port></service></definitions>`;

interface Stored {
  readonly name: string;
  readonly content: Buffer;
}

const folderOf = (documents: readonly Stored[]): string =>
  envelope(
    `<GetFolderResponse xmlns="urn:d"><folder><title>T</title>${documents
      .map(
        ({ name, content }) =>
          `<document><name>${name}</name><content>${content.toString('base64')}</content><size>${content.length}</size><typed kind="${name}">${content.toString('base64')}</typed></document>`,
      )
      .join('')}<pages>AAEC</pages><pages>/w==</pages></folder></GetFolderResponse>`,
  );

interface Options {
  readonly documents?: readonly Stored[];
  readonly keys?: string;
  readonly more?: string;
  readonly service?: string;
  readonly answer?: (message: RecordedMessage, response: ServerResponse) => boolean;
}

const CLIENTS = `clients:
  classes: { user: {} }
  apiKeys:
    clients:
      ann: { keys: [ann-key-0123456789], class: user }
      bob: { keys: [bob-key-0123456789], class: user }
`;

async function useDesk(
  t: Test,
  { documents = [], keys = `["${KEY}"]`, more = '', service = '', answer = () => false }: Options = {},
) {
  const held = { documents };
  const backend = await useBackend(t, (message: RecordedMessage, response: ServerResponse) => {
    if (answer(message, response)) return;
    const body = message.body.toString();
    const named = /<(?:\w+:)?(Get|Put)Content\b/.exec(body)?.[1];
    const reply =
      named === undefined
        ? folderOf(held.documents)
        : envelope(
            `<${named}ContentResponse xmlns="urn:d"><content>${held.documents[0]?.content.toString('base64') ?? ''}</content></${named}ContentResponse>`,
          );
    response.writeHead(200, { 'content-type': 'text/xml' }).end(reply);
  });
  const folder = await useFolder(t, { 'files.wsdl': WSDL });
  const gateway = await useGateway(
    t,
    `services:
  files:
    wsdl: ${folder}/files.wsdl
    url: ${backend.url}/f
    operations:
      GetFolder: true
      GetContent: true
      PutContent: { field: Mutation.putContent }
${service}
graphql: { downloads: { keys: ${keys} } }
${more}`,
  );
  return { backend, gateway, held };
}

interface Answer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const ask = (url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> =>
  askGraphql<Answer>(url, query, {}, headers);

/** The address at this place of an answer. */
function addressAt({ data }: Answer, ...path: readonly (string | number)[]): string {
  let value: unknown = data;
  for (const step of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return String(value);
}

const download = async (base: string, url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(base + url, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

const random = (length: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    bytes[at] = state >> 16;
  }
  return bytes;
};

const TWO: readonly Stored[] = [
  { name: 'a.pdf', content: random(1000, 1) },
  { name: 'b.pdf', content: random(200_001, 2) },
];

t.test('binary content has an address, from which it is downloaded', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO });
  const query = `{ getFolder(id: "7") { title document { name file: content @url size typed { kind value @url } } pages @url } }`;
  const answer = await ask(gateway.url, query);
  t.same(answer.errors, undefined);
  const file = addressAt(answer, 'getFolder', 'document', 1, 'file');
  t.match(file, /^\/downloads\/[A-Za-z0-9_-]{100,1000}$/);
  const second = await download(gateway.url, file);
  t.equal(second.response.status, 200);
  t.ok(second.bytes.equals(TWO[1]?.content ?? Buffer.of()));
  t.match(Object.fromEntries(second.response.headers), {
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  t.ok(
    (await download(gateway.url, addressAt(answer, 'getFolder', 'document', 0, 'file'))).bytes.equals(
      TWO[0]?.content ?? Buffer.of(),
    ),
  );
  t.ok(
    (await download(gateway.url, addressAt(answer, 'getFolder', 'document', 0, 'typed', 'value'))).bytes.equals(
      TWO[0]?.content ?? Buffer.of(),
    ),
  );
  t.same((await download(gateway.url, addressAt(answer, 'getFolder', 'pages', 1))).bytes, Buffer.of(0xff));
});

t.test('an answer that is binary content itself has an address', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO });
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
  t.ok((await download(gateway.url, url)).bytes.equals(TWO[0]?.content ?? Buffer.of()));
});

t.test('absent content has no address; where it has gone, its address is answered by no content', async (t) => {
  const { gateway, held } = await useDesk(t, { documents: TWO });
  const query = '{ getFolder(id: "7") { document { content @url } } }';
  const url = addressAt(await ask(gateway.url, query), 'getFolder', 'document', 0, 'content');
  held.documents = [];
  t.same((await ask(gateway.url, query)).data, { getFolder: { document: [] } });
  const { response } = await download(gateway.url, url);
  t.equal(response.status, 204);
});

t.test('what was read beside an address is compared when it is used', async (t) => {
  const { gateway, held } = await useDesk(t, { documents: TWO });
  const url = addressAt(
    await ask(gateway.url, '{ getFolder(id: "7") { document { called: name content @url } } }'),
    'getFolder',
    'document',
    0,
    'content',
  );
  held.documents = [...TWO].reverse();
  const { response, bytes } = await download(gateway.url, url);
  t.equal(response.status, 404, 'another document is at its place now');
  t.match(bytes.toString(), /changed/);
});

t.test('long content that turns out to be another is never complete', async (t) => {
  const { gateway, held } = await useDesk(t, { documents: TWO.slice(1) });
  const query = '{ getFolder(id: "7") { document { content @url size } } }';
  const url = addressAt(await ask(gateway.url, query), 'getFolder', 'document', 0, 'content');
  held.documents = [{ name: 'b.pdf', content: random(300_000, 3) }];
  await t.rejects(download(gateway.url, url));
});

t.test('an address is good for its client alone, with its credentials', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO, more: CLIENTS });
  const ann = { 'x-api-key': 'ann-key-0123456789' };
  const bob = { 'x-api-key': 'bob-key-0123456789' };
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }', ann), 'getContent');
  t.equal((await download(gateway.url, url, ann)).response.status, 200);
  t.equal((await download(gateway.url, url, bob)).response.status, 404);
  t.equal((await download(gateway.url, url)).response.status, 401);
});

t.test('an altered or sealed-elsewhere address is none, and other methods are refused', async (t) => {
  const { gateway, backend } = await useDesk(t, { documents: TWO });
  const other = await useDesk(t, { documents: TWO, keys: `["${'o'.repeat(32)}", "${KEY}"]` });
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
  t.equal((await download(other.gateway.url, url)).response.status, 200, 'keys may be replaced');
  const before = backend.begun;
  for (let at = '/downloads/'.length; at < url.length; at += 7) {
    const letter = url[at] === 'A' ? 'B' : 'A';
    const altered = url.slice(0, at) + letter + url.slice(at + 1);
    t.equal((await download(gateway.url, altered)).response.status, 404, `letter ${at}`);
  }
  for (const text of ['', 'x', '!', `${url.slice(11)}=`, '%41', 'a'.repeat(8000)])
    t.equal((await download(gateway.url, `/downloads/${text}`)).response.status, 404, JSON.stringify(text.slice(0, 9)));
  t.equal(backend.begun, before, 'nothing was asked for');
  const foreign = await ask(other.gateway.url, '{ getContent(id: "1") @url }');
  t.equal((await download(gateway.url, addressAt(foreign, 'getContent'))).response.status, 404);
  t.equal((await fetch(gateway.url + url, { method: 'POST' })).status, 405);
});

t.test('fields without binary content, and writes, have no address', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO });
  const { errors } = await ask(gateway.url, '{ getFolder(id: "7") { title @url } }');
  t.match(errors?.[0], { message: /Base64/, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  const written = await ask(gateway.url, 'mutation { putContent(id: "1") @url }');
  t.match(written, { data: { putContent: null }, errors: [{ extensions: { code: 'VALUE_NOT_REPRESENTABLE' } }] });
  const long = await ask(gateway.url, `{ getContent(id: "${'x'.repeat(3100)}") @url }`);
  t.match(long, { data: { getContent: null }, errors: [{ extensions: { code: 'VALUE_NOT_REPRESENTABLE' } }] });
  const fits = await ask(gateway.url, `{ getContent(id: "${'x'.repeat(3000)}") @url }`);
  t.equal((await download(gateway.url, addressAt(fits, 'getContent'))).response.status, 200);
});

t.test('a limit on request targets that addresses would not fit into is an error', async (t) => {
  await t.rejects(useDesk(t, { more: 'limits: { http: { uriBytes: 8191 } }' }), /uriBytes.*8192 bytes/);
});

t.test('without the key there is no directive', async (t) => {
  const backend = await useBackend(t);
  const folder = await useFolder(t, { 'files.wsdl': WSDL });
  const gateway = await useGateway(
    t,
    `services: { files: { wsdl: ${folder}/files.wsdl, url: "${backend.url}/f", operations: { GetContent: true } } }`,
  );
  const { errors } = await ask(gateway.url, '{ getContent(id: "1") @url }');
  t.match(errors?.[0]?.message, /directive/);
});

t.test('an address ends', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO, more: '', keys: `["${KEY}"], lifetimeMillis: 1000` });
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
  const now = Date.now;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 1001;
  t.equal((await download(gateway.url, url)).response.status, 404);
  Date.now = now;
  t.equal((await download(gateway.url, url)).response.status, 200);
});

t.test('what a class may not read, or reads masked, is not handed out by an address', async (t) => {
  const scopes = `    schema: { types: { Document: { fields: { content: { scopes: [secret] } } }, Typed: { fields: { value: { mask: { user: "null" } } } } } }`;
  const more = CLIENTS.replace('bob-key-0123456789], class: user', 'bob-key-0123456789], class: boss').replace(
    'user: {}',
    'user: {}, boss: { scopes: [secret] }',
  );
  const { gateway } = await useDesk(t, { documents: TWO, service: scopes, more });
  const ann = { 'x-api-key': 'ann-key-0123456789' };
  const bob = { 'x-api-key': 'bob-key-0123456789' };
  const query = '{ getFolder(id: "7") { document { name content @url typed { value @url } } } }';
  const withheld = await ask(gateway.url, query, ann);
  t.match(withheld.data, { getFolder: { document: [{ name: 'a.pdf', content: null, typed: { value: null } }] } });
  const shown = await ask(gateway.url, query, bob);
  const url = addressAt(shown, 'getFolder', 'document', 0, 'content');
  t.equal((await download(gateway.url, url, bob)).response.status, 200);
  t.equal((await download(gateway.url, url, ann)).response.status, 404);
});

t.test('parts of a package are downloaded too', async (t) => {
  const content = random(300_000, 9);
  const packed = (coding: string, bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(
        `--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\nContent-ID: <root>\r\n\r\n${envelope('<GetContentResponse xmlns="urn:d"><content><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:one"/></content></GetContentResponse>')}\r\n--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: ${coding}\r\nContent-ID: <one>\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n--b--\r\n'),
    ]);
  for (const [coding, bytes] of [
    ['binary', content],
    ['base64', Buffer.from(content.toString('base64').replace(/.{76}/g, '$&\r\n'))],
  ] as const) {
    const { gateway } = await useDesk(t, {
      answer: (_message, response) => {
        response
          .writeHead(200, {
            'content-type':
              'multipart/related; boundary=b; type="application/xop+xml"; start="<root>"; start-info="text/xml"',
          })
          .end(packed(coding, bytes));
        return true;
      },
    });
    const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
    t.ok((await download(gateway.url, url)).bytes.equals(content), coding);
  }
});

t.test('content that is no base64, or stops halfway, is never complete', async (t) => {
  let isBroken = false;
  const { gateway } = await useDesk(t, {
    documents: TWO,
    answer: (_message, response) => {
      if (!isBroken) return false;
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.write(
        '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><GetContentResponse xmlns="urn:d"><content>',
      );
      response.write('A'.repeat(400_000));
      response.end('A*</content></GetContentResponse></E:Body></E:Envelope>');
      return true;
    },
  });
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
  isBroken = true;
  await t.rejects(download(gateway.url, url));
});

t.test('a long download goes on only as its reader takes it', async (t) => {
  let sent = 0;
  const total = 64 * 1024 * 1024;
  const piece = 'AAAA'.repeat(16 * 1024);
  let isLong = false;
  const { gateway } = await useDesk(t, {
    documents: TWO,
    more: 'limits: { xml: { messageBytes: 100000000 } }',
    answer: (_message, response) => {
      if (!isLong) return false;
      void (async () => {
        response.writeHead(200, { 'content-type': 'text/xml' });
        response.write(
          '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><GetContentResponse xmlns="urn:d"><content>',
        );
        while (sent < total && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
        }
        response.end('</content></GetContentResponse></E:Body></E:Envelope>');
      })();
      return true;
    },
  });
  const url = addressAt(await ask(gateway.url, '{ getContent(id: "1") @url }'), 'getContent');
  isLong = true;
  const response = await fetch(gateway.url + url);
  const reader = response.body?.getReader();
  await reader?.read();
  await untilStill(() => sent);
  t.ok(sent < total, `${sent} of ${total} bytes were taken`);
  let bytes = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) bytes += part.value.length;
  t.ok(bytes > (total / 4) * 3 - 1024 * 1024);
});
