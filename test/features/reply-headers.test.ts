import t, { type Test } from 'tap';
import {
  type Desk,
  desk,
  envelope,
  graphql,
  startDesk,
  unstartedDesk,
} from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { problemsOf } from '../kit/configuration.js';
import { MEDIA } from '../kit/envelope.js';
import { useFolder } from '../kit/use.js';

const WSDL = desk({
  types: `<xs:element name="SessionHeader"><xs:complexType><xs:sequence>\
<xs:element name="id" type="xs:string"/><xs:element name="left" type="xs:int" minOccurs="0"/>\
</xs:sequence></xs:complexType></xs:element>
<xs:element name="Warnings" type="t:Warnings"/><xs:complexType name="Warnings"><xs:sequence>\
<xs:element name="item" type="t:Warning" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType>
<xs:complexType name="Warning"><xs:sequence><xs:element name="text" type="xs:string"/>\
</xs:sequence></xs:complexType>
<xs:complexType name="Serious"><xs:complexContent><xs:extension base="t:Warning"><xs:sequence>\
<xs:element name="code" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
<xs:element name="Undeclared" type="xs:date"/>`,
  messages:
    '<message name="Head"><part name="s" element="t:SessionHeader"/>' +
    '<part name="w" element="t:Warnings"/></message>',
  output:
    '<soap:header message="t:Head" part="s" use="literal"/><soap:header message="t:Head" ' +
    'part="w" use="literal"/>',
});

const SESSION = '<t:SessionHeader><t:id>s1</t:id><t:left>3</t:left></t:SessionHeader>';
const OK = '<t:GetResponse><t:result>ok</t:result></t:GetResponse>';
const TRUE = '    replyHeaders: true\n';

const start = (t: Test, keys: string, wsdl = WSDL): Promise<Desk> => startDesk(t, wsdl, keys);

/** Asks, and the backend answers with these blocks and this body. */
async function ask(
  { backend, gateway }: Desk,
  query: string,
  blocks: string,
  body = OK,
): Promise<unknown> {
  const header = `<S:Header>${blocks}</S:Header>`;
  backend.answer = answerWith(envelope(body).replace('<S:Body>', `${header}$&`), MEDIA['1.1']);
  return graphql(gateway, query);
}

t.test('the result stands alone unless header blocks are asked for', async (t) => {
  const one = await start(t, '');
  t.match(await ask(one, '{ get(id: 1) }', SESSION), { data: { get: 'ok' } });
});

t.test('header blocks of a reply are selected beside its result', async (t) => {
  const one = await start(t, TRUE);
  const query = `{ a: get(id: 1) { __typename result headers { __typename sessionHeader { left id \
} } }
    b: get(id: 2) { headers { warnings { text ... on Serious { code } } } again: headers { s: \
sessionHeader { id } } same: result } }`;
  const warnings =
    '<t:Warnings><t:item><t:text>old</t:text></t:item><t:item xsi:type="t:Serious">' +
    '<t:text>late</t:text><t:code>7</t:code></t:item></t:Warnings>';
  t.strictSame(
    await ask(
      one,
      query,
      `<x:Other xmlns:x="urn:x"><t:id>no</t:id></x:Other>${SESSION}${warnings}`,
    ),
    {
      data: {
        a: {
          __typename: 'GetWithHeaders',
          result: 'ok',
          headers: { __typename: 'SessionWarningsHeaders', sessionHeader: { left: 3, id: 's1' } },
        },
        b: {
          headers: { warnings: [{ text: 'old' }, { text: 'late', code: 7 }] },
          again: { s: { id: 's1' } },
          same: 'ok',
        },
      },
    },
  );
});

t.test(
  'a block that is absent is null, one that breaks its schema is null with an error',
  async (t) => {
    const one = await start(t, TRUE);
    const query =
      '{ get(id: 1) { result headers { sessionHeader { id left } warnings { text } } } }';
    t.strictSame(await ask(one, query, ''), {
      data: { get: { result: 'ok', headers: { sessionHeader: null, warnings: null } } },
    });
    t.match(await ask(one, query, '<t:SessionHeader><t:left>many</t:left></t:SessionHeader>'), {
      data: { get: { result: 'ok', headers: { sessionHeader: null } } },
      errors: [
        {
          path: ['get', 'headers', 'sessionHeader', 'left'],
          extensions: { code: 'UPSTREAM_SCHEMA_INVALID' },
        },
        {
          path: ['get', 'headers', 'sessionHeader', 'id'],
          extensions: { code: 'UPSTREAM_SCHEMA_INVALID' },
        },
      ],
    });
    t.match(await ask(one, query, SESSION + SESSION), {
      data: { get: { headers: { sessionHeader: { id: 's1' } } } },
      errors: [{ path: ['get', 'headers', 'sessionHeader'] }],
    });
  },
);

t.test(
  'blocks that the WSDL does not bind are named, and shown as XML where it has no element for them',
  async (t) => {
    const one = await start(t, '    replyHeaders: ["{urn:t}Undeclared", "{urn:x}Trace"]\n');
    const query = '{ get(id: 1) { headers { undeclared trace } } }';
    const blocks =
      '<t:Undeclared>2024-02-29</t:Undeclared><x:Trace xmlns:x="urn:x"><x:id>7</x:id></x:Trace>';
    t.strictSame(await ask(one, query, blocks), {
      data: {
        get: {
          headers: { undeclared: '2024-02-29', trace: '<Trace xmlns="urn:x"><id>7</id></Trace>' },
        },
      },
    });
  },
);

t.test(
  'an operation decides for itself, and links, Faults as data and empty results keep their forms',
  async (t) => {
    const none = await start(t, `${TRUE}    operations: { Get: { replyHeaders: false } }\n`);
    t.match(await ask(none, '{ get(id: 1) }', SESSION), { data: { get: 'ok' } });
    const one = await start(t, '    operations: { Get: { replyHeaders: [SessionHeader] } }\n');
    t.match(await ask(one, '{ get(id: 1) { result headers { sessionHeader { id } } } }', SESSION), {
      data: { get: { result: 'ok', headers: { sessionHeader: { id: 's1' } } } },
    });
    const empty = WSDL.replace('<xs:element name="result" type="xs:string"/>', '');
    const done = await start(t, TRUE, empty);
    t.match(
      await ask(
        done,
        '{ get(id: 1) { result headers { sessionHeader { id } } } }',
        SESSION,
        '<t:GetResponse/>',
      ),
      {
        data: { get: { result: true, headers: { sessionHeader: { id: 's1' } } } },
      },
    );
    const faults = desk({
      types:
        '<xs:element name="Bad"><xs:complexType><xs:sequence>' +
        '<xs:element name="why" type="xs:string"/></xs:sequence></xs:complexType></xs:element>' +
        '<xs:element name="Session" type="xs:string"/>',
      fault: 'Bad',
    });
    const keys = '    operations: { Get: { faults: union, replyHeaders: ["{urn:t}Session"] } }\n';
    const union = await start(t, keys, faults);
    const query =
      '{ get(id: 1) { ... on GetWithHeaders { result headers { session } } ... on Bad { why } } }';
    t.match(await ask(union, query, '<t:Session>s</t:Session>'), {
      data: { get: { result: 'ok', headers: { session: 's' } } },
    });
    const fault =
      '<S:Fault><faultcode>S:Client</faultcode><faultstring>no</faultstring><detail><t:Bad>' +
      '<t:why>x</t:why></t:Bad></detail></S:Fault>';
    t.match(await ask(union, query, '<t:Session>s</t:Session>', fault), {
      data: { get: { why: 'x' } },
    });
  },
);

t.test('entries that no reply has are errors of the configuration', async (t) => {
  const refused = async (keys: string, wsdl: string, expected: RegExp): Promise<void> => {
    t.match(await problemsOf(t, unstartedDesk() + keys, { 'desk.wsdl': wsdl }), expected, keys);
  };
  const get = (value: string): string => `    operations: { Get: { replyHeaders: ${value} } }\n`;
  await refused(
    get('[Sessionheader]'),
    WSDL,
    /no header block `Sessionheader` of its reply\.[\s\S]*SessionHeader/,
  );
  await refused(get('true'), desk(), /declares no header blocks of its reply/);
  await refused('    replyHeaders: [SessionHeader]\n', WSDL, /\{namespace\}name/);
});

t.test('the schema names the type after its blocks', async (t) => {
  const folder = await useFolder(t, { 'desk.wsdl': WSDL, 'gateway.yaml': unstartedDesk() + TRUE });
  const { code, all: out } = await runCommand('schema', '-c', `${folder}/gateway.yaml`);
  t.equal(code, 0);
  t.match(
    out,
    /get\(id: Int\): GetWithHeaders[\s\S]*type GetWithHeaders \{\s+result: String\s+headers: SessionWarningsHeaders\s/,
  );
});
