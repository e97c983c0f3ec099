import { isInterfaceType, isObjectType, parse, validateSchema } from 'graphql';
import t from 'tap';
import type { Decoded, ReplyPlan } from '../../src/codec/plan/reply/reply-plan.js';
import { ReplyDecoder } from '../../src/codec/read/decode.js';
import { defaultsOf } from '../../src/core/limit.js';
import { AdmittedDocument } from '../../src/graphql/admission/document-cache.js';
import { planReply } from '../../src/graphql/schema/output/reply-plan.js';
import type { BuiltSchema } from '../../src/graphql/schema/schema.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { desk, startDesk } from '../acceptance/desk.js';
import { decodeReply } from '../codec/plans.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { echoWsdl } from '../wsdl/written.js';
import { builtOf } from './built.js';

const one = (name: string, occurs = ''): string =>
  `<xs:element name="${name}" type="xs:string" ${occurs}/>`;
const MAYBE = 'minOccurs="0"';
const MANY = 'maxOccurs="unbounded"';
const sequence = (occurs: string, ...inner: string[]): string =>
  `<xs:sequence ${occurs}>${inner.join('')}</xs:sequence>`;
const choice = (occurs: string, ...inner: string[]): string =>
  `<xs:choice ${occurs}>${inner.join('')}</xs:choice>`;
const PAIRS = sequence(MANY, one('k'), one('v', MAYBE));

/** The schema for a reply with one element `r` of the type `T`, whose content this is. */
async function schemaOf(content: string, others = ''): Promise<BuiltSchema> {
  const types = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" \
targetNamespace="urn:t" elementFormDefault="qualified">
      <xs:complexType name="T">${content}</xs:complexType>${others}\
<xs:element name="Echo" type="t:T"/>
      <xs:element name="EchoResponse"><xs:complexType><xs:sequence>\
<xs:element name="r" type="t:T"/></xs:sequence></xs:complexType></xs:element></xs:schema>`;
  const built = await builtOf(echoWsdl(types, 'getEcho'));
  const [mistake] = validateSchema(built.schema);
  if (mistake !== undefined) throw mistake;
  return built;
}

function planOf(built: BuiltSchema, selection: string): ReplyPlan {
  const document = parse(`{getEcho${selection}}`);
  const [definition] = document.definitions;
  const node =
    definition?.kind === 'OperationDefinition' ? definition.selectionSet.selections[0] : undefined;
  const bound = built.fields.get('Query.getEcho');
  if (node?.kind !== 'Field' || bound === undefined)
    throw new Error('the operation is not offered');
  return planReply(bound.reply, [node], {
    fragments: new AdmittedDocument(document).fragments,
    variables: {},
  });
}

/** `<k>a</k>` for `k=a`, one after another. */
const message = (elements: string, attributes = ''): Buffer =>
  Buffer.from(
    '<EchoResponse xmlns="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
      `xmlns:t="urn:t"><r${attributes}>` +
      `${elements
        .split(' ')
        .filter((each) => each !== '')
        .map((each) => each.split('='))
        .map(([name, value = '']) => `<${name}>${value}</${name}>`)
        .join('\n')}` +
      '</r></EchoResponse>',
  );

/** The answer, which is the same however the message is cut. */
const answerOf = (plan: ReplyPlan, xml: Buffer): Decoded =>
  assertSplitsAgree(xml, (pieces) => decodeReply(plan, pieces));

t.test('a repeated group is a list of its repetitions', async (t) => {
  const pairs = await schemaOf(PAIRS);
  const ask = (selection: string, elements: string): unknown => {
    const { value, errors } = answerOf(planOf(pairs, selection), message(elements));
    t.same(errors, []);
    return value;
  };
  t.same(ask('{items{k v}}', 'k=a k=b v=x'), {
    items: [
      { k: 'a', v: null },
      { k: 'b', v: 'x' },
    ],
  });
  t.same(
    ask('{items{v}}', 'k=a k=b v=x'),
    { items: [{ v: null }, { v: 'x' }] },
    'what is not asked for tells, too',
  );
  t.same(ask('{a:items{w:v} b:items{__typename k}}', 'k=a v=x k=b'), {
    a: [{ w: 'x' }, { w: null }],
    b: [
      { __typename: 'TItem', k: 'a' },
      { __typename: 'TItem', k: 'b' },
    ],
  });
  t.same(ask('{items{__typename}}', ''), { items: [] });
  t.same(ask('{items{__typename}}', 'k=a k=b'), {
    items: [{ __typename: 'TItem' }, { __typename: 'TItem' }],
  });
});

const CASES: readonly (readonly [string, string, string, string, unknown])[] = [
  [
    'branches of a choice follow one another in repetitions of their own',
    choice(MANY, sequence('', one('a'), one('b')), one('c')),
    '{items{a b c}}',
    'a=1 b=1 c=2 c=3 a=4 b=4',
    {
      items: [
        { a: '1', b: '1', c: null },
        { a: null, b: null, c: '2' },
        { a: null, b: null, c: '3' },
        { a: '4', b: '4', c: null },
      ],
    },
  ],
  [
    'groups within groups, with something before and behind',
    sequence(
      '',
      one('h'),
      sequence(
        `${MAYBE} ${MANY}`,
        one('x'),
        sequence(`${MAYBE} ${MANY}`, one('k'), one('v', MAYBE)),
        one('y', MAYBE),
      ),
      one('z'),
    ),
    '{h items{x y items2{k v}} z}',
    'h=1 x=1 k=a k=b v=c y=1 x=2 x=3 k=d y=3 z=1',
    {
      h: '1',
      items: [
        {
          x: '1',
          y: '1',
          items2: [
            { k: 'a', v: null },
            { k: 'b', v: 'c' },
          ],
        },
        { x: '2', y: null, items2: [] },
        { x: '3', y: '3', items2: [{ k: 'd', v: null }] },
      ],
      z: '1',
    },
  ],
  [
    'an inner group that is full leaves the next to the next repetition',
    sequence(MANY, sequence('maxOccurs="2"', one('k'), one('v', MAYBE)), one('y', MAYBE)),
    '{items{y items2{v}}}',
    'k=1 v=1 k=2 k=3 v=3 y=3',
    {
      items: [
        { y: null, items2: [{ v: '1' }, { v: null }] },
        { y: '3', items2: [{ v: '3' }] },
      ],
    },
  ],
  [
    'pairs of one element, and what alternates, are lists in a repetition',
    sequence(
      MANY,
      one('k'),
      choice(`${MAYBE} ${MANY}`, one('a'), one('b')),
      one('p', 'minOccurs="2" maxOccurs="2"'),
    ),
    '{items{k a b p}}',
    'k=1 a=1 b=1 a=2 p=1 p=2 k=2 p=3 p=4',
    {
      items: [
        { k: '1', a: ['1', '2'], b: ['1'], p: ['1', '2'] },
        { k: '2', a: [], b: [], p: ['3', '4'] },
      ],
    },
  ],
  [
    'an element that stands in two branches',
    choice(MANY, sequence('', one('p'), one('q')), sequence('', one('r'), one('p'))),
    '{items{p q r}}',
    'r=1 p=1 p=2 q=2 r=3 p=3',
    {
      items: [
        { p: '1', q: null, r: '1' },
        { p: '2', q: '2', r: null },
        { p: '3', q: null, r: '3' },
      ],
    },
  ],
  [
    'what alternates in any order is a list each',
    choice(`${MAYBE} ${MANY}`, one('a'), one('b')),
    '{a b}',
    'a=1 b=1 a=2',
    { a: ['1', '2'], b: ['1'] },
  ],
  [
    'a group of which an element stands beside it too is lists',
    sequence('', one('k'), one('s'), sequence(`${MAYBE} ${MANY}`, one('k'), one('v', MAYBE))),
    '{k s v}',
    'k=1 s=1 k=2 v=2',
    { k: ['1', '2'], s: '1', v: ['2'] },
  ],
];

for (const [name, content, selection, elements, expected] of CASES) {
  t.test(name, async (t) => {
    const { value, errors } = answerOf(
      planOf(await schemaOf(content), selection),
      message(elements),
    );
    t.same(errors, []);
    t.same(value, expected);
  });
}

t.test('a group is inherited, restricted, and nothing else has its name', async (t) => {
  const others = `<xs:complexType name="D"><xs:complexContent><xs:extension base="t:T">\
<xs:sequence>${one('items')}${sequence(MANY, one('m'), one('n', MAYBE))}</xs:sequence>\
</xs:extension></xs:complexContent></xs:complexType>
    <xs:complexType name="E"><xs:complexContent><xs:restriction base="t:T"><xs:sequence>${one('k')}\
${one('v', MAYBE)}</xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
    <xs:complexType name="F"><xs:complexContent><xs:extension base="t:E"><xs:sequence>\
${one('w')}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
  const built = await schemaOf(PAIRS, others);
  const fields = Object.keys(
    (
      built.schema.getType('D') as { getFields(): Record<string, unknown> } | undefined
    )?.getFields() ?? {},
  );
  t.same(fields.length, 3);
  const own = fields.filter((each) => each !== 'items');
  const [text = '', group = ''] = own;
  const plan = planOf(built, `{items{k v} ... on D {${text} ${group}{m n}} ... on F{w}}`);
  t.same(answerOf(plan, message('k=1 k=2 items=i m=1 n=1 m=2', ' xsi:type="t:D"')).value, {
    items: [
      { k: '1', v: null },
      { k: '2', v: null },
    ],
    [text]: 'i',
    [group]: [
      { m: '1', n: '1' },
      { m: '2', n: null },
    ],
  });
  t.same(answerOf(plan, message('k=1 v=1 w=2', ' xsi:type="t:F"')).value, {
    items: [{ k: '1', v: '1' }],
    w: '2',
  });
});

t.test(
  'every type derived from one with a repeated group has its list, whatever lies between them',
  async (t) => {
    const derived = (
      name: string,
      step: string,
      base: string,
      content: string,
      mixed = '',
    ): string =>
      `<xs:complexType name="${name}" ${mixed}><xs:complexContent>` +
      `<xs:${step} base="t:${base}">${content}</xs:${step}>` +
      '</xs:complexContent></xs:complexType>';
    const pair = sequence('', one('k'), one('v', MAYBE));
    const fieldsOf = ({ schema }: BuiltSchema, name: string): readonly string[] => {
      const type = schema.getType(name);
      return isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
    };
    const mixed = derived('M', 'extension', 'T', sequence('', one('w')), 'mixed="true"');
    const open = await schemaOf(PAIRS, mixed + derived('R', 'restriction', 'M', pair));
    t.same(fieldsOf(open, 'R'), ['items', 'w', 'text', 'xml'], 'after content of any kind');

    const none = derived('N', 'restriction', 'T', '');
    const again = derived('A', 'extension', 'N', sequence('', one('items'), PAIRS));
    const emptied = await schemaOf(PAIRS, none + again);
    t.same(
      fieldsOf(emptied, 'A'),
      ['items', 'items3'],
      'after no content; an element has another name',
    );

    const single = await schemaOf(pair, none + derived('A', 'extension', 'N', PAIRS));
    t.same(fieldsOf(single, 'A'), ['k', 'v'], 'fields of the base stay fields');
  },
);

t.test('missing members of a repetition are reported at their positions', async (t) => {
  const built = await schemaOf(PAIRS);
  const plan = planOf(built, '{items{k v}}');
  const { value, errors } = answerOf(plan, message('k=a v=1 v=2 k=b'));
  t.same(value, null);
  t.same(errors, [
    {
      code: 'UPSTREAM_SCHEMA_INVALID',
      path: ['items', 1, 'k'],
      rule: 'missing where a value is required',
    },
  ]);
  t.same(answerOf(planOf(built, '{items{v}}'), message('k=a v=1 v=2 k=b')).value, {
    items: [{ v: '1' }, { v: '2' }, { v: null }],
  });
});

t.test('the list of repetitions is bounded', async (t) => {
  const plan = planOf(
    await schemaOf(sequence('', sequence(`${MAYBE} ${MANY}`, one('k'), one('v', MAYBE)), one('z'))),
    '{items{k} z}',
  );
  const { value, errors } = decodeReply(plan, [message('k=1 k=2 v=2 k=3 v=3 z=9')], 2);
  t.same(value, { items: null, z: '9' });
  t.same(errors, [
    { code: 'UPSTREAM_RESPONSE_LIMIT', path: ['items'], rule: 'more items than allowed' },
  ]);
});

t.test('reading may end once something has begun that stands behind the group', async (t) => {
  const plan = planOf(
    await schemaOf(sequence('', sequence(`${MAYBE} ${MANY}`, one('k'), one('v', MAYBE)), one('z'))),
    '{items{k v}}',
  );
  const xml = message('k=1 k=2 v=2 z=9').toString();
  const decoder = new ReplyDecoder(plan, { listItems: 10 });
  const reader = new XmlReader(decoder, defaultsOf(XML_LIMITS));
  reader.begin('utf-8');
  const end = xml.indexOf('9');
  for (const [at, char] of [...xml.slice(0, end)].entries()) {
    reader.write(Buffer.from(char));
    t.equal(decoder.isComplete, at === end - 1, `${at}`);
  }
  t.same(decoder.finish().value, {
    items: [
      { k: '1', v: null },
      { k: '2', v: '2' },
    ],
  });
});

t.test('links start at repetitions, limits hold for them, and they count', async (t) => {
  const types = `<xs:complexType name="T"><xs:sequence maxOccurs="unbounded">\
<xs:element name="k" type="xs:int"/>
    <xs:element name="v" type="xs:string" minOccurs="0"/><xs:element name="sub" type="t:T" \
minOccurs="0"/></xs:sequence></xs:complexType>`;
  const files = { 'desk.wsdl': desk({ types, reply: '<xs:element name="r" type="t:T"/>' }) };
  const shop = await startDesk(
    t,
    files,
    '\nlinks:\n  TItem.other: { operation: desk.Get, arguments: { id: k } }\n' +
      'limits: { graphql: { cost: 1000 } }\n',
  );
  const body =
    '<t:GetResponse><t:r><t:k>7</t:k><t:k>8</t:k><t:v>x</t:v><t:sub><t:k>9</t:k></t:sub>' +
    '</t:r></t:GetResponse>';
  const { data, errors } = await shop.ask(
    '{ get { items { v other { items { k } } sub { items { k } } } } }',
    body,
  );
  t.same(errors, undefined);
  const other = { items: [{ k: 7 }, { k: 8 }] };
  t.same(data, {
    get: {
      items: [
        { v: null, other, sub: null },
        { v: 'x', other, sub: { items: [{ k: 9 }] } },
      ],
    },
  });
  const asked = shop.backend.complete.map(
    ({ body: sent }) => /id>(\d*)</.exec(sent.toString())?.[1] ?? '',
  );
  t.same(asked.sort(), ['', '7', '8']);
  const linked =
    '{ get { items { other { items { sub { items { other { items { k } } } } } } } } }';
  const deep = await shop.ask(linked, body);
  t.match(deep.errors, [{ extensions: { code: 'MAX_COST_LIMIT' } }], 'links below lists are calls');
});

t.test('a mapping says what it can of the list, and hides what is in it', async (t) => {
  const types = `<xs:complexType name="T">${PAIRS}</xs:complexType>`;
  const files = { 'desk.wsdl': desk({ types, reply: '<xs:element name="r" type="t:T"/>' }) };
  const shop = await startDesk(
    t,
    files,
    '    schema: { types: { T: { fields: { k: { name: key }, v: { hide: true }, items: ' +
      '{ description: "Entries." } } } } }\n',
  );
  const query =
    '{ get { items { key } } __type(name: "T") { fields { name description } } item: ' +
    '__type(name: "TItem") { fields { name } } }';
  const { data, errors } = await shop.ask(
    query,
    '<t:GetResponse><t:r><t:k>1</t:k><t:v>2</t:v><t:k>3</t:k></t:r></t:GetResponse>',
  );
  t.same(errors, undefined);
  t.same(data, {
    get: { items: [{ key: '1' }, { key: '3' }] },
    __type: { fields: [{ name: 'items', description: 'Entries.' }] },
    item: { fields: [{ name: 'key' }] },
  });
});
