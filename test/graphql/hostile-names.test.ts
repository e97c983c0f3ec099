import { printSchema, validateSchema } from 'graphql';
import t from 'tap';
import type { GraphqlService } from '../../src/graphql/schema/fields/exposure.js';
import { type BuiltSchema, buildSchema } from '../../src/graphql/schema/schema.js';
import { MEMBERS_MAX, MemberTable } from '../../src/graphql/schema/types/members.js';
import { TypeNames } from '../../src/graphql/schema/types/type-names.js';
import type { ComplexType, Operation } from '../../src/wsdl/model.js';
import { plainElement } from '../../src/wsdl/plain.js';
import {
  complex,
  element,
  elements,
  enumeration,
  extension,
  group,
  INT,
  type MutableComplex,
  one,
  operation,
  STRING,
  service,
} from './models.js';

function built(operations: readonly Operation[], about: Partial<GraphqlService> = {}): BuiltSchema {
  const made = buildSchema([service(operations, about)]);
  t.same(validateSchema(made.schema), []);
  return made;
}

const local = (
  uri: string,
  name: string,
  ...particles: Parameters<typeof elements>
): MutableComplex => complex(name, elements(...particles), { name: { uri, local: name } });

t.test(
  'types of one name in different namespaces have names of their own, by their namespace (case 5)',
  async (t) => {
    const types = [
      local('http://shop.example/billing/v2', 'Customer', one('a', INT)),
      local('http://shop.example/delivery/v2/', 'Customer', one('b', INT)),
      local('urn:x:2:y', 'Customer', one('c', INT)),
      local('http://shop.example/delivery', 'Customer', one('d', INT)),
      local('', 'Customer', one('e', INT)),
    ];
    const { schema, warnings } = built([
      operation(
        'Get',
        [],
        types.map((type, index) => one(`c${index}`, type)),
      ),
    ]);
    const text = printSchema(schema);
    t.match(text, 'type Customer {\n  a: Int!');
    t.match(text, 'type DeliveryCustomer {\n  b: Int!');
    t.match(text, 'type ShopCustomer {\n  c: Int!');
    t.match(text, 'type ShopCustomer2 {\n  d: Int!');
    t.match(text, 'type ShopCustomer3 {\n  e: Int!');
    t.equal(warnings.length, 4);
  },
);

t.test('leaving out an operation renames nothing of the others', async (t) => {
  const alpha = local('urn:alpha', 'Item', one('x', INT));
  const beta = local('urn:beta', 'Item', one('y', INT));
  const gamma = local('urn:gamma', 'ItemInput', one('z', INT));
  const shared = complex('', elements(one('s', INT)));
  const named = local('urn:t', 'FindResult', one('n', INT));
  const operations = [
    operation(
      'GetFirst',
      [one('i', alpha), one('shared', shared)],
      [one('i', alpha), one('shared', shared)],
    ),
    operation('GetSecond', [one('i', beta), one('g', gamma)], [one('i', beta), one('j', INT)]),
    operation(
      'GetThird',
      [one('i', alpha), one('g', gamma), one('shared', shared)],
      [one('g', gamma), one('j', INT)],
    ),
    operation('GetFourth', [one('j', INT)], [one('i', beta), one('shared', shared)]),
    operation('Find', [one('f', named)], [one('i', INT), one('j', INT)]),
    operation('find', [one('j', INT)], [one('f', named), one('j', INT)]),
  ];
  const typesOf = ({ schema }: BuiltSchema): Map<string, string> => {
    const text = printSchema(schema).split('\n\n');
    return new Map(
      text
        .filter((part) => !/^type (Query|Mutation) /.test(part))
        .map((part) => [part.split(' ')[1] ?? '', part]),
    );
  };
  const whole = typesOf(built(operations));
  t.ok(whole.has('BetaItem') && whole.has('BetaItemInput'), [...whole.keys()].join(' '));
  t.match(whole.get('ItemInput'), /x: Int!/);
  for (let left = 1; left < 2 ** operations.length; left++) {
    const hidden = operations.filter((_, at) => (left & (2 ** at)) !== 0).map(({ name }) => name);
    const mapping = new Map(hidden.map((name) => [name, { field: null, hidden: true }]));
    for (const [name, text] of typesOf(built(operations, { mapping })))
      t.equal(text, whole.get(name), `${name} without ${hidden}`);
  }
});

t.test('operations that are not offered take no names', async (t) => {
  const of = (name: string, at: number): GraphqlService => {
    const type = local('urn:x', 'Item', one(`x${at}`, INT));
    const operations = [
      operation(`Get${name}`, [one('i', type)], [one('i', type), one('j', INT)]),
      operation(`Do${name}`, [], []),
    ];
    return { ...service(operations), name };
  };
  const left = { ...of('a', 1), mapping: new Map([['Geta', { field: null, hidden: true }]]) };
  t.match(printSchema(buildSchema([left, of('b', 2)]).schema), /type Item \{\n {2}x2: Int!/);
  t.match(printSchema(buildSchema([of('a', 1), of('b', 2)]).schema), /type BItem \{\n {2}x2: Int!/);
});

t.test(
  'a Fault that is declared by a type without content is named after the Fault, once',
  async (t) => {
    const empty = complex('Empty', elements());
    const failing = (name: string): Operation =>
      operation(name, [], [one('i', INT)], {
        faults: [{ name: 'BadSku', element: plainElement({ uri: '', local: 'fault' }, empty) }],
      });
    const { schema } = built([failing('GetA'), failing('GetB')]);
    const names = Object.keys(schema.getTypeMap()).filter((name) =>
      /Fault|BadSku|Empty/.test(name),
    );
    t.same(names, ['BadSku']);
  },
);

t.test('types with names of GraphQL, of JavaScript and without a name', async (t) => {
  const names = [
    'String',
    'Query',
    'Mutation',
    'ID',
    'Date',
    'XML',
    '__Schema',
    '__proto__',
    'constructor',
    'Ünï-cødé',
    '中文',
    '1st',
    '-',
  ];
  const types = names.map((name) =>
    local('urn:shop', name, one('x', INT), one('__proto__', INT), one('constructor', INT)),
  );
  const { schema, warnings } = built([
    operation(
      '__proto__',
      types.map((type, index) => one(`i${index}`, type)),
      types.map((type, index) => one(`o${index}`, type)),
    ),
    operation('constructor', [], [one('x', INT)]),
  ]);
  const made = Object.keys(schema.getTypeMap());
  for (const name of [
    'ShopString',
    'ShopQuery',
    'ShopDate',
    '_Schema',
    'constructor',
    'Uni_code',
    'u4E2Du6587',
    '_1st',
  ]) {
    t.ok(made.includes(name), name);
  }
  t.ok(warnings.length >= 6);
});

t.test('an XML type that is called like the input of another', async (t) => {
  const foo = complex('Foo', elements(one('a', INT)));
  const input = complex('FooInput', elements(one('b', INT)));
  const { schema } = built([
    operation(
      'Do',
      [one('foo', foo), one('fooInput', input)],
      [one('foo', foo), one('fooInput', input)],
    ),
  ]);
  const names = Object.keys(schema.getTypeMap()).filter((name) => /Foo/.test(name));
  t.same(names.sort(), ['Foo', 'FooInput', 'FooInputInput', 'ShopFooInput']);
});

t.test(
  'ten thousand operations that all want one name get it one after the other (C09)',
  async (t) => {
    const operations = Array.from({ length: 10_000 }, (_, index) =>
      operation(index % 2 === 0 ? 'GetIt' : 'getIt', [], [one('x', INT)], {
        soapAction: String(index),
      }),
    );
    const started = process.cpuUsage();
    const once = [...built(operations).fields.keys()];
    const { user } = process.cpuUsage(started);
    t.ok(user < 5_000_000, `${user} microseconds`);
    t.equal(new Set(once).size, 10_000);
    t.same(once.slice(0, 4), [
      'Query.getIt',
      'Query.shopGetIt',
      'Query.shopGetIt2',
      'Query.shopGetIt3',
    ]);
    t.same([...built(operations).fields.keys()], once, 'and the same again');
  },
);

t.test('very deep types', async (t) => {
  let type = complex('T0', elements(one('end', INT)));
  for (let index = 1; index <= 20_000; index++)
    type = complex(`T${index}`, elements(one('next', type, '?')));
  const { schema } = built([operation('Do', [one('next', type, '?')], [one('next', type)])]);
  t.ok(schema.getType('T0'));
  t.ok(schema.getType('T0Input'));
});

t.test('types that require themselves may be left out, also in very long chains', async (t) => {
  const self = complex('Self', elements());
  const other = complex('Other', elements(one('self', self), one('list', self, '+')));
  self.content = elements(one('other', other), one('x', INT));
  let type = complex('T0', elements(one('end', INT)));
  for (let index = 1; index <= 20_000; index++)
    type = complex(`T${index}`, elements(one('next', type)));
  const { schema, warnings } = built([operation('Do', [one('self', self), one('deep', type)], [])]);
  t.match(
    printSchema(schema),
    /input OtherInput \{\n {2}self: SelfInput\n {2}list: \[SelfInput!\]!/,
  );
  t.match(warnings[0], { what: /OtherInput\.self requires what it is in for ever/ });
  t.equal(warnings.length, 40);
});

t.test('a thousand extensions of one another, and five thousand of one', async (t) => {
  let type = complex('Base', elements(one('x', INT)));
  const base = type;
  for (let index = 0; index < 300; index++)
    type = extension(`Deep${index}`, type, one(`y${index}`, INT, '?'));
  for (let index = 0; index < 5000; index++) base.derived = [...base.derived, flat(index, base)];
  const { schema } = built([operation('Do', [], [one('base', base)])]);
  t.ok(schema.getType('Deep299'));
  t.ok(schema.getType('Wide4999'));
});

t.test(
  'types that inherit more than a schema can have are refused, at the limit that is named',
  async (t) => {
    const names = new TypeNames();
    const members = new MemberTable(
      {
        choices: 'fields',
        nullable: null,
        isEncoded: false,
        knownTypes: [],
        knownElements: [],
        anyTypes: null,
      },
      names.of('shop'),
    );
    const wide = complex(
      'Base',
      elements(...Array.from({ length: 999 }, (_, at) => one(`x${at}`, INT, '?'))),
    );
    for (let at = 0; at < 999; at++) members.of(extension(`Wide${at}`, wide, one('own', INT)));
    members.of(complex('Last', elements(one('x', INT))));
    t.equal(MEMBERS_MAX, 1_000_000);
    t.same(names.findings, [], '999 of the base, 999 times 1,000, and one');
    members.of(extension('Wide999', wide, one('own', INT)));
    t.match(names.findings, [
      { service: 'shop', path: ['wsdl'], what: /have more than 1,000,000 members/ },
    ]);
    t.equal(names.findings.length, 1);

    const started = process.cpuUsage();
    let type = complex('Base', elements(one('x', INT)));
    const base = type;
    for (let at = 0; at < 1800; at++) type = extension(`Deep${at}`, type, one(`y${at}`, INT, '?'));
    const { findings } = buildSchema([
      service([operation('Do', [one('t', type)], [one('base', base)])]),
    ]);
    t.match(findings, [{ path: ['wsdl'] }]);
    t.equal(findings.length, 1);
    const { user } = process.cpuUsage(started);
    t.ok(user < 20_000_000, `${user} microseconds`);
  },
);

const flat = (index: number, base: ComplexType): MutableComplex =>
  complex(`Wide${index}`, base.content, { base, derivation: 'extension' });

t.test(
  'bases without fields, without types that can be sent, with types that have no name',
  async (t) => {
    const empty = complex('Empty', elements(), { abstract: true });
    extension('Full', empty, one('a', INT));
    extension('AlsoEmpty', empty);
    const lonely = complex('Lonely', elements(one('a', INT)), { abstract: true });
    const barren = complex('Barren', elements(), { abstract: true });
    const ghosts = complex('Ghosts', elements(one('a', INT)), { abstract: true });
    const ghost = extension('Ghost', ghosts);
    ghost.abstract = true;
    const named = complex('Named', elements(one('a', INT)));
    const anonymous = { ...extension('', named, one('b', INT)), name: null };
    named.derived = [anonymous];
    const { schema } = built([
      operation(
        'Do',
        [],
        [empty, lonely, barren, ghosts, named, anonymous].map((type, index) =>
          one(`f${index}`, type),
        ),
      ),
    ]);
    const text = printSchema(schema);
    t.match(text, 'union Empty = Full | AlsoEmpty\n');
    t.match(text, 'type Full {\n  a: Int!\n}');
    t.match(text, /type AlsoEmpty \{[^}]*_: Boolean/, 'an object has a field');
    t.match(text, 'type Lonely {\n  a: Int!');
    t.match(text, 'type Named {\n  a: Int!');
    t.match(text, /f2: Boolean/);
    t.notMatch(text, 'implements Named');
  },
);

t.test(
  'recursion through lists, choices, interfaces and wrappers, in both styles of choices',
  async (t) => {
    const node = complex('Node', elements());
    const list = complex('ArrayOfNode', elements(one('Node', node, '*')));
    node.content = elements(
      one('Children', list, '?'),
      group('choice', [one('Left', node), one('Right', node), one('Leaf', STRING)], 0, 1),
      group('choice', [one('Up', node), one('Down', list)], 0, Infinity),
    );
    extension('Twig', node, one('Inner', node, '*'));
    const operations = [operation('Grow', [one('node', node)], [one('node', node)])];
    t.match(printSchema(built(operations).schema), 'left: Node');
    const text = printSchema(built(operations, { choices: 'union' }).schema);
    t.match(text, 'union NodeChoice = NodeLeft | NodeRight | NodeLeaf');
    t.match(text, /choice2: \[NodeChoice2!\]\n/);
  },
);

t.test('enumerations: long ones are text, odd values have names', async (t) => {
  const long = enumeration('Long1', ...Array.from({ length: 5001 }, (_, index) => `v${index}`));
  const odd = enumeration(
    'Odd',
    '',
    ' ',
    'a b',
    'a_b',
    'A B',
    'a  b',
    '>=',
    '<',
    'null',
    '__x',
    '中',
    'x'.repeat(500),
  );
  const { schema, warnings } = built([operation('Get', [], [one('long', long), one('odd', odd)])]);
  t.match(printSchema(schema), 'long: String!');
  const enumType = schema.getType('Odd');
  const values =
    enumType !== undefined && 'getValues' in enumType
      ? enumType.getValues().map(({ name }: { name: string }) => name)
      : [];
  t.same(values.slice(0, 11), [
    'EMPTY',
    'SPACE',
    'a_b2',
    'a_b',
    'A_B',
    'a__b',
    'GREATER_EQUAL',
    'LESS',
    '_null',
    '_x',
    'u4E2D',
  ]);
  t.match(warnings, [{ what: /too many values/ }, { what: /two values of Odd become a_b/ }]);
});

t.test('a type of the mapping takes its name from others', async (t) => {
  const order = complex('Order', elements(one('a', INT)));
  const other = complex('Bestellung', elements(one('b', INT)));
  const types = new Map([
    ['Bestellung', { name: 'Order', description: null, hidden: false, fields: new Map() }],
  ]);
  const { schema, findings } = built([operation('Get', [], [one('o', order), one('b', other)])], {
    types,
  });
  t.same(findings, []);
  t.match(printSchema(schema), 'type Order {\n  b: Int!');
  t.match(printSchema(schema), 'type ShopOrder {\n  a: Int!');
});

t.test('descriptions are trimmed, bounded and keep their markup', async (t) => {
  const documentation =
    '\n      <b>First</b> line.\t\n\n\n        Indented """quotes""".\n' +
    '      Third\u0000\u0007.\n   ';
  const endless = `${'x'.repeat(1999)}\u{1f600}${'y'.repeat(10_000)}`;
  const type = complex(
    'Order',
    elements(one('a', INT, '', { documentation }), one('b', INT, '', { documentation: endless })),
  );
  const { schema } = built([operation('Get', [], [one('o', type)], { documentation: ' \n ' })]);
  const order = schema.getType('Order');
  const fields = order !== undefined && 'getFields' in order ? order.getFields() : {};
  t.equal(fields['a']?.description, '<b>First</b> line.\n\n  Indented """quotes""".\nThird.');
  t.equal(fields['b']?.description, `${'x'.repeat(1999)}…`);
  t.equal(schema.getQueryType()?.getFields()['get']?.description, null);
  t.ok(element('x', INT));
});
