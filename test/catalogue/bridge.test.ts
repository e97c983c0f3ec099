import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { useCrm } from '../kit/crm.js';
import { postJson } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { type Echoed, send, sendQuery, startBridge } from './bridge-kit.js';
import { codesOf, replyWith, type Shop } from './graphql-kit.js';
import { Rows } from './rows.js';

const rows = new Rows('bridge');

/** The one value that came back, wherever it was put. */
const valueAt = ({ result }: Echoed, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, step) => Object(at)[step], result.data);

/** Every place for a text, and how its value comes back. */
const PLACES: readonly (readonly [
  string,
  (text: string) => unknown,
  (echoed: Echoed) => unknown,
])[] = [
  ['an element', (text) => ({ text }), (echoed) => valueAt(echoed, 'echo', 'text')],
  [
    'a list',
    (text) => ({ texts: [text, text] }),
    (echoed) => Object(valueAt(echoed, 'echo', 'texts'))[1],
  ],
  [
    'an attribute',
    (mark) => ({ marked: { value: '', mark } }),
    (echoed) => valueAt(echoed, 'echo', 'marked', 'mark'),
  ],
  [
    'simple content',
    (value) => ({ marked: { value } }),
    (echoed) => valueAt(echoed, 'echo', 'marked', 'value'),
  ],
  [
    'a derived type',
    (sku) => ({ part: { engine: { sku, power: 1 } } }),
    (echoed) => valueAt(echoed, 'echo', 'part', 'sku'),
  ],
];

/**
 * `equal`: comes back as it is, in an envelope of as many elements as any other value. Else nothing
 * is sent.
 */
async function expectText(
  t: Test,
  shop: Shop,
  text: string,
  answer: string,
  name: string,
): Promise<void> {
  for (const [place, put, get] of PLACES) {
    const harmless = await send(shop, put('a'));
    const before = shop.backend.begun;
    const echoed = await send(shop, put(text));
    if (answer === 'equal') {
      t.same(echoed.result.errors, undefined, `${name}, ${place}: no errors`);
      t.equal(get(echoed), text, `${name}, ${place}: equal`);
      t.equal(echoed.elements, harmless.elements, `${name}, ${place}: as many elements`);
    } else expectError(t, echoed, answer, `${name}, ${place}`);
    if (answer !== 'equal')
      t.equal(shop.backend.begun, before, `${name}, ${place}: nothing is sent`);
  }
}

const expectError = (t: Test, { result }: Echoed, answer: string, name: string): void =>
  void t.same(codesOf(result), [answer.replace('G:', '')], name);

const TEXTS: readonly (readonly [string, string, string])[] = [
  ['B01', 'closing tags', '</ns:text></values><admin>1</admin><values><text>'],
  ['B01', 'an element', '<admin>1</admin>'],
  ['B01', 'the end of an attribute', '" admin="1"><admin/>'],
  ['B01', 'the end of an attribute in apostrophes', "' admin='1'><admin/>"],
  [
    'B01',
    'an envelope',
    '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
      '<soap:Body/></soap:Envelope>',
  ],
  ['B01', 'a template', `{args.text} \${process.env.HOME} {{7*7}} <%= 1 %>`],
  ['B02', 'the end of CDATA', ']]>'],
  ['B02', 'CDATA', '<![CDATA[<admin/>]]>'],
  ['B02', 'a comment', '<!-- a --> -->'],
  ['B02', 'a processing instruction', '<?php echo 1 ?>'],
  ['B02', 'a DOCTYPE', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;'],
  ['B02', 'references', '&#x0; &amp; &lt; &unknown; &#38;'],
  ['B02', 'half a reference', '&#x'],
  ['B03', 'U+FFFD', '\ufffd'],
  ['B03', 'a pair of surrogates', '\u{1f600}'],
  ['B03', 'a character beyond the first plane that is none', '\u{1fffe}'],
  ['B04', 'CR', 'a\rb'],
  ['B04', 'CRLF', 'a\r\nb\r\n'],
  ['B04', 'LF', '\na\n'],
  ['B04', 'TAB', '\ta\tb\t'],
  ['B04', 'NEL', 'a\u0085b'],
  ['B04', 'U+2028', 'a\u2028b\u2029'],
  ['B04', 'spaces around', '  a  b  '],
  ['B04', 'a byte order mark', '\ufeffa\ufeff'],
  ['B04', 'accents in two ways', '\u00e9 e\u0301'],
];

t.test('texts come back as they are, or nothing is sent', async (t) => {
  const shop = await startBridge(t);
  for (const [row, name, text] of TEXTS)
    await expectText(t, shop, text, rows.answer(row, name), `${row} ${name}`);
  const illegal = Array.from({ length: 0x20 }, (_, at) => String.fromCharCode(at)).filter(
    (each) => !'\t\n\r'.includes(each),
  );
  for (const [name, texts] of [
    ['control characters', illegal],
    ['U+FFFE and U+FFFF', ['\ufffe', '\uffff']],
    ['half a pair of surrogates', ['\ud800', '\udfff', 'a\udc00b', '\ud83d']],
  ] as const) {
    for (const text of texts)
      await expectText(t, shop, `a${text}b`, rows.answer('B03', name), `B03 ${name}`);
  }
});

t.test('B05, B06: nothing of a value becomes a part of HTTP', async (t) => {
  const shop = await startBridge(t);
  const plain = await send(shop, { text: 'a' }, { blocks: { session: { token: 'a' } } });
  const first = shop.backend.complete.at(-1);
  for (const [name, token] of [
    ['CR LF in a header block', 'a\r\nX-Admin: 1\r\n\r\n'],
    ['U+560A in a header block', 'a\u560d\u560aX-Admin: 1'],
    ['NUL in a header block', 'a\u0000b'],
    ['half a surrogate in a header block', 'a\ud800'],
  ] as const) {
    const answer = rows.answer('B05', name);
    const echoed = await send(shop, { text: 'a' }, { blocks: { session: { token } } });
    if (answer !== 'equal') {
      expectError(t, echoed, answer, name);
      t.equal(echoed.elements, 0, `${name}: nothing is sent`);
      continue;
    }
    const sent = shop.backend.complete.at(-1);
    t.equal(echoed.elements, plain.elements, `${name}: as many elements`);
    t.match(sent?.body.toString(), token.replaceAll('\r', '&#13;'), `${name}: as a text`);
    t.same(
      Object.keys(sent?.headers ?? {}),
      Object.keys(first?.headers ?? {}),
      `${name}: no other header field`,
    );
  }
  const hostile = '"\r\nSOAPAction: "urn:admin"';
  await send(
    shop,
    { text: hostile, uri: 'http://elsewhere.example/' },
    { blocks: { session: { token: hostile } } },
  );
  const sent = shop.backend.complete.at(-1);
  t.equal(rows.answer('B06', 'every value'), 'only from the WSDL');
  t.equal(sent?.headers['soapaction'], '"urn:bridge/Echo"');
  t.equal(sent?.target, '/bridge');
  t.equal(sent?.headers['host'], first?.headers['host']);
});

const VALUES: readonly (readonly [string, string, unknown, string?])[] = [
  ['B07', 'a member that is none', { part: { turbo: { sku: 'a' } } }],
  ['B07', 'two at once', { part: { part: { sku: 'a' }, engine: { sku: 'a', power: 1 } } }],
  ['B07', 'a derived type', { part: { engine: { sku: 'a', power: 1 } } }, 'part'],
  ['B07', 'a prefix that nobody declared', { name: 'evil:name' }],
  ['B07', 'a prefix of the envelope', { name: 'soap:Envelope' }],
  ['B07', 'xsi:type', { 'xsi:type': 'Engine' }],
  ['B07', 'a namespace and a name', { name: '{urn:other}name' }, 'name'],
  ['B07', 'a namespace with a tag in it', { name: '{urn:"><admin/>}name' }],
  ['B07', 'a name with a tag in it', { name: '{urn:other}a><admin/' }],
  ['B08', 'an enumeration value that is none', { colour: 'PURPLE' }],
  ['B08', 'a string for an int', { number: '1' }],
  ['B08', 'an int of 32 bits and one', { number: 2_147_483_648 }],
  ['B08', '1e999 as a long', { big: '1e999' }],
  ['B08', '0x1 as a long', { big: '0x1' }],
  ['B08', '20 digits as a long', { big: '12345678901234567890' }],
  ['B08', '19 digits as a long', { big: '9223372036854775807' }, 'big'],
  ['B08', 'a tag as an integer', { integer: '1</integer><admin/>' }],
  ['B08', '100 digits as an integer', { integer: '1'.repeat(100) }, 'integer'],
  ['B08', '100,000 digits as an integer', { integer: '1'.repeat(100_000) }],
  ['B08', '1e5 as a decimal', { decimal: '1e5' }],
  ['B08', 'Infinity as a decimal', { decimal: 'Infinity' }],
  ['B08', 'trailing zeros of a decimal', { decimal: '1.500' }, 'decimal'],
  ['B08', 'NaN as a double', { double: 'NaN' }],
  ['B08', 'yes as a boolean', { flag: 'yes' }],
  ['B08', 'the 30th of February', { date: '2015-02-30' }],
  ['B08', 'a tag behind a date', { date: '2015-02-03<admin/>' }],
  ['B08', 'a day with its zone', { date: '2015-03-26+01:00' }, 'date'],
  ['B08', 'a duration of nothing', { duration: 'P' }],
  ['B13', 'no base64', { base64: '***' }],
  ['B13', 'no hex', { hex: 'abc' }],
  ['B13', '1.2 million characters', { base64: 'AAAA'.repeat(300_000) }],
  ['B13', 'a million characters', { base64: 'AAAA'.repeat(250_000) }, 'base64'],
];

t.test('values by the rules of their types', async (t) => {
  const shop = await startBridge(t);
  for (const [row, name, values, field] of VALUES) {
    const answer = rows.answer(row, name);
    const before = shop.backend.begun;
    const echoed = await send(shop, values);
    if (answer === 'equal') {
      t.same(echoed.result.errors, undefined, `${row} ${name}: no errors`);
      const back = valueAt(echoed, 'echo', field ?? '');
      const given = Object(values)[field ?? ''];
      if (field !== 'part') t.equal(back, given, `${row} ${name}: equal`);
      else t.same(back, { __typename: 'Engine', sku: 'a', power: 1 }, `${row} ${name}: its type`);
      continue;
    }
    expectError(t, echoed, answer, `${row} ${name}`);
    t.equal(shop.backend.begun, before, `${row} ${name}: nothing is sent`);
  }
  const spaced = await send(shop, { token: ' a  b ' });
  t.equal(valueAt(spaced, 'echo', 'token'), 'a b', rows.answer('B08', 'spaces in a token'));
  const literal = await sendQuery(shop, { query: '{echo(values:{double:1e999}){double}}' });
  expectError(t, literal, rows.answer('B08', '1e999 in the document'), '1e999');
  const long = await send(shop, { base64: 'AAAA'.repeat(2_500_000) });
  t.equal(`H${long.raw.status}`, rows.answer('B13', '10 MB'));
});

t.test('B09: XML in an argument', async (t) => {
  const shop = await startBridge(t);
  const deep = `<a xmlns="urn:o">${'<a>'.repeat(200)}${'</a>'.repeat(200)}</a>`;
  for (const [name, any] of [
    ['an element', '<o:a xmlns:o="urn:o" b="1">x&amp;y<o:c/></o:a>'],
    ['a DOCTYPE', '<!DOCTYPE a [<!ENTITY b "c">]><a xmlns="urn:o">&b;</a>'],
    ['an entity', '<a xmlns="urn:o">&b;</a>'],
    ['two elements', '<a xmlns="urn:o"/><a xmlns="urn:o"/>'],
    ['an end of the envelope', '</soap:Body></soap:Envelope>'],
    ['not well-formed', '<a xmlns="urn:o"><b></a>'],
    ['a prefix nobody declared', '<o:a/>'],
    ['a processing instruction', '<a xmlns="urn:o"><?x y?></a>'],
    ['200 levels', deep],
    ['100,000 characters', `<a xmlns="urn:o">${'x'.repeat(100_000)}</a>`],
  ] as const) {
    const answer = rows.answer('B09', name);
    const query = 'query($x:XML){open(note:"n" any:{xml:$x}){note any{xml}}}';
    const echoed = await sendQuery(shop, { query, variables: { x: any } });
    if (answer === 'pass') {
      t.same(echoed.result.errors, undefined, name);
      t.match(JSON.stringify(echoed.result.data), 'x&amp;y', name);
    } else {
      expectError(t, echoed, answer, name);
      t.equal(echoed.elements, 0, `${name}: nothing is sent`);
    }
  }
});

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const XINCLUDE = 'http://www.w3.org/2001/XInclude';
const evil = (attributes: string): object => ({
  '@href': 'file:///etc/passwd',
  ...(attributes === '' ? {} : { '@xmlns': attributes }),
});

t.test('B18: a value of any type declares no namespace', async (t) => {
  const shop = await startBridge(t);
  const any = (name: string, value: unknown, type?: string): object => ({ name, value, type });
  for (const [name, value] of [
    ['a default namespace', any('{urn:o}a', { '@xmlns': 'urn:bridge' })],
    ['XInclude as a default namespace', any('{urn:o}a', { include: evil(XINCLUDE) })],
    ['a default namespace in an inner object', any('{urn:o}a', { b: [{ c: evil(ENVELOPE) }] })],
    ['a prefix that is declared', any('{urn:o}a', { '@xmlns:p': XINCLUDE })],
    ['XInclude by name', any('{urn:o}a', { [`{${XINCLUDE}}include`]: evil('') })],
    ['XInclude of 2003 by name', any('{http://www.w3.org/2003/XInclude}include', evil(''))],
    [
      'an Include of XOP by name',
      any('{urn:o}a', { '{http://www.w3.org/2004/08/xop/include}Include': evil('') }),
    ],
    ['a Body by name', any(`{${ENVELOPE}}Body`, '')],
    [
      'an element of the SOAP encoding',
      any('{urn:o}a', { '{http://schemas.xmlsoap.org/soap/encoding/}Array': '' }),
    ],
    ['a type of the envelope', any('{urn:o}a', {}, `{${ENVELOPE}}Envelope`)],
    ['XInclude as XML', { xml: `<include xmlns="${XINCLUDE}" href="file:///etc/passwd"/>` }],
    ['XInclude as XML, inherited', { xml: `<o:a xmlns:o="urn:o" xmlns="${XINCLUDE}"><b/></o:a>` }],
    [
      'an attribute of the envelope as XML',
      { xml: `<a xmlns="urn:o" xmlns:n1="${ENVELOPE}" n1:mustUnderstand="1"/>` },
    ],
    ['an element that ##other does not allow', any('{urn:bridge}a', { '@b': 'c' })],
    ['names of its own', any('{urn:o}a', { '{urn:p}b': { '@c': XINCLUDE } })],
  ] as const) {
    const query = 'query($any:AnyValueInput){open(note:"n" any:$any){note}}';
    const before = shop.backend.begun;
    const sent = await sendQuery(shop, { query, variables: { any: value } });
    const answer = rows.answer('B18', name);
    if (answer === 'pass') t.same(sent.result.errors, undefined, name);
    else {
      expectError(t, sent, answer, name);
      t.equal(shop.backend.begun, before, `${name}: nothing is sent`);
    }
  }
});

t.test('B19: a confirmation that a person has not given', async (t) => {
  const mcp = 'mcp: { write: [crm.SetCustomer], confirm: [crm.SetCustomer] }\n';
  const { gateway, backend } = await useCrm(t, '', mcp);
  const set = async (more: object): Promise<Readonly<Record<string, unknown>>> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const values = { id: 7, name: 'Bob' };
    const params = { name: 'setCustomer', arguments: values, ...more, _meta };
    const answer = await postJson(
      `${gateway.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'setCustomer',
      },
    );
    return (JSON.parse(await answer.text()) as { readonly result: Record<string, unknown> }).result;
  };
  const inputResponses = { confirm: { action: 'accept', content: {} } };
  const requestState = String((await set({}))['requestState']);
  for (const [name, more] of [
    ['without a question', { inputResponses }],
    ['a state of its own', { inputResponses, requestState: 'AAAA' }],
    ['a changed state', { inputResponses, requestState: `A${requestState}` }],
    ['other arguments', { inputResponses, requestState, arguments: { id: 8, name: 'Bob' } }],
    ['after its question', { inputResponses, requestState }],
    ['twice', { inputResponses, requestState }],
  ] as const) {
    const before = backend.complete.length;
    const isMade = rows.answer('B19', name) === 'pass';
    const kind = isMade ? 'complete' : 'input_required';
    t.equal((await set(more))['resultType'], kind, name);
    t.equal(backend.complete.length, before + (isMade ? 1 : 0), name);
  }
});

const echoReply = (content: string): string =>
  replyWith(
    `<e:EchoResponse xmlns:e="urn:bridge"><e:values>${content}</e:values></e:EchoResponse>`,
  );

t.test('what a backend answers', async (t) => {
  const shop = await startBridge(t);
  const answered = async (content: string, selection: string): Promise<Echoed> => {
    shop.backend.answer = answerWith(content.startsWith('<E:') ? content : echoReply(content));
    return send(shop, {}, { selection });
  };
  const proto = await answered(
    '<e:proto><e:__proto__>x</e:__proto__><e:constructor>y</e:constructor></e:proto>',
    'proto{__proto__:_proto constructor}',
  );
  const told = '{"data":{"echo":{"proto":{"__proto__":"x","constructor":"y"}}}';
  t.ok(proto.raw.body.startsWith(told), rows.answer('B10', '__proto__'));
  t.equal(Reflect.get({}, 'x'), undefined);
  for (const [row, name, content, selection, path] of [
    ['B10', 'an element twice', '<e:text>a</e:text><e:text>b</e:text>', 'text', ['echo', 'text']],
    ['B10', 'a list of 10,001', '<e:texts/>'.repeat(10_001), 'texts', ['echo', 'texts']],
    ['B11', 'no number', '<e:number>abc</e:number>', 'number', ['echo', 'number']],
    ['B11', 'a number of 33 bits', '<e:number>4294967296</e:number>', 'number', ['echo', 'number']],
    [
      'B11',
      'an enumeration value that is none',
      '<e:colour>BLUE</e:colour>',
      'colour',
      ['echo', 'colour'],
    ],
    ['B11', 'what may not be missing', '<e:part/>', 'part{sku}', ['echo', 'part', 'sku']],
    [
      'B11',
      'a type that is not declared',
      '<e:part xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="e:Turbo">' +
        '<e:sku>a</e:sku></e:part>',
      'part{__typename sku}',
      ['echo', 'part'],
    ],
  ] as const) {
    const { result } = await answered(content, selection);
    t.same(
      result.errors?.map(({ extensions, path }) => [`G:${extensions['code']}`, path]),
      [[rows.answer(row, name), path]],
      `${row} ${name}`,
    );
    t.notMatch(
      JSON.stringify(result),
      /abc|4294967296|BLUE|Turbo/,
      `${row} ${name}: nothing of it is told`,
    );
  }
  const fault = await answered(
    replyWith(
      '<E:Fault><faultcode>E:Client.Gone</faultcode><faultstring>gone</faultstring><detail>' +
        '<secret xmlns="urn:s">1</secret></detail></E:Fault>',
    ),
    'text',
  );
  expectError(t, fault, rows.answer('B12', 'a Fault'), 'B12');
  t.match(fault.result.errors?.[0], {
    message: 'gone',
    extensions: { soap: { code: 'Client.Gone' } },
  });
  t.notMatch(
    JSON.stringify(fault.result),
    'secret',
    rows.answer('B12', 'a detail that is not declared'),
  );
});

t.test('B14: credentials of the caller stay here', async (t) => {
  const shop = await startBridge(t);
  const secrets = {
    Authorization: 'Bearer s3cret',
    Cookie: 'a=s3cret',
    'X-Api-Key': 's3cret',
    'Proxy-Authorization': 's3cret',
  };
  await send(shop, { text: 'a' }, { headers: secrets });
  const { headers, body } = shop.backend.complete.at(-1) ?? {};
  t.equal(rows.answer('B14', 'header fields'), 'none is passed on');
  t.notMatch(JSON.stringify(headers) + body?.toString(), 's3cret');
  await sendQuery(shop, {
    query: '{echo(values:{text:"a"}){text}}',
    extensions: { token: 's3cret' },
  });
  t.notMatch(
    shop.backend.complete.at(-1)?.body.toString(),
    's3cret',
    rows.answer('B14', 'extensions'),
  );

  const other = await useBackend(t, answerWith(echoReply('<e:text>a</e:text>')));
  const wsdl = `wsdl: ${process.cwd()}/test/catalogue/fixtures/bridge.wsdl`;
  const gateway = await useGateway(
    t,
    `services:
  bridge:
    ${wsdl}
    url: ${shop.backend.url}
    callerHeaders: [Authorization]
    operations: { Echo: { field: Query.echo, headers: { Session/token: { header: \
Authorization } } }, Open: false }
  other:
    ${wsdl}
    url: ${other.url}
    operations: { Echo: { field: Query.otherEcho }, Open: false }
`,
  );
  const trusted = { backend: shop.backend, gateway };
  const query = '{echo(values:{text:"a"}){text} otherEcho(values:{text:"a"}){text}}';
  const both = await sendQuery(trusted, { query }, secrets);
  t.same(both.result.errors, undefined);
  const sent = shop.backend.complete.at(-1);
  t.match(
    sent?.body.toString(),
    'Bearer s3cret',
    rows.answer('B14', 'a backend that may have them'),
  );
  t.notMatch(
    JSON.stringify(sent?.headers) + sent?.body.toString().replace('Bearer s3cret', ''),
    's3cret',
  );
  const elsewhere = other.complete.at(-1);
  t.equal(other.complete.length, 1);
  t.notMatch(
    JSON.stringify(elsewhere?.headers) + elsewhere?.body.toString(),
    's3cret',
    'the other has none',
  );
});

t.test('B17: answers are JSON, whatever is in them', async (t) => {
  const shop = await startBridge(t);
  shop.backend.answer = answerWith(
    echoReply(
      '<e:text>&lt;/script>&lt;script>alert(1)&lt;/script>\u2028</e:text>' +
        '<e:big>9223372036854775807</e:big><e:decimal>' +
        '1234567890.123456789012345678901234567890</e:decimal><e:double>NaN</e:double>',
    ),
  );
  const { raw, result } = await send(shop, {}, { selection: 'text big decimal double' });
  t.equal(raw.headers.get('x-content-type-options'), 'nosniff');
  t.match(raw.headers.get('content-type'), /^application\/(graphql-response\+)?json/);
  t.equal(rows.answer('B17', 'a script'), 'a string');
  t.same(
    valueAt({ raw, result, elements: 0 }, 'echo', 'text'),
    '</script><script>alert(1)</script>\u2028',
  );
  t.equal(rows.answer('B17', 'long numbers'), 'every digit');
  t.match(Object(result.data?.['echo']), {
    big: '9223372036854775807',
    decimal: '1234567890.123456789012345678901234567890',
  });
  t.equal(rows.answer('B17', 'NaN'), 'null, or told');
  t.equal(Object(result.data?.['echo'])['double'], null, JSON.stringify(result.errors));
  t.same(codesOf(result), ['VALUE_NOT_REPRESENTABLE']);
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
