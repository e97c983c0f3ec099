import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type Desk, desk, envelope, startDesk } from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';
import { postGraphql } from '../kit/graphql-client.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';

/** Row B16, fields: every way to a value that the class of a client may not have, or has masked. */

const SECRET = 'DE00SECRET3000';

const TYPES = `<xs:complexType name="Customer"><xs:sequence>\
<xs:element name="name" type="xs:string" minOccurs="0"/><xs:element name="iban" type="xs:string" \
minOccurs="0" maxOccurs="unbounded"/><xs:element name="more" type="xs:anyType" minOccurs="0"/>\
</xs:sequence><xs:attribute name="tax" type="xs:string"/></xs:complexType>
<xs:complexType name="Premium"><xs:complexContent><xs:extension base="t:Customer"><xs:sequence>\
<xs:element name="advisor" type="xs:string" minOccurs="0"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
<xs:complexType name="Holder"><xs:sequence><xs:element name="customer" type="t:Customer" \
minOccurs="0"/><xs:element name="more" type="xs:anyType" minOccurs="0"/></xs:sequence>\
</xs:complexType>
<xs:complexType name="Ibans"><xs:sequence><xs:element name="iban" type="xs:string" minOccurs="0" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="Code"><xs:simpleContent><xs:extension base="xs:string">\
<xs:attribute name="kind" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
<xs:complexType name="Open"><xs:sequence><xs:element name="name" type="xs:string" minOccurs="0"/>\
<xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence></xs:complexType>
<xs:complexType name="Empty"><xs:sequence/></xs:complexType>
<xs:element name="Trouble"><xs:complexType><xs:sequence><xs:element name="v" type="xs:anyType" \
minOccurs="0"/><xs:element name="why" type="xs:string" minOccurs="0"/></xs:sequence>\
</xs:complexType></xs:element>`;

const WSDL = desk({
  types: TYPES,
  fault: 'Trouble',
  reply:
    '<xs:element name="v" type="xs:anyType" minOccurs="0"/>' +
    '<xs:element name="s" type="xs:anySimpleType" minOccurs="0"/>' +
    '<xs:element name="list" type="xs:anyType" minOccurs="0" maxOccurs="unbounded"/>' +
    '<xs:element name="open" type="t:Open" minOccurs="0"/><xs:element name="customer" ' +
    'type="t:Customer" minOccurs="0"/>',
});

const RULES = {
  last4: 'mask: { plain: last4 }',
  hash: 'mask: { plain: hash }',
  null: 'mask: { plain: "null" }',
  remove: 'mask: { plain: remove }',
  scopes: 'scopes: [bank]',
} as const;

const configuration = (rule: string): string => `    faultDetail: unsafe:pass
    schema:
      restrictedReplies: refuse
      types:
        Customer: { fields: { iban: { ${rule} }, tax: { ${rule} } } }
        Ibans: { fields: { iban: { ${rule} } } }
        Code: { fields: { value: { ${rule} } } }
        Trouble: { fields: { why: { ${rule} } } }
subscriptions:
  polled: { poll: { operation: desk.Get, everyMillis: 1000 } }
clients:
  address: { class: plain }
  apiKeys: { clients: { boss: { class: boss, keys: [boss-key-0000000000] } } }
  classes: { plain: {}, boss: { scopes: [bank] } }
`;

const BOSS = { 'x-api-key': 'boss-key-0000000000' };

const CUSTOMER = `<t:name>Ann</t:name><t:iban>${SECRET}</t:iban>`;
const ENCODING = 'xmlns:c="http://schemas.xmlsoap.org/soap/encoding/"';
const APACHE = 'xmlns:m="http://xml.apache.org/xml-soap"';

/** What a reply holds, by case of the table. */
const CONTENTS: Readonly<Record<string, string>> = {
  'a type by xsi:type': `<t:v xsi:type="t:Customer">${CUSTOMER}</t:v>`,
  'a derived type': `<t:v xsi:type="t:Premium">${CUSTOMER}<t:advisor>Bob</t:advisor></t:v>`,
  'within another type': `<t:v xsi:type="t:Holder"><t:customer>${CUSTOMER}</t:customer></t:v>`,
  'any type within a type': `<t:v xsi:type="t:Holder"><t:more xsi:type="t:Customer">\
${CUSTOMER}</t:more></t:v>`,
  'a list of values': `<t:v xsi:type="t:Ibans"><t:iban>${SECRET}</t:iban></t:v>`,
  'the text of a type': `<t:v xsi:type="t:Code" kind="a">${SECRET}</t:v>`,
  'an attribute': `<t:v xsi:type="t:Customer" tax="${SECRET}"><t:name>Ann</t:name></t:v>`,
  'an attribute that is not declared': `<t:v xsi:type="t:Customer" other="${SECRET}"/>`,
  'an element that is not declared': `<t:v xsi:type="t:Customer"><t:other>${SECRET}</t:other></t:v>`,
  'text between elements': `<t:v xsi:type="t:Customer">${SECRET}<t:name>Ann</t:name></t:v>`,
  'another type for the field':
    '<t:v xsi:type="t:Customer"><t:iban xsi:type="t:Holder"><t:more>' +
    `${SECRET}</t:more></t:iban></t:v>`,
  'a simple type for an object': `<t:v xsi:type="xs:string"><t:iban>${SECRET}</t:iban></t:v>`,
  'no type': `<t:v>${CUSTOMER}</t:v>`,
  'a type that is not known': `<t:v xsi:type="t:Unknown">${CUSTOMER}</t:v>`,
  'a struct of typed parts': `<t:v ${ENCODING} xsi:type="c:Struct"><iban xsi:type="xs:string">\
${SECRET}</iban></t:v>`,
  'an encoded array':
    `<t:v ${ENCODING} xsi:type="c:Array" c:arrayType="t:Customer[1]"><item>` +
    `${CUSTOMER}</item></t:v>`,
  'an array of any types':
    `<t:v ${ENCODING} xsi:type="c:Array" c:arrayType="xs:anyType[2]">` +
    `<item xsi:type="t:Customer">${CUSTOMER}</item><item>${CUSTOMER}</item></t:v>`,
  'a map':
    `<t:v ${APACHE} xsi:type="m:Map"><item><key xsi:type="xs:string">iban</key>` +
    `<value xsi:type="xs:string">${SECRET}</value></item></t:v>`,
  'items of any type':
    `<t:list xsi:type="t:Customer">${CUSTOMER}</t:list><t:list>` + `${CUSTOMER}</t:list>`,
  'parts where text should be': `<t:s><t:iban>${SECRET}</t:iban></t:s>`,
  'elements of xs:any':
    `<t:open><t:name>Ann</t:name><t:customer xsi:type="t:Customer">${CUSTOMER}</t:customer>` +
    `<t:iban>${SECRET}</t:iban></t:open>`,
  'the field itself': `<t:customer tax="${SECRET}">${CUSTOMER}</t:customer>`,
};

const ALL =
  'v { type value xml } s { type value xml } list { value xml } open { name any { name type ' +
  'value xml } } customer { name iban tax ... on Premium { iban } }';

/** Documents for one secret, by case of the table. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'aliases of fields': '{ get { w: v { a: value b: xml c: value } } }',
  'fragments of a value':
    '{ get { v { ...A ...{ value } } } } fragment A on AnyValue { ...B } fragment B on ' +
    'AnyValue { xml value }',
  'behind @include':
    'query ($yes: Boolean! = true, $no: Boolean = false) { get { v { value @include(if: ' +
    '$yes) xml @skip(if: $no) } } }',
  'variables and directives of fragments':
    'query ($yes: Boolean! = true) { get { ... @include(if: $yes) { v { ...A @skip(if: ' +
    'false) } } } } fragment A on AnyValue { value xml }',
  'beside introspection':
    '{ __schema { types { name fields { name } } } get { __typename v { __typename value xml } } }',
  'two fields of one operation': '{ one: get { v { type } } two: get { v { value xml } } }',
};

const isWithheld = (t: Test, text: string, name: string): void => {
  t.notMatch(text, SECRET, name);
  t.notMatch(text, 'SECRET', name);
  t.match(text, '"data":', `${name}: an answer`);
};

/** Fields that are forbidden or masked, whatever way a value could come. */
export async function fieldRights(t: Test, rows: Rows): Promise<void> {
  const withheld = 'withheld from the class, and from no other';
  const home = await useFolder(t);
  for (const [kind, rule] of Object.entries(RULES)) {
    const audit = join(home, `${kind}.log`);
    const started = await startDesk(
      t,
      { 'desk.wsdl': WSDL },
      `${configuration(rule)}audit: { file: "${audit}" }\n`,
    );
    const warnings = started.gateway.compiled().warnings.map(({ what }) => what);
    t.match(
      warnings.join(),
      /replies of `Get` may hold content that the WSDL does not describe/,
      'check says so',
    );
    const ask = async (query: string, headers: Readonly<Record<string, string>>): Promise<string> =>
      (await postGraphql(started.gateway.url, { query }, headers)).text();
    for (const [name, content] of Object.entries(CONTENTS)) {
      t.equal(rows.answer('B16', name), withheld);
      started.backend.answer = answerWith(envelope(`<t:GetResponse>${content}</t:GetResponse>`));
      isWithheld(t, await ask(`{ get { ${ALL} } }`, {}), `${kind}: ${name}`);
      t.match(await ask(`{ get { ${ALL} } }`, BOSS), SECRET, `${kind}: ${name}, for another class`);
    }
    started.backend.answer = answerWith(
      envelope(`<t:GetResponse>${CONTENTS['a type by xsi:type']}</t:GetResponse>`),
    );
    for (const [name, document] of Object.entries(DOCUMENTS)) {
      t.equal(rows.answer('B16', name), withheld);
      isWithheld(t, await ask(document, {}), `${kind}: ${name}`);
      t.match(await ask(document, BOSS), SECRET, `${kind}: ${name}, for another class`);
    }
    const recorded = (): readonly string[] =>
      existsSync(audit) ? readFileSync(audit, 'utf8').trim().split('\n') : [];
    const answer = await postGraphql(started.gateway.url, {
      query: '{ get { v { type value } } }',
    });
    t.match(await answer.text(), '"name":"Ann"', 'what is open is shown');
    const id = `"id":"${answer.headers.get('x-request-id')}"`;
    const found = (): string | undefined => recorded().find((line) => line.includes(id));
    await until(() => found() !== undefined);
    t.match(found(), '"decision":"masked"', 'and recorded');
    await transports(t, started, rows);
    await faultsAndSoap(t, started, rows);
  }
}

/** The same by every transport: the answers of two classes that ask at once. */
async function transports(t: Test, { gateway }: Desk, rows: Rows): Promise<void> {
  const query = '{ get { v { value xml } } }';
  const both = async (
    name: string,
    ask: (headers: Readonly<Record<string, string>>) => Promise<string>,
  ) => {
    t.equal(rows.answer('B16', name), 'withheld from the class, and from no other');
    const [plain = '', boss = ''] = await Promise.all([ask({}), ask(BOSS)]);
    isWithheld(t, plain, name);
    t.match(boss, SECRET, name);
  };
  const url = `${gateway.url}/graphql?query=${encodeURIComponent(query)}`;
  await both('by GET', async (headers) =>
    (await fetch(url, { headers: { accept: 'application/json', ...headers } })).text(),
  );
  const event = async (
    document: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const leaving = new AbortController();
    const accept = { accept: 'text/event-stream', ...headers };
    const response = await postGraphql(gateway.url, { query: document }, accept, leaving.signal);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (/data: \S/.test(text)) break;
    }
    leaving.abort();
    return text;
  };
  await both('by server-sent events', (headers) => event(query, headers));
  await both('an event of a subscription', (headers) =>
    event('subscription { polled { v { value xml } } }', headers),
  );
  await both('by WebSocket', async (headers) => {
    const socket = new WebSocket(
      `${gateway.url.replace('http', 'ws')}/graphql`,
      ['graphql-transport-ws'],
      { headers },
    );
    const text = await new Promise<string>((resolve, reject) => {
      socket.on('error', reject).on('open', () => socket.send('{"type":"connection_init"}'));
      socket.on('message', (data) => {
        const message = String(data);
        if (message.includes('"connection_ack"'))
          socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
        else if (/"type":"(?:next|error)"/.test(message)) resolve(message);
      });
    });
    socket.close();
    return text;
  });
}

/** Details of Faults, and the replies of SOAP. */
async function faultsAndSoap(t: Test, { gateway, backend }: Desk, rows: Rows): Promise<void> {
  const fault = (detail: string): string =>
    envelope(
      '<S:Fault><faultcode>S:Server</faultcode><faultstring>no</faultstring><detail>' +
        `${detail}</detail></S:Fault>`,
    );
  for (const [name, detail] of Object.entries({
    'a declared Fault': `<t:Trouble><t:v xsi:type="t:Customer">${CUSTOMER}</t:v>\
<t:why>full</t:why></t:Trouble>`,
    'a declared Fault without types': `<t:Trouble><t:v>${CUSTOMER}</t:v></t:Trouble>`,
    'a field of a Fault whose type has no name': `<t:Trouble><t:why>${SECRET}</t:why></t:Trouble>`,
    'a Fault that is not declared': `<t:Customer>${CUSTOMER}</t:Customer>`,
  })) {
    t.equal(rows.answer('B16', name), 'withheld from the class, and from no other');
    backend.answer = answerWith(fault(detail), 'text/xml', 500);
    const ask = async (headers = {}): Promise<string> =>
      (await postGraphql(gateway.url, { query: '{ get { v { value } } }' }, headers)).text();
    const plain = await ask();
    t.notMatch(plain, 'SECRET', name);
    t.match(plain, 'SOAP_FAULT', name);
    t.match(await ask(BOSS), SECRET, name);
  }
  backend.answer = answerWith(envelope(`<t:GetResponse>${CONTENTS['no type']}</t:GetResponse>`));
  const heard = backend.begun;
  const soap = (headers: Readonly<Record<string, string>>) =>
    sendRaw(
      gateway.url,
      post('/soap/desk', 'text/xml', envelope('<t:Get/>'), {
        SOAPAction: '"urn:t/Get"',
        ...headers,
      }),
    );
  expectAnswer(
    t,
    await soap({}),
    rows.answer('B16', 'a reply of any type, by SOAP'),
    '1.1',
    'SOAP',
  );
  t.equal(backend.begun, heard, 'the backend does not hear of it');
  t.match((await soap(BOSS)).body, SECRET);
}
