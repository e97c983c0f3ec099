import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { readWsdl } from '../../src/wsdl/read.js';
import { desk, envelope, FIELDS, graphql, startDesk } from '../acceptance/desk.js';
import { errorWith } from '../kit/answers.js';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import { MEDIA, SOAP, type Version, WSA } from '../kit/envelope.js';
import { useService } from '../kit/use.js';
import { FILES, schemaWith, wsdlWith } from '../wsdl/written.js';

const SUBMISSION = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const REQUIRED =
  '<w:UsingAddressing xmlns:w="http://www.w3.org/2006/05/addressing/wsdl" d:required="true" ' +
  'xmlns:d="http://schemas.xmlsoap.org/wsdl/"/>';
const POLICY =
  '<p:Policy xmlns:p="http://www.w3.org/ns/ws-policy">' +
  '<m:Addressing xmlns:m="http://www.w3.org/2007/05/addressing/metadata"/></p:Policy>';

/** The WSDL of a desk whose binding has these children. */
const addressedDesk = (inBinding: string, version: Version = '1.1', action = 'urn:t/Get'): string =>
  desk({ version, action }).replace('<binding name="B" type="t:P">', `$&${inBinding}`);

/** The text of a block or of an element in it. */
const textOf = (message: RecordedMessage | undefined, local: string): string | null =>
  new RegExp(`<(\\w+):${local}[^>]*>(?:<\\1:Address>)?([^<]*)<`).exec(
    message?.body.toString() ?? '',
  )?.[2] ?? null;

const reply = (version: Version, headers: string): string =>
  `<S:Envelope xmlns:S="${SOAP[version]}" xmlns:a="${WSA}" xmlns:t="urn:t"><S:Header>` +
  `${headers}</S:Header><S:Body><t:GetResponse><t:result>ok</t:result></t:GetResponse>` +
  '</S:Body></S:Envelope>';

/**
 * Answers as a backend that requires WS-Addressing (SOAP Binding section 6): a message without a
 * block that it needs is a Fault, an action that HTTP gives must be that of the block, and the
 * reply relates to the message.
 */
const strict =
  (version: Version, uri = WSA) =>
  (message: RecordedMessage, response: ServerResponse): void => {
    const fault = (code: string): void => {
      const content =
        version === '1.1'
          ? `<S:Fault xmlns:a="${uri}"><faultcode>a:${code}</faultcode><faultstring>` +
            `${code}</faultstring></S:Fault>`
          : `<S:Fault xmlns:a="${uri}"><S:Code><S:Value>S:Sender</S:Value><S:Subcode>` +
            `<S:Value>a:${code}</S:Value></S:Subcode></S:Code><S:Reason><S:Text xml:lang="en">` +
            `${code}</S:Text></S:Reason></S:Fault>`;
      answerWith(envelope(content, version), MEDIA[version], 500)(message, response);
    };
    const relate = (action: string | null): void => {
      const blocks =
        `<a:Action>${action}Response</a:Action><a:RelatesTo>` +
        `${textOf(message, 'MessageID')}</a:RelatesTo>`;
      answerWith(reply(version, blocks), MEDIA[version])(message, response);
    };
    const text = message.body.toString();
    const action = textOf(message, 'Action');
    const said =
      version === '1.1'
        ? String(message.headers['soapaction']).slice(1, -1)
        : (/action="([^"]*)"/.exec(String(message.headers['content-type']))?.[1] ?? '');
    const isWhole = ['Action', 'To', 'MessageID', 'ReplyTo'].every(
      (local) => textOf(message, local) !== null,
    );
    if (!text.includes(`"${uri}"`) || !isWhole) fault('MessageAddressingHeaderRequired');
    else if (said !== '' && said !== action) fault('ActionMismatch');
    else relate(action);
  };

const OK = { data: { get: 'ok' } };

for (const version of ['1.1', '1.2'] as const) {
  t.test(`calls carry WS-Addressing where the WSDL requires it (${version})`, async (t) => {
    for (const [demand, inBinding] of [
      ['extension', REQUIRED],
      ['policy', POLICY],
    ] as const) {
      const { backend, gateway } = await startDesk(
        t,
        addressedDesk(inBinding, version),
        FIELDS,
        version,
      );
      backend.answer = strict(version);
      t.same(await graphql(gateway, '{ get(id: 1) }'), OK, demand);
      t.same(await graphql(gateway, '{ get(id: 1) }'), OK);
      const [first, second] = backend.complete;
      t.equal(textOf(first, 'Action'), 'urn:t/Get');
      t.equal(textOf(first, 'To'), `${backend.url}/desk`);
      t.equal(textOf(first, 'ReplyTo'), `${WSA}/anonymous`);
      t.match(
        textOf(first, 'MessageID'),
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      t.not(textOf(first, 'MessageID'), textOf(second, 'MessageID'), 'a new one for each message');
      const text = first?.body.toString() ?? '';
      t.match(text, /<wsa:Action s:mustUnderstand="1">/);
      t.match(text, /<wsa:To s:mustUnderstand="1">/);
      t.notMatch(text, /<wsa:MessageID s:|<wsa:ReplyTo s:/);
    }
  });

  t.test(`a reply that relates to another message is refused (${version})`, async (t) => {
    const { backend, gateway } = await startDesk(
      t,
      addressedDesk(REQUIRED, version),
      FIELDS,
      version,
    );
    const answer = (headers: string): void => {
      backend.answer = answerWith(reply(version, headers), MEDIA[version]);
    };
    answer('<a:RelatesTo>urn:uuid:00000000-0000-4000-8000-000000000000</a:RelatesTo>');
    t.match(await graphql(gateway, '{ get(id: 1) }'), errorWith('UPSTREAM_DESYNC'));
    t.match(JSON.stringify(await gateway.accessLine()), /relates to another message/);
    answer(`<a:RelatesTo>${'x'.repeat(2000)}</a:RelatesTo>`);
    t.match(await graphql(gateway, '{ get(id: 1) }'), errorWith(/^UPSTREAM_/));
    answer('<a:Action>urn:t/GetResponse</a:Action>');
    t.same(await graphql(gateway, '{ get(id: 1) }'), OK, 'not every stack relates its replies');
    answer(`<a:RelatesTo RelationshipType="urn:other">urn:x</a:RelatesTo>`);
    t.same(await graphql(gateway, '{ get(id: 1) }'), OK, 'another relationship');
  });
}

t.test('calls carry WS-Addressing by `addressing.calls`, whatever the WSDL says', async (t) => {
  const sent = async (inBinding: string, keys: string, action?: string): Promise<string> => {
    const wsdl = addressedDesk(inBinding, '1.1', action);
    const { ask, sent } = await startDesk(t, wsdl, `${FIELDS}${keys}`);
    t.same(
      await ask('{ get(id: 1) }', '<t:GetResponse><t:result>ok</t:result></t:GetResponse>'),
      OK,
    );
    return sent();
  };
  const optional = REQUIRED.replace('"true"', '"false"');
  t.notMatch(await sent('', ''), /Header/);
  t.notMatch(await sent(optional, ''), /Header/, 'allowed, and not needed');
  t.notMatch(await sent(REQUIRED, '    addressing: { calls: never }\n'), /Header/);
  t.match(await sent('', '    addressing: send\n'), /<wsa:Action[^>]*>urn:t\/Get</);
  t.match(
    await sent('', '    addressing: { calls: send }\n', ''),
    /<wsa:Action[^>]*>urn:t:P:GetRequest</,
    'the default',
  );
  const old = await sent('', '    addressing: { calls: send, version: 2004/08 }\n');
  t.ok(old.includes(`"${SUBMISSION}"`) && old.includes(`>${SUBMISSION}/role/anonymous<`));
  t.notOk(old.includes(WSA));
});

t.test(
  'an action that the WSDL names goes before its SOAPAction, in block and header field',
  async (t) => {
    const wsdl = addressedDesk(REQUIRED).replace(
      '<input message="t:In"/>',
      '<input message="t:In" xmlns:m="http://www.w3.org/2007/05/addressing/metadata" ' +
        'm:Action="urn:named"/>',
    );
    const { backend, gateway } = await startDesk(t, wsdl, FIELDS);
    backend.answer = strict('1.1');
    t.same(await graphql(gateway, '{ get(id: 1) }'), OK);
    t.equal(backend.complete[0]?.headers['soapaction'], '"urn:named"');
    t.equal(textOf(backend.complete[0], 'Action'), 'urn:named');
  },
);

t.test('a Fault by WS-Addressing is an error with its code', async (t) => {
  for (const version of ['1.1', '1.2'] as const) {
    const { backend, gateway } = await startDesk(t, desk({ version }), FIELDS, version);
    backend.answer = strict(version);
    const { errors } = await graphql(gateway, '{ get(id: 1) }');
    t.match(errors, [
      { message: 'MessageAddressingHeaderRequired', extensions: { code: 'SOAP_FAULT' } },
    ]);
    t.match(JSON.stringify(errors), /MessageAddressingHeaderRequired/);
  }
});

t.test(
  'replies to addressed calls are cached, and their RelatesTo is that of the call that was made',
  async (t) => {
    const cached =
      '    operations: { Get: { field: Query.get, read: { cacheMillis: ' +
      '60000, scope: shared } } }\n';
    const { backend, gateway } = await startDesk(t, addressedDesk(REQUIRED), cached);
    backend.answer = strict('1.1');
    t.same(await graphql(gateway, '{ get(id: 1) }'), OK);
    t.same(await graphql(gateway, '{ again: get(id: 1) }'), { data: { again: 'ok' } });
    t.equal(backend.complete.length, 1);
    t.same(await graphql(gateway, '{ get(id: 2) }'), OK);
    t.equal(backend.complete.length, 2);
  },
);

t.test('a mapping by hand carries WS-Addressing; each operation needs an action', async (t) => {
  const yaml = (url: string, action = ', soapAction: urn:get'): string => `services:
  desk:
    url: ${url}
    namespace: urn:t
    addressing: { calls: send }
    types: |
      type Query { get(id: Int): String @xml(name: "result") }
    operations:
      Get: { field: Query.get${action} }
`;
  t.match(await problemsOf(t, yaml('http://127.0.0.1:1', '')), /has no action for WS-Addressing/);
  const { ask, backend } = await useService(t, strict('1.1'), yaml);
  t.same(await ask('{ get(id: 1) }'), OK);
  t.equal(textOf(backend.complete[0], 'Action'), 'urn:get');
});

/**
 * Two operations with the same request: `actionOf` makes the attribute of an input, `inBinding`
 * stands in the binding.
 */
function sameElement(
  actionOf: (action: string) => string,
  inBinding = '',
  soapAction = '',
): string {
  const names = ['DeleteItem', 'GetItem'] as const;
  const sides =
    '<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output>';
  const operations = names.map(
    (name) =>
      `<operation name="${name}"><input ${actionOf(`urn:${name}`)} message="t:In"/>` +
      '<output message="t:Out"/></operation>',
  );
  const bound = names.map(
    (name) =>
      `<operation name="${name}"><soap:operation soapAction="${soapAction}"/>${sides}</operation>`,
  );
  const result =
    '<xs:complexType><xs:sequence><xs:element name="result" type="xs:string"/>' +
    '</xs:sequence></xs:complexType>';
  return wsdlWith({
    types: schemaWith('').replace(
      /(name="GetResponse") type="xs:string"\/>/,
      `$1>${result}</xs:element>`,
    ),
    portType: `<portType name="P">${operations.join('')}</portType>`,
    binding:
      '<binding name="B" type="t:P"><soap:binding style="document" ' +
      `transport="http://schemas.xmlsoap.org/soap/http"/>${inBinding}${bound.join('')}</binding>`,
  });
}

t.test('operations that their action alone tells apart write it', async (t) => {
  const submission = `xmlns:a="${SUBMISSION}" a:Action`;
  const draft = 'xmlns:a="http://www.w3.org/2005/02/addressing/wsdl" a:Action';
  const metadata = 'xmlns:a="http://www.w3.org/2007/05/addressing/metadata" a:Action';
  const using = (uri: string): string => `<a:UsingAddressing xmlns:a="${uri}"/>`;
  const cases: readonly (readonly [string, string, string])[] = [
    ['metadata', sameElement((action) => `${metadata}="${action}"`), WSA],
    ['the draft of 2005/02', sameElement((action) => `${draft}="${action}"`), WSA],
    ['2004/08', sameElement((action) => `${submission}="${action}"`), SUBMISSION],
    [
      'UsingAddressing of 2005/02',
      sameElement(() => '', using('http://www.w3.org/2005/02/addressing/wsdl')),
      WSA,
    ],
    ['UsingAddressing of 2004/08', sameElement(() => '', using(SUBMISSION)), SUBMISSION],
    ['one SOAPAction', sameElement((action) => `${metadata}="${action}"`, '', 'urn:all'), WSA],
  ];
  for (const [name, wsdl, uri] of cases) {
    const directory = t.testdir({ 'a.wsdl': wsdl });
    const { ask, backend } = await useService(
      t,
      strict('1.1', uri),
      (url) => `services:\n  s:\n    wsdl: a.wsdl\n    url: ${url}\n`,
      directory,
    );
    t.same(await ask('{ getItem(id: 1) }'), { data: { getItem: 'ok' } }, name);
    t.same(await ask('mutation { deleteItem(id: 1) }'), { data: { deleteItem: 'ok' } }, name);
    const [get, remove] = backend.complete.map((message) => textOf(message, 'Action'));
    t.not(get, remove, name);
    t.match(get, /GetItem/, name);
    t.match(remove, /DeleteItem/, name);
  }
});

t.test('operations whose requests are the same are partial, each with the others', async (t) => {
  const statuses = async (wsdl: string) => {
    const directory = t.testdir({ 'a.wsdl': wsdl });
    const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
    const [port] = model.services[0]?.ports ?? [];
    return port?.operations.map(({ status, reasons }) => [status, reasons[0]?.what ?? null]);
  };
  t.match(await statuses(sameElement(() => '')), [
    ['partial', /requests of DeleteItem are those of GetItem/],
    ['partial', /requests of GetItem are those of DeleteItem/],
  ]);
  const same = 'xmlns:a="http://www.w3.org/2007/05/addressing/metadata" a:Action="urn:one"';
  t.match(await statuses(sameElement(() => same)), [['partial'], ['partial']]);
  const told = sameElement(() => '').replace('soapAction=""', 'soapAction="urn:delete"');
  t.same(await statuses(told), [
    ['ok', null],
    ['ok', null],
  ]);
});
