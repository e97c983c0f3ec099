import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import type { GraphqlAnswer } from '../kit/answers.js';
import { answerOperations, answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { untilStill } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Addresses of binary content, and downloads from them. */

const KEY = 'k'.repeat(32);

const OPERATIONS = ['GetFolder', 'GetContent', 'PutContent'];
const [MAYBE, MANY] = ['minOccurs="0"', 'minOccurs="0" maxOccurs="unbounded"'];
const CONTENT = element('content', 'xs:base64Binary', MAYBE);

const WSDL = wsdlOf(
  'urn:d',
  `<xs:complexType name="Typed"><xs:simpleContent><xs:extension base="xs:base64Binary">\
<xs:attribute name="kind" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="Document"><xs:sequence>${element('name', 'xs:string', MAYBE)}${CONTENT}\
${element('size', 'xs:int', MAYBE)}${element('typed', 't:Typed', MAYBE)}</xs:sequence>\
</xs:complexType>
  <xs:complexType name="Folder"><xs:sequence>${element('title', 'xs:string', MAYBE)}\
${element('document', 't:Document', MANY)}${element('pages', 'xs:base64Binary', MANY)}\
</xs:sequence></xs:complexType>
  ${OPERATIONS.map((name) => wrapper(name, element('id', 'xs:string', MAYBE))).join('')}\
${wrapper('GetFolderResponse', element('folder', 't:Folder', MAYBE))}
  ${wrapper('GetContentResponse', CONTENT)}${wrapper('PutContentResponse', CONTENT)}`,
  OPERATIONS,
);

interface Stored {
  readonly name: string;
  readonly content: Buffer;
}

const folderOf = (documents: readonly Stored[]): string => {
  const printed = documents.map(({ name, content }) => {
    const bytes = content.toString('base64');
    return (
      `<document><name>${name}</name><content>${bytes}</content><size>${content.length}</size>` +
      `<typed kind="${name}">${bytes}</typed></document>`
    );
  });
  return (
    `<folder><title>T</title>${printed.join('')}<pages>AAEC</pages>` +
    '<pages>/w==</pages></folder>'
  );
};

interface Options {
  readonly documents?: readonly Stored[];
  readonly keys?: string;
  readonly more?: string;
  readonly service?: string;
}

const CLIENTS = `clients:
  classes: { user: {} }
  apiKeys:
    clients:
      ann: { keys: [ann-key-0123456789], class: user }
      bob: { keys: [bob-key-0123456789], class: user }
`;

const ANN = { 'x-api-key': 'ann-key-0123456789' };
const BOB = { 'x-api-key': 'bob-key-0123456789' };

async function useDesk(
  t: Test,
  { documents = [], keys = `["${KEY}"]`, more = '', service = '' }: Options = {},
) {
  const held = { documents };
  const answer = answerOperations('urn:d', (name) =>
    name === 'GetFolder'
      ? folderOf(held.documents)
      : `<content>${held.documents[0]?.content.toString('base64') ?? ''}</content>`,
  );
  const backend = await useBackend(t, answer);
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
  /** The address of the content of an answer. */
  const contentUrl = async (headers: Record<string, string> = {}): Promise<string> =>
    addressAt(await ask(gateway.url, CONTENT_QUERY, headers), 'getContent');
  return { backend, gateway, held, contentUrl };
}

const CONTENT_QUERY = '{ getContent(id: "1") @url }';

const ask = (
  url: string,
  query: string,
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> => askGraphql(url, query, {}, headers);

/** The address at this place of an answer. */
function addressAt({ data }: GraphqlAnswer, ...path: readonly (string | number)[]): string {
  let value: unknown = data;
  for (const step of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
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
  const query =
    '{ getFolder(id: "7") { title document { name file: content @url size typed { kind value ' +
    '@url } } pages @url } }';
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
  for (const path of [['file'], ['typed', 'value']]) {
    const first = await download(
      gateway.url,
      addressAt(answer, 'getFolder', 'document', 0, ...path),
    );
    t.ok(first.bytes.equals(TWO[0]?.content ?? Buffer.of()), path.join());
  }
  t.same(
    (await download(gateway.url, addressAt(answer, 'getFolder', 'pages', 1))).bytes,
    Buffer.of(0xff),
  );
});

t.test('an answer that is binary content itself has an address', async (t) => {
  const { gateway, contentUrl } = await useDesk(t, { documents: TWO });
  t.ok(
    (await download(gateway.url, await contentUrl())).bytes.equals(TWO[0]?.content ?? Buffer.of()),
  );
});

t.test(
  'absent content has no address; where it has gone, its address is answered by no content',
  async (t) => {
    const { gateway, held } = await useDesk(t, { documents: TWO });
    const query = '{ getFolder(id: "7") { document { content @url } } }';
    const url = addressAt(await ask(gateway.url, query), 'getFolder', 'document', 0, 'content');
    held.documents = [];
    t.same((await ask(gateway.url, query)).data, { getFolder: { document: [] } });
    const { response } = await download(gateway.url, url);
    t.equal(response.status, 204);
  },
);

t.test('what was read beside an address is compared when it is used', async (t) => {
  const { gateway, held } = await useDesk(t, { documents: TWO });
  const query = '{ getFolder(id: "7") { document { called: name content @url } } }';
  const url = addressAt(await ask(gateway.url, query), 'getFolder', 'document', 0, 'content');
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

t.test('an address is good for a caller with the same forwarded fields', async (t) => {
  const { gateway, contentUrl, backend } = await useDesk(t, {
    documents: TWO,
    service: '    forwardHeaders: [x-tenant, x-request-id]\n    cookies: forward',
  });
  const asked = { 'x-tenant': 'a', cookie: 's=1' };
  const url = await contentUrl({ ...asked, 'x-request-id': '1' });
  const again = await download(gateway.url, url, { ...asked, 'x-request-id': '2' });
  t.equal(again.response.status, 200);
  const sent = backend.complete.length;
  for (const headers of [{ ...asked, 'x-tenant': 'b' }, { ...asked, cookie: 's=2' }, {}])
    t.equal((await download(gateway.url, url, headers)).response.status, 404);
  t.equal(backend.complete.length, sent, 'nothing is sent');
});

t.test('an address is good for its client alone, with its credentials', async (t) => {
  const { gateway, contentUrl } = await useDesk(t, { documents: TWO, more: CLIENTS });
  const url = await contentUrl(ANN);
  t.equal((await download(gateway.url, url, ANN)).response.status, 200);
  t.equal((await download(gateway.url, url, BOB)).response.status, 404);
  t.equal((await download(gateway.url, url)).response.status, 401);
});

t.test(
  'an altered or sealed-elsewhere address is none, and other methods are refused',
  async (t) => {
    const { gateway, backend, contentUrl } = await useDesk(t, { documents: TWO });
    const other = await useDesk(t, { documents: TWO, keys: `["${'o'.repeat(32)}", "${KEY}"]` });
    const url = await contentUrl();
    t.equal((await download(other.gateway.url, url)).response.status, 200, 'keys may be replaced');
    const before = backend.begun;
    for (let at = '/downloads/'.length; at < url.length; at += 7) {
      const letter = url[at] === 'A' ? 'B' : 'A';
      const altered = url.slice(0, at) + letter + url.slice(at + 1);
      t.equal((await download(gateway.url, altered)).response.status, 404, `letter ${at}`);
    }
    for (const text of ['', 'x', '!', `${url.slice(11)}=`, '%41', 'a'.repeat(8000)])
      t.equal(
        (await download(gateway.url, `/downloads/${text}`)).response.status,
        404,
        JSON.stringify(text.slice(0, 9)),
      );
    t.equal(backend.begun, before, 'nothing was asked for');
    t.equal((await download(gateway.url, await other.contentUrl())).response.status, 404);
    for (const method of ['POST', 'HEAD']) {
      const refused = await fetch(gateway.url + url, { method });
      t.equal(refused.status, 405, method);
      t.equal(refused.headers.get('allow'), 'GET', method);
    }
  },
);

t.test('fields without binary content, and writes, have no address', async (t) => {
  const { gateway } = await useDesk(t, { documents: TWO });
  const { errors } = await ask(gateway.url, '{ getFolder(id: "7") { title @url } }');
  t.match(errors?.[0], { message: /Base64/, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  const written = await ask(gateway.url, 'mutation { putContent(id: "1") @url }');
  t.match(written, {
    data: { putContent: null },
    errors: [{ extensions: { code: 'VALUE_NOT_REPRESENTABLE' } }],
  });
  const long = await ask(gateway.url, `{ getContent(id: "${'x'.repeat(3100)}") @url }`);
  t.match(long, {
    data: { getContent: null },
    errors: [{ extensions: { code: 'VALUE_NOT_REPRESENTABLE' } }],
  });
  const fits = await ask(gateway.url, `{ getContent(id: "${'x'.repeat(3000)}") @url }`);
  t.equal((await download(gateway.url, addressAt(fits, 'getContent'))).response.status, 200);
});

t.test('a limit on request targets that addresses would not fit into is an error', async (t) => {
  await t.rejects(
    useDesk(t, { more: 'limits: { http: { uriBytes: 8191 } }' }),
    /uriBytes.*8192 bytes/,
  );
});

t.test('without the key there is no directive', async (t) => {
  const folder = await useFolder(t, { 'files.wsdl': WSDL });
  const files =
    'files: { wsdl: files.wsdl, url: "http://127.0.0.1:1/", operations: { GetContent: true } }';
  const gateway = await useGateway(t, `services: { ${files} }`, folder);
  const { errors } = await ask(gateway.url, CONTENT_QUERY);
  t.match(errors?.[0]?.message, /directive/);
});

t.test('an address ends', async (t) => {
  const { gateway, contentUrl } = await useDesk(t, {
    documents: TWO,
    keys: `["${KEY}"], lifetimeMillis: 1000`,
  });
  const url = await contentUrl();
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
  const scopes =
    '    schema: { types: { Document: { fields: { content: { scopes: [secret] } } }, Typed: ' +
    '{ fields: { value: { mask: { user: "null" } } } } } }';
  const more = CLIENTS.replace(
    'bob-key-0123456789], class: user',
    'bob-key-0123456789], class: boss',
  ).replace('user: {}', 'user: {}, boss: { scopes: [secret] }');
  const { gateway } = await useDesk(t, { documents: TWO, service: scopes, more });
  const query = '{ getFolder(id: "7") { document { name content @url typed { value @url } } } }';
  const withheld = await ask(gateway.url, query, ANN);
  t.match(withheld.data, {
    getFolder: { document: [{ name: 'a.pdf', content: null, typed: { value: null } }] },
  });
  const shown = await ask(gateway.url, query, BOB);
  const url = addressAt(shown, 'getFolder', 'document', 0, 'content');
  t.equal((await download(gateway.url, url, BOB)).response.status, 200);
  t.equal((await download(gateway.url, url, ANN)).response.status, 404);
});

t.test('parts of a package are downloaded too', async (t) => {
  const content = random(300_000, 9);
  const packed = (coding: string, bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\n' +
          `Content-ID: <root>\r\n\
\r\n${envelope('<GetContentResponse xmlns="urn:d"><content><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:one"/></content></GetContentResponse>')}\r\n` +
          `--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: ${coding}\r\n` +
          'Content-ID: <one>\r\n\r\n',
      ),
      bytes,
      Buffer.from('\r\n--b--\r\n'),
    ]);
  const type =
    'multipart/related; boundary=b; type="application/xop+xml"; ' +
    'start="<root>"; start-info="text/xml"';
  for (const [coding, bytes] of [
    ['binary', content],
    ['base64', Buffer.from(content.toString('base64').replace(/.{76}/g, '$&\r\n'))],
  ] as const) {
    const { gateway, backend, contentUrl } = await useDesk(t);
    backend.answer = answerWith(packed(coding, bytes), type);
    t.ok((await download(gateway.url, await contentUrl())).bytes.equals(content), coding);
  }
});

/** What is before the content of a reply, and behind it. */
const [HEAD = '', TAIL = ''] = envelope(
  '<GetContentResponse xmlns="urn:d"><content>|</content></GetContentResponse>',
).split('|');

t.test('content that is no base64, or stops halfway, is never complete', async (t) => {
  const { gateway, backend, contentUrl } = await useDesk(t, { documents: TWO });
  const url = await contentUrl();
  backend.answer = answerWith(`${HEAD}${'A'.repeat(400_000)}A*${TAIL}`);
  await t.rejects(download(gateway.url, url));
});

t.test('a long download goes on only as its reader takes it', async (t) => {
  let sent = 0;
  const total = 64 * 1024 * 1024;
  const piece = 'AAAA'.repeat(16 * 1024);
  const more = 'limits: { xml: { messageBytes: 100000000 } }';
  const { gateway, backend, contentUrl } = await useDesk(t, { documents: TWO, more });
  const url = await contentUrl();
  backend.answer = async (_message, response) => {
    const closed = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/xml' }).write(HEAD);
    while (sent < total && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
    }
    response.end(TAIL);
  };
  const response = await fetch(gateway.url + url);
  const reader = response.body?.getReader();
  await reader?.read();
  await untilStill(() => sent);
  t.ok(sent < total, `${sent} of ${total} bytes were taken`);
  let bytes = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    bytes += part.value.length;
  t.ok(bytes > (total / 4) * 3 - 1024 * 1024);
});
