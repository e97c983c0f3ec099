import { performance } from 'node:perf_hooks';
import { getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { check } from '../../src/cli/check.js';
import { importWsdl } from '../../src/cli/import/import.js';
import { desk, graphql, startDesk } from '../acceptance/desk.js';
import { recordedTerminal } from '../kit/command.js';
import { useFolder } from '../kit/use.js';

/** Types that hundreds of others may stand for: their names are values. */

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => at + 1);

/** Searches as NetSuite has them: one abstract type, and one for each kind of record. */
const SEARCHES = `<xs:complexType name="SearchRecord" abstract="true"/>
${numbers(256)
  .map(
    (at) =>
      `<xs:complexType name="Search${at}"><xs:complexContent><xs:extension base="t:SearchRecord">\
<xs:sequence><xs:element name="name${at}" type="xs:string" minOccurs="0"/>\
<xs:element name="count" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>`,
  )
  .join('')}
<xs:complexType name="Other"><xs:sequence><xs:element name="a" type="xs:string"/>\
</xs:sequence></xs:complexType>`;

/** Events as vSphere has them: each may stand for the first. */
const EVENTS = `<xs:complexType name="Event"><xs:sequence><xs:element name="key" type="xs:int"/>\
</xs:sequence></xs:complexType>
${numbers(436)
  .map(
    (at) =>
      `<xs:complexType name="Event${at}"><xs:complexContent><xs:extension base="t:Event">\
<xs:sequence><xs:element name="what${at}" type="xs:string" minOccurs="0"/></xs:sequence>\
</xs:extension></xs:complexContent></xs:complexType>`,
  )
  .join('')}`;

const WSDL = desk({
  types: SEARCHES + EVENTS,
  request:
    '<xs:element name="search" type="t:SearchRecord"/><xs:element name="event" type="t:Event" ' +
    'minOccurs="0" maxOccurs="unbounded"/>',
  reply: '<xs:element name="event" type="t:Event" minOccurs="0"/>',
});

const QUERY =
  'query ($search: AnyValueInput!, $event: [AnyValueInput!]) { get(search: ' +
  '$search, event: $event) { key } }';
const REPLY = '<t:GetResponse><t:event><t:key>1</t:key></t:event></t:GetResponse>';

t.test('a value of a large family is sent by the name of its type', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const answer = await ask(QUERY, REPLY, {
    search: { type: '{urn:t}Search200', value: { name200: 'Ada', count: 3 } },
    event: [{ value: { key: 1 } }, { type: '{urn:t}Event436', value: { key: 2, what436: 'w' } }],
  });
  t.equal(answer.errors, undefined);
  t.match(
    sent(),
    /<(\w+):search [^>]*type="\1:Search200"[^>]*><\1:name200>Ada<\/\1:name200><\1:count>3<\/\1:count><\/\1:search>/,
  );
  t.match(
    sent(),
    /<(\w+):event><\1:key>1<\/\1:key><\/\1:event><\1:event [^>]*type="\1:Event436"[^>]*><\1:key>2<\/\1:key>/,
  );
});

t.test('its type is checked, and what it holds', async (t) => {
  const { ask, backend } = await startDesk(t, WSDL);
  const good = { type: '{urn:t}Search1', value: { count: 1 } };
  for (const [search, event, problem] of [
    [{ value: { count: 1 } }, null, /type: is needed/],
    [{ type: '{urn:t}Other', value: { a: 'x' } }, null, /one of the 256 types/],
    [{ type: '{urn:t}SearchRecord', value: {} }, null, /one of the 256 types/],
    [
      { type: '{urn:t}Search1', value: { name2: 'x', count: 1 } },
      null,
      /member that its type does not have/,
    ],
    [{ type: '{urn:t}Search1', value: {} }, null, /count/],
    [{ type: '{urn:t}Search1', value: { count: 'many' } }, null, /count/],
    [{ type: '{urn:t}Search1' }, null, /value/],
    [{ type: '{urn:t}Search1', value: null }, null, /must not be null/],
    [good, [{ type: '{urn:t}Search1', value: { count: 1 } }], /one of the 437 types/],
  ] as const) {
    const answer = await ask(QUERY, REPLY, { search, event });
    t.equal(answer.errors?.[0]?.extensions['code'], 'BAD_USER_INPUT', JSON.stringify(search));
    t.match(answer.errors?.[0]?.message, problem);
  }
  t.equal(backend.begun, 0, 'nothing was sent');
});

t.test('the schema tells the types, and is introspected within its limits', async (t) => {
  const { gateway } = await startDesk(t, WSDL);
  const began = performance.now();
  const answer = await graphql(gateway, getIntrospectionQuery());
  t.equal(answer.errors, undefined);
  t.comment(`introspection: ${(performance.now() - began).toFixed()} ms`);
  const about = await graphql(
    gateway,
    '{ __type(name: "Query") { fields { args { name description } } } }',
  );
  const text = JSON.stringify(about.data);
  t.match(text, /one of 256: `\{urn:t\}Search1`/);
  t.match(text, /one of 437:.*Without it, `\{urn:t\}Event`/);
});

t.test(
  '`import` and `check` call an operation partial whose required argument is XML',
  async (t) => {
    const types =
      '<xs:complexType name="Old"><xs:sequence><xs:element name="a" type="xs:string"/>' +
      '</xs:sequence></xs:complexType>';
    const own = desk({ types, request: '<xs:element name="grid" type="t:Grid"/>' }).replace(
      types,
      `${types}<xs:complexType name="Grid"><xs:complexContent>` +
        '<xs:restriction xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" base="e:Array">' +
        '<xs:attribute ref="e:arrayType" xmlns:w="http://schemas.xmlsoap.org/wsdl/" ' +
        'w:arrayType="xs:int[,]"/></xs:restriction></xs:complexContent></xs:complexType>',
    );
    const folder = await useFolder(t, { 'a.wsdl': own });
    const terminal = recordedTerminal();
    const options = {
      directory: `${folder}/made`,
      name: null,
      ports: [],
      force: true,
      json: false,
    };
    await importWsdl(`${folder}/a.wsdl`, options, terminal);
    const partial = /partial[\s\S]*required argument `grid` is XML text/;
    t.match(terminal.printed.lines.join('\n'), partial);
    const checked = recordedTerminal();
    await check(`${folder}/made/soapstone.yaml`, checked);
    t.match(checked.printed.lines.join('\n'), partial, '`check` says the same');
  },
);

t.test('a family whose base has nothing is a union, whichever types derive from it', async (t) => {
  const derived = (name: string, base: string, content: string, more = ''): string =>
    `<xs:complexType name="${name}" ${more}><xs:complexContent><xs:extension base="t:${base}">\
<xs:sequence>${content}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
  const int = (name: string): string => `<xs:element name="${name}" type="xs:int"/>`;
  const wsdl = desk({
    types:
      '<xs:complexType name="Shape" abstract="true"/>' +
      derived('Flat', 'Shape', '', 'abstract="true"') +
      derived('Circle', 'Flat', int('radius')) +
      derived('Square', 'Flat', int('side')) +
      derived('Point', 'Shape', ''),
    request: '<xs:element name="shape" type="t:Shape" minOccurs="0"/>',
    reply:
      '<xs:element name="shape" type="t:Shape" minOccurs="0" maxOccurs="unbounded"/>' +
      '<xs:element name="flat" type="t:Flat" minOccurs="0"/>',
  });
  const { ask, sent } = await startDesk(t, wsdl);
  const shape = (type: string, content: string, name = 'shape'): string =>
    `<t:${name} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="t:${type}">\
${content}</t:${name}>`;
  const shapes = [
    shape('Circle', '<t:radius>1</t:radius>'),
    shape('Point', ''),
    shape('Square', '<t:side>2</t:side>'),
    shape('Circle', '<t:radius>3</t:radius>', 'flat'),
  ];
  const reply = `<t:GetResponse>${shapes.join('')}</t:GetResponse>`;
  const query = `{
    get(shape: { square: { side: 4 } }) {
      shape {
        __typename
        ... on Circle { radius }
        ... on Shape { k: __typename }
        ... on Flat { f: __typename }
        ... on Square { side }
      }
      flat { ... on Circle { radius } ... on Shape { __typename } }
    }
  }`;
  const { data, errors } = await ask(query, reply);
  t.equal(errors, undefined);
  t.same(data, {
    get: {
      shape: [
        { __typename: 'Circle', radius: 1, k: 'Circle', f: 'Circle' },
        { __typename: 'Point', k: 'Point' },
        { __typename: 'Square', k: 'Square', f: 'Square', side: 2 },
      ],
      flat: { radius: 3, __typename: 'Circle' },
    },
  });
  t.match(sent(), /<(\w+):shape [^>]*type="\1:Square"[^>]*><\1:side>4</);
});
