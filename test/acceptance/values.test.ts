import t from 'tap';
import { readWsdl } from '../../src/wsdl/read.js';
import { answerWith } from '../kit/backend.js';
import { MEDIA, type Version } from '../kit/envelope.js';
import { element as el } from '../kit/wsdl.js';
import { desk, envelope, graphql, startDesk } from './desk.js';

/** Cases 8 to 18 and 21: what messages hold. */

const OPTIONAL = 'minOccurs="0"';
const MANY = 'minOccurs="0" maxOccurs="unbounded"';
const reply = (content: string): string => `<t:GetResponse>${content}</t:GetResponse>`;

const FAULT_TYPES =
  '<xs:element name="OrderFault"><xs:complexType><xs:sequence>' +
  '<xs:element name="code" type="xs:int"/></xs:sequence></xs:complexType></xs:element>';
const DETAIL = '<t:OrderFault><t:code>404</t:code></t:OrderFault>';
const FAULTS: Readonly<Record<Version, string>> = {
  '1.1':
    '<S:Fault><faultcode>S:Client</faultcode><faultstring>No such order</faultstring>' +
    `<faultactor>urn:desk</faultactor><detail>${DETAIL}</detail></S:Fault>`,
  '1.2':
    '<S:Fault><S:Code><S:Value>S:Sender</S:Value><S:Subcode><S:Value>t:NotFound</S:Value>' +
    '</S:Subcode></S:Code><S:Reason><S:Text xml:lang="en">No such order</S:Text></S:Reason>' +
    `<S:Role>urn:desk</S:Role><S:Detail>${DETAIL}</S:Detail></S:Fault>`,
};

t.test(
  'case 8: a Fault is an error with its code, reason and detail, whatever the status says',
  async (t) => {
    for (const version of ['1.1', '1.2'] as const) {
      const wsdl = desk({ version, fault: 'OrderFault', types: FAULT_TYPES });
      const { backend, gateway } = await startDesk(t, wsdl, '', version);
      for (const status of [200, 400, 500]) {
        backend.answer = answerWith(envelope(FAULTS[version], version), MEDIA[version], status);
        const { data, errors = [] } = await graphql(gateway, '{ get(id: 1) }');
        t.same(data, { get: null });
        t.equal(errors.length, 1);
        t.equal(errors[0]?.message, 'No such order');
        t.same(errors[0]?.path, ['get']);
        t.equal(errors[0]?.extensions['code'], 'SOAP_FAULT');
        const soap = Object(errors[0]?.extensions['soap']);
        t.match(soap, {
          code: version === '1.1' ? 'Client' : 'Sender',
          string: 'No such order',
          actor: 'urn:desk',
        });
        t.match(JSON.stringify(soap.detail), /404/);
        if (version === '1.2') t.match(JSON.stringify(soap), /NotFound/);
      }
    }
  },
);

t.test('case 9: as SOAP, the detail of a Fault and its Header pass unchanged', async (t) => {
  const { backend, gateway } = await startDesk(
    t,
    desk({ fault: 'OrderFault', types: FAULT_TYPES }),
  );
  const whole = envelope(FAULTS['1.1']).replace(
    '<S:Body>',
    '<S:Header><t:Trace  kept = "yes"/></S:Header><S:Body>',
  );
  backend.answer = answerWith(whole, MEDIA['1.1'], 500);
  const answer = await fetch(`${gateway.url}/soap/desk`, {
    method: 'POST',
    headers: { 'content-type': MEDIA['1.1'], soapaction: '"urn:t/Get"' },
    body: envelope('<t:Get/>'),
  });
  t.equal(answer.status, 500);
  t.equal(await answer.text(), whole);
});

t.test(
  'case 10: a reply that is no envelope is a clear error, which holds nothing of the reply',
  async (t) => {
    const { backend, gateway } = await startDesk(t, desk());
    const answers: readonly (readonly [string, string, number])[] = [
      ['<html><body>Internal stack at com.example.Secret</body></html>', 'text/html', 500],
      ['{"error":"Secret"}', 'application/json', 200],
      ['', 'text/xml', 502],
      ['Secret', 'text/xml', 200],
      ['<a>Secret', 'text/xml; charset=utf-8', 200],
      ['<a>\xff\xfeSecret</a>', 'text/xml; charset=utf-8', 500],
    ];
    for (const [body, type, status] of answers) {
      backend.answer = answerWith(Buffer.from(body, 'latin1'), type, status);
      const answer = await graphql(gateway, '{ get }');
      t.same(answer.data, { get: null });
      t.match(answer.errors?.[0]?.extensions['code'], /^UPSTREAM_/);
      t.notMatch(
        JSON.stringify(answer),
        /Secret|JSON|position|char/,
        'no parser speaks, nothing is told',
      );
    }
  },
);

t.test('case 11: a list with one element is a list, also of a reference, also empty', async (t) => {
  const types =
    `<xs:complexType name="ArrayOfLine"><xs:sequence><xs:element ref="t:Line" ${MANY}/>` +
    '</xs:sequence></xs:complexType><xs:element name="Line" type="xs:string"/>';
  const content =
    `${el('lines', 't:ArrayOfLine', OPTIONAL)}${el('tag', 'xs:string', MANY)}` +
    `<xs:element ref="t:Line" ${MANY}/>`;
  const { ask } = await startDesk(t, desk({ types, reply: content }));
  const get = async (inside: string): Promise<unknown> =>
    (await ask('{ get { lines tag line } }', reply(inside))).data?.['get'];
  t.same(await get('<t:lines><t:Line>a</t:Line></t:lines><t:tag>b</t:tag><t:Line>c</t:Line>'), {
    lines: ['a'],
    tag: ['b'],
    line: ['c'],
  });
  t.same(await get('<t:lines/>'), { lines: [], tag: [], line: [] });
  t.same(await get('<t:lines><t:Line/></t:lines><t:tag/>'), { lines: [''], tag: [''], line: [] });
  t.same(await get(''), { lines: null, tag: [], line: [] });
});

t.test('case 12: replies distinguish empty, absent and nil', async (t) => {
  const types =
    '<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:maxLength value="5"/>' +
    '</xs:restriction></xs:simpleType><xs:complexType name="Inner"><xs:sequence>' +
    `${el('a', 'xs:int', OPTIONAL)}</xs:sequence></xs:complexType>`;
  const nillable = 'minOccurs="0" nillable="true"';
  const content =
    `${el('text', 'xs:string', nillable)}${el('code', 't:Code', nillable)}` +
    `${el('number', 'xs:int', nillable)}${el('inner', 't:Inner', nillable)}`;
  const { ask, sent } = await startDesk(t, desk({ types, reply: content, request: content }));
  const get = async (inside: string): Promise<unknown> => {
    const { data, errors } = await ask('{ get { text code number inner { a } } }', reply(inside));
    t.equal(errors, undefined);
    return data?.['get'];
  };
  const NIL = 'xsi:nil="true"';
  t.same(await get('<t:text/><t:code/><t:number/><t:inner/>'), {
    text: '',
    code: '',
    number: null,
    inner: { a: null },
  });
  t.same(await get(''), { text: null, code: null, number: null, inner: null });
  t.same(await get(`<t:text ${NIL}/><t:code ${NIL}/><t:number ${NIL}/><t:inner ${NIL}/>`), {
    text: null,
    code: null,
    number: null,
    inner: null,
  });
  await ask('{ get(text: "", code: null, inner: {}) { text } }', reply(''));
  t.match(
    sent(),
    /<(\w+):Get><\1:text(?:\/>|><\/\1:text>)<\1:code \w+:nil="true"(?:\/>|><\/\1:code>)<\1:inner(?:\/>|><\/\1:inner>)<\/\1:Get>/,
  );
});

t.test('case 13: dates keep their zone, or the lack of one, and every digit', async (t) => {
  const content =
    el('at', 'xs:dateTime', MANY) + el('day', 'xs:date', MANY) + el('clock', 'xs:time', MANY);
  const { ask, sent } = await startDesk(t, desk({ reply: content, request: content }));
  const at = ['2024-01-15T10:30:00', '2024-01-15T10:30:00.120+02:00', '2024-01-15T10:30:00Z'];
  const day = ['2015-03-26+01:00', '2015-03-26', '2015-03-26Z'];
  const clock = ['10:30:00', '10:30:00.5-05:00'];
  const elements = [
    at.map((v) => `<t:at>${v}</t:at>`),
    day.map((v) => `<t:day>${v}</t:day>`),
    clock.map((v) => `<t:clock>${v}</t:clock>`),
  ];
  const query =
    'query ($at: [DateTime!], $day: [Date!], $clock: [Time!]) { get(at: $at, day: ' +
    '$day, clock: $clock) { at day clock } }';
  t.same(await ask(query, reply(elements.flat().join('')), { at, day, clock }), {
    data: { get: { at, day, clock } },
  });
  for (const value of [...at, ...day, ...clock]) t.ok(sent().includes(`>${value}<`), value);
});

t.test(
  'case 14: numbers keep every digit, and text that looks like a number stays text',
  async (t) => {
    const content =
      `${el('serial', 'xs:long')}${el('big', 'xs:integer')}${el('total', 'xs:decimal')}` +
      `${el('zip', 'xs:string')}${el('account', 'xs:string')}`;
    const { ask, sent } = await startDesk(t, desk({ reply: content, request: content }));
    const values = {
      serial: '9007199254740993',
      big: '123456789012345678901234567890',
      total: '100.10',
      zip: '00123',
      account: '1e5',
    };
    const inside = Object.entries(values)
      .map(([name, value]) => `<t:${name}>${value}</t:${name}>`)
      .join('');
    const query =
      'query ($serial: Long!, $big: BigInt!, $total: Decimal!) { get(serial: $serial, big: ' +
      '$big, total: $total, zip: "00123", account: "1e5") { serial big total zip account } }';
    t.same(await ask(query, reply(inside), values), { data: { get: values } });
    for (const value of Object.values(values)) t.ok(sent().includes(`>${value}<`), value);
  },
);

t.test(
  'case 15: attributes are read and written, and text with attributes has one shape',
  async (t) => {
    const types = `<xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">\
<xs:attribute name="currency" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
<xs:complexType name="Order"><xs:sequence>${el('price', 't:Price')}</xs:sequence>\
<xs:attribute name="id" type="xs:int" use="required"/></xs:complexType>`;
    const content = el('order', 't:Order', MANY);
    const { ask, sent } = await startDesk(t, desk({ types, reply: content, request: content }));
    const inside =
      '<t:order id="7"><t:price currency="EUR">1.50</t:price></t:order><t:order id="8">' +
      '<t:price>2</t:price></t:order>';
    t.same(
      await ask(
        '{ get(order: [{ id: 7, price: { value: "1.50", currency: "EUR" } }, { id: 8, price: ' +
          '{ value: 2 } }]) { id price { value currency } } }',
        reply(inside),
      ),
      {
        data: {
          get: [
            { id: 7, price: { value: '1.50', currency: 'EUR' } },
            { id: 8, price: { value: '2', currency: null } },
          ],
        },
      },
    );
    t.match(
      sent(),
      /<(\w+):order id="7"><\1:price currency="EUR">1\.50<\/\1:price><\/\1:order><\1:order id="8"><\1:price>2<\/\1:price><\/\1:order>/,
    );
  },
);

t.test(
  'case 16: elements go out in the order of the schema, those of the base first; ' +
    'a repeated choice as given',
  async (t) => {
    const types = `<xs:complexType name="Base"><xs:sequence>${el('b1', 'xs:int')}\
${el('b2', 'xs:int')}</xs:sequence></xs:complexType>
<xs:complexType name="Middle"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>\
${el('m', 'xs:int')}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Leaf"><xs:complexContent><xs:extension base="t:Middle"><xs:sequence>\
${el('a', 'xs:int')}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
    const { ask, sent } = await startDesk(t, desk({ types, request: el('leaf', 't:Leaf') }));
    await ask('{ get(leaf: { a: 4, m: 3, b2: 2, b1: 1 }) }', reply('<t:result/>'));
    t.match(sent(), /b1>1<.*b2>2<.*m>3<.*a>4</);
  },
);

t.test(
  'case 17: xsi:type is resolved by its QName, whatever its prefix; an abstract type has no values',
  async (t) => {
    const types = `<xs:complexType name="Payment" abstract="true"><xs:sequence>\
${el('amount', 'xs:decimal')}</xs:sequence></xs:complexType>
<xs:complexType name="Card"><xs:complexContent><xs:extension base="t:Payment"><xs:sequence>\
${el('last4', 'xs:string')}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
    const { ask } = await startDesk(
      t,
      desk({ types, reply: el('payment', 't:Payment', OPTIONAL) }),
    );
    const query = '{ get { __typename amount ... on Card { last4 } } }';
    const paid = (attributes: string): string =>
      reply(`<t:payment ${attributes}><t:amount>1.0</t:amount><t:last4>0042</t:last4></t:payment>`);
    for (const attributes of [
      'xsi:type="t:Card"',
      'xsi:type="q1:Card" xmlns:q1="urn:t"',
      'xsi:type=" Card " xmlns="urn:t"',
    ]) {
      t.same(await ask(query, paid(attributes)), {
        data: { get: { __typename: 'Card', amount: '1.0', last4: '0042' } },
      });
    }
    for (const attributes of [
      '',
      'xsi:type="t:Nothing"',
      'xsi:type="xs:string"',
      'xsi:type="Card" xmlns="urn:other"',
    ]) {
      const { data, errors } = await ask(query, paid(attributes));
      t.same(data, { get: null }, attributes);
      t.match(errors, [{ path: ['get'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }]);
    }
  },
);

t.test(
  'case 18: a character that is cut between two packets survives, and a long reply ' +
    'does not fill the memory',
  async (t) => {
    const { backend, gateway } = await startDesk(t, desk({ reply: el('word', 'xs:string', MANY) }));
    const words = ['é', '€', '😀', 'naïve'];
    const body = Buffer.from(
      envelope(reply(words.map((word) => `<t:word>${word}</t:word>`).join(''))),
    );
    backend.answer = (_, response) => {
      response.writeHead(200, { 'content-type': MEDIA['1.1'] });
      for (const byte of body) response.write(Buffer.of(byte));
      response.end();
    };
    t.same(await graphql(gateway, '{ get }'), { data: { get: words } });

    const filler = Buffer.from(`<t:other>${'x'.repeat(64 * 1024)}</t:other>`);
    const [begin = '', end = ''] = envelope(reply('<t:word>only</t:word>|')).split('|');
    backend.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': MEDIA['1.1'] });
      response.write(begin);
      for (let n = 0; n < 120; n++) {
        if (!response.write(filler))
          await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(end);
    };
    const before = process.memoryUsage().rss;
    t.match(await graphql(gateway, '{ get }'), { data: { get: ['only'] } });
    t.ok(process.memoryUsage().rss - before < 48 * 1024 * 1024, '7.5 MiB went by');
    t.match(
      await gateway.metrics(),
      /soapstone_bytes_total\{route="graphql",operation="query",direction="skipped"\} 7\d{6}/,
    );
  },
);

t.test(
  'case 21: an attachment that is referred to is its bytes, or a clear error, never nothing',
  async (t) => {
    const { backend, gateway } = await startDesk(t, desk({ reply: el('file', 'xs:base64Binary') }));
    const root = envelope(
      reply(
        '<t:file><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a@b"/>' +
          '</t:file>',
      ),
    );
    const parts = [
      '--B\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\n' +
        `Content-ID: <root@b>\r\n\r\n${root}\r\n`,
      '--B\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n' +
        'Content-ID: <a@b>\r\n\r\nhello\r\n--B--\r\n',
    ];
    const type =
      'multipart/related; boundary=B; type="application/xop+xml"; ' +
      'start="<root@b>"; start-info="text/xml"';
    backend.answer = answerWith(parts.join(''), type);
    const answer = await graphql(gateway, '{ get }');
    const isGiven = Object(answer.data)['get'] === Buffer.from('hello').toString('base64');
    t.ok(isGiven || answer.errors?.[0]?.extensions['code'] !== undefined, JSON.stringify(answer));
  },
);

const XOP = 'http://www.w3.org/2004/08/xop/include';

/** A package with this envelope, and a part `a@b`. */
const packaged = (
  root: string,
  type: 'application/xop+xml' | 'text/xml',
): readonly [string, string] => {
  const info = type === 'text/xml' ? '' : '; type="text/xml"';
  const start = type === 'text/xml' ? '' : '; start-info="text/xml"';
  return [
    `--B\r\nContent-Type: ${type}; charset=UTF-8${info}\r\nContent-ID: <root@b>\r\n\r\n` +
      `${root}\r\n--B\r\nContent-Type: image/png; name=x\r\nContent-Transfer-Encoding: ` +
      'binary\r\nContent-ID: <a@b>\r\n\r\nhello\r\n--B--\r\n',
    `multipart/related; boundary=B; type="${type}"; start="<root@b>"${start}`,
  ];
};

t.test(
  'an Include is the bytes it refers to wherever base64 or the Include itself is declared',
  async (t) => {
    const types = `<xs:complexType name="Plain"><xs:sequence><xs:element ref="x:Include"/>\
</xs:sequence></xs:complexType>
    <xs:complexType name="Typed"><xs:simpleContent><xs:extension base="xs:base64Binary">\
<xs:attribute name="kind"/></xs:extension></xs:simpleContent></xs:complexType>`;
    const content = el('plain', 't:Plain') + el('typed', 't:Typed');
    const head = `xmlns:x="${XOP}"`;
    const { backend, gateway, ask } = await startDesk(t, desk({ types, reply: content, head }));
    const value = Buffer.from('hello').toString('base64');
    const query = '{ get { plain { value } typed { value kind } } }';
    const given = { data: { get: { plain: { value }, typed: { value, kind: 'k' } } } };
    t.same(
      await ask(query, reply(`<t:plain>${value}</t:plain><t:typed kind="k">${value}</t:typed>`)),
      given,
    );
    const include = `<x:Include xmlns:x="${XOP}" href="cid:a@b"/>`;
    for (const [plain, typed] of [
      [include, value],
      [value, include],
    ]) {
      const root = envelope(
        reply(`<t:plain>${plain}</t:plain><t:typed kind="k">${typed}</t:typed>`),
      );
      backend.answer = answerWith(...packaged(root, 'application/xop+xml'));
      t.same(await graphql(gateway, query), given);
    }
  },
);

t.test('an argument whose schema declares the Include itself is sent as one', async (t) => {
  const types =
    '<xs:complexType name="File"><xs:sequence><xs:element ref="x:Include"/>' +
    '</xs:sequence></xs:complexType>';
  const optional = '<xs:element name="content" type="t:File" minOccurs="0"/>';
  const request =
    `<xs:element name="name" type="xs:string" minOccurs="0"/>${optional}` +
    '<xs:element name="more" minOccurs="0"><xs:complexType><xs:sequence>' +
    `${optional}</xs:sequence></xs:complexType></xs:element>`;
  const wsdl = desk({ types, request, reply: optional, head: `xmlns:x="${XOP}"` });
  const { backend, ask } = await startDesk(t, wsdl);
  const answer = reply('<t:content>aGVsbG8=</t:content>');
  t.same(
    await ask('{ get(name: "a") { value } }', answer),
    { data: { get: { value: 'aGVsbG8=' } } },
    'without it',
  );
  t.match(backend.complete.at(-1)?.headers['content-type'], /^text\/xml/);
  for (const argument of ['content: { value: "AAEC" }', 'more: { content: { value: "AAEC" } }']) {
    t.same(await ask(`{ get(${argument}) { value } }`, answer), {
      data: { get: { value: 'aGVsbG8=' } },
    });
    const message = backend.complete.at(-1);
    t.match(message?.headers['content-type'], /^multipart\/related; type="application\/xop\+xml"/);
    t.match(
      message?.body.toString('latin1'),
      /<n1:content><xop:Include href="cid:[^"]+"\/><\/n1:content>.*\r\n\r\n\0\x01\x02\r\n--/s,
    );
  }
  const folder = t.testdir({ 'in.wsdl': wsdl });
  const options = { fetch: null, root: null, hosts: [] };
  const { services } = await readWsdl(`${folder}/in.wsdl`, options);
  t.match(services[0]?.ports[0]?.operations, [{ status: 'ok', reasons: [] }]);
});

t.test(
  'a swaRef is a data URL of the part it names; any other URI is as it is written',
  async (t) => {
    const schemas = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd">
    <xs:import namespace="http://ws-i.org/profiles/basic/1.1/xsd"/><xs:element name="Get">\
<xs:complexType/></xs:element>
    <xs:element name="GetResponse"><xs:complexType><xs:sequence>\
<xs:element name="file" type="r:swaRef" maxOccurs="unbounded"/></xs:sequence></xs:complexType>\
</xs:element></xs:schema>`;
    const { backend, gateway, ask } = await startDesk(t, desk({ schemas }));
    const refs = reply(
      ' cid:a@b | cid:none@b | http://h/x '
        .split('|')
        .map((ref) => `<t:file>${ref}</t:file>`)
        .join(''),
    );
    t.same(await ask('{ get }', refs), { data: { get: ['cid:a@b', 'cid:none@b', 'http://h/x'] } });
    backend.answer = answerWith(...packaged(envelope(refs), 'text/xml'));
    const url = `data:image/png;base64,${Buffer.from('hello').toString('base64')}`;
    t.same(await graphql(gateway, '{ get }'), { data: { get: [url, 'cid:none@b', 'http://h/x'] } });
  },
);

t.test('base64 in a reply is bounded as attachments are, other texts as texts', async (t) => {
  const { ask } = await startDesk(
    t,
    desk({ reply: el('file', 'xs:base64Binary') + el('text', 'xs:string') }),
  );
  const long = Buffer.alloc(3 * 1024 * 1024, 'x');
  const lines = long.toString('base64').replaceAll(/.{76}/g, '$&\n');
  const { data } = await ask('{ get { file } }', reply(`<t:file>${lines}</t:file><t:text/>`));
  t.equal((data as { get: { file: string } }).get.file, long.toString('base64'));
  const text = await ask(
    '{ get { text } }',
    reply(`<t:file/><t:text>${long.toString('base64')}</t:text>`),
  );
  t.match(text.errors, [{ extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }]);
  const small = await startDesk(
    t,
    desk({ reply: el('file', 'xs:base64Binary') }),
    'limits: { codec: { attachmentBytes: 6 } }\n',
  );
  t.same(await small.ask('{ get }', reply('<t:file>aGVs bG8h</t:file>')), {
    data: { get: 'aGVsbG8h' },
  });
  t.match((await small.ask('{ get }', reply('<t:file>aGVsbG8haGVs</t:file>'))).errors, [
    { extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } },
  ]);
});

t.test('an element with z:Ref is the element it names, as deep as the query asks', async (t) => {
  const ser = 'http://schemas.microsoft.com/2003/10/Serialization/';
  const schemas = `<xs:schema targetNamespace="${ser}"><xs:attribute name="Id" type="xs:ID"/>\
<xs:attribute name="Ref" type="xs:IDREF"/></xs:schema>
  <xs:schema targetNamespace="urn:t" elementFormDefault="qualified" xmlns:ser="${ser}">\
<xs:import namespace="${ser}"/>
    <xs:complexType name="Person"><xs:sequence><xs:element name="Name" type="xs:string"/>\
<xs:element name="Friend" nillable="true" minOccurs="0" type="t:Person"/>
      <xs:element name="href" minOccurs="0" type="xs:string"/></xs:sequence>\
<xs:attribute ref="ser:Id"/><xs:attribute ref="ser:Ref"/></xs:complexType>
    <xs:element name="Get"><xs:complexType/></xs:element>
    <xs:element name="GetResponse"><xs:complexType><xs:sequence>\
<xs:element name="person" type="t:Person" maxOccurs="unbounded"/></xs:sequence></xs:complexType>\
</xs:element></xs:schema>`;
  const { ask } = await startDesk(t, desk({ schemas }));
  const z = `xmlns:z="${ser}"`;
  const body =
    `<t:person z:Id="i1" ${z}><t:Name>Ann</t:Name><t:Friend z:Id="i2"><t:Name>Bob</t:Name>` +
    `<t:Friend z:Ref="i1" xsi:nil="true"/></t:Friend></t:person><t:person z:Ref="i2" ${z}/>`;
  t.same(
    await ask('{ get { name id friend { name friend { name friend { name } } } } }', reply(body)),
    {
      data: {
        get: [
          {
            name: 'Ann',
            id: 'i1',
            friend: { name: 'Bob', friend: { name: 'Ann', friend: { name: 'Bob' } } },
          },
          {
            name: 'Bob',
            id: 'i2',
            friend: { name: 'Ann', friend: { name: 'Bob', friend: { name: 'Ann' } } },
          },
        ],
      },
    },
  );
  const { errors } = await ask('{ get { name } }', reply(`<t:person z:Ref="i9" ${z}/>`));
  t.match(errors, [{ path: ['get', 0], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
});

t.test(
  'z:Ref that the WSDL does not declare is followed where the configuration says so',
  async (t) => {
    const z = 'xmlns:z="http://schemas.microsoft.com/2003/10/Serialization/"';
    const types =
      '<xs:complexType name="Person"><xs:sequence><xs:element name="Name" type="xs:string" ' +
      'minOccurs="0"/><xs:element name="Friend" nillable="true" minOccurs="0" type="t:Person"/>' +
      '</xs:sequence></xs:complexType>';
    const wsdl = desk({
      types,
      reply: '<xs:element name="person" type="t:Person" maxOccurs="unbounded"/>',
    });
    const body =
      `<t:person z:Id="1" ${z}><t:Name z:Id="2">Ann</t:Name><t:Friend z:Id="3">` +
      '<t:Name z:Ref="2"/><t:Friend z:Ref="1" xsi:nil="true"/></t:Friend></t:person>' +
      `<t:person z:Ref="3" ${z}/>`;
    const query = '{ get { name friend { name friend { name } } } }';
    const followed = await startDesk(t, wsdl, '    dataContractReferences: true\n');
    t.same(await followed.ask(query, reply(body)), {
      data: {
        get: [
          { name: 'Ann', friend: { name: 'Ann', friend: { name: 'Ann' } } },
          { name: 'Ann', friend: { name: 'Ann', friend: { name: 'Ann' } } },
        ],
      },
    });
    const plain = await startDesk(t, wsdl);
    t.match(await plain.ask(query, reply(body)), {
      data: { get: [{ name: 'Ann' }, { name: null }] },
    });
  },
);
