import { printSchema, validateSchema } from 'graphql';
import t from 'tap';
import type { GraphqlService, OperationMapping } from '../../src/graphql/schema/fields/exposure.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import {
  enumValueName,
  fieldName,
  NameScope,
  typeName,
} from '../../src/graphql/schema/types/naming.js';
import { ANYTHING, type Operation } from '../../src/wsdl/model.js';
import {
  attribute,
  complex,
  DECIMAL,
  element,
  elements,
  enumeration,
  extension,
  group,
  INT,
  LONG,
  one,
  operation,
  STRING,
  service,
  shop,
  simple,
} from './models.js';

const build = (...operations: Operation[]) => buildSchema([service(operations)]);

const sdl = (...operations: Operation[]): string => {
  const { schema } = build(...operations);
  t.same(validateSchema(schema), []);
  return printSchema(schema);
};

t.test('field names are lowerCamelCase and legal', async (t) => {
  const cases = {
    GetOrder: 'getOrder',
    orderId: 'orderId',
    OrderID: 'orderID',
    ID: 'id',
    ISBNCode: 'isbnCode',
    'order-id': 'orderId',
    Line_Item: 'lineItem',
    'a.b': 'aB',
    _hidden: '_hidden',
    __schema: '_schema',
    '2nd': '_2nd',
    Größe: 'grosse',
    名: 'u540D',
    '-': '_',
    Z_READ_STOCK: 'zReadStock',
    IT_MAT: 'itMat',
    PURCHASE_ORDER_ID: 'purchaseOrderId',
    '_-BIC_-X': '_bicX',
    'ORDER-2ND': 'order2nd',
    ORDER_: 'order',
    Order_ID: 'orderID',
    ADDRESS1: 'address1',
  };
  for (const [xml, name] of Object.entries(cases)) t.equal(fieldName(xml, 'camel'), name, xml);
  t.equal(fieldName('OrderID', 'exact'), 'OrderID');
  t.equal(fieldName('order-id', 'exact'), 'order_id');
  t.equal(typeName('Order.Line'), 'Order_Line');
  t.equal(enumValueName('ON HOLD'), 'ON_HOLD');
  t.equal(enumValueName('true'), '_true');
  t.equal(enumValueName(''), 'EMPTY');
  const values = {
    '1': '_1',
    '-1': 'MINUS_1',
    '+1': 'PLUS_1',
    '+L1': 'PLUS_L1',
    '-L1': 'MINUS_L1',
    '-': 'MINUS',
    '-1.5': 'MINUS_1_5',
    '-.5': 'MINUS_5',
    '-INF': 'MINUS_INF',
    '<5': 'LESS_5',
    '>= 10': 'GREATER_EQUAL_10',
    'A+': 'A_PLUS',
    'A-': 'A_MINUS',
    'C++': 'C_PLUS_PLUS',
    '18+': '_18_PLUS',
    '1-5': '_1_5',
    '-none-': '_none_',
    '--None--': '_None__',
    '*ALL': '_ALL',
    ON_HOLD: 'ON_HOLD',
  };
  for (const [value, name] of Object.entries(values)) t.equal(enumValueName(value), name, value);
});

t.test('a number behind a name that is taken differs from the numbers in it', async (t) => {
  const scope = new NameScope();
  t.same(
    ['a', 'a', 'a', 'line1', 'line1', 'line1_2', 'line1'].map((name) => scope.take(name)),
    ['a', 'a2', 'a3', 'line1', 'line1_2', 'line1_2_2', 'line1_3'],
  );
});

t.test('the shop has the shape the contract names', async (t) => {
  const text = sdl(...shop());
  t.match(text, 'getOrder(orderID: Int!): Order\n', 'a reply with one child is unwrapped');
  t.match(text, 'listOrders(status: Status, limit: Int): [Order!]\n');
  t.match(text, 'countOrders: Long\n');
  t.match(
    text,
    'placeOrder(order: OrderInput!): PlaceOrderResult\n',
    'one with several is named after its operation',
  );
  t.match(text, 'forget(orderID: Int!): Boolean!\n', 'a one-way operation says that it was sent');
  t.match(text, 'type PlaceOrderResult {\n  orderID: Int!\n  total: Decimal!\n}');
  t.match(text, '  lines: [Line]\n', 'a type with nothing but one repeated element is a list');
  t.notMatch(text, 'ArrayOfLine');
  t.match(text, '  tag: [String!]\n');
  t.match(text, '  previous: Order\n');
  t.match(text, 'input OrderInput {');
  t.match(text, '  ON_HOLD\n');
  t.match(text, '  _1st\n');
});

t.test('a type that others extend is an interface under its name', async (t) => {
  const text = sdl(...shop());
  t.match(text, 'interface Part {\n  sku: String!\n  weight: Decimal\n}');
  t.match(text, 'type PartBase implements Part {');
  t.match(text, 'interface Engine implements Part {');
  t.match(text, 'type EngineBase implements Engine & Part {');
  t.match(text, 'type TurboEngine implements Engine & Part {');
  t.match(text, 'type Wheel implements Part {');
  t.match(text, 'mainPart: Part\n');
});

t.test(
  'an abstract type without content of its own is a union of those that extend it',
  async (t) => {
    const shape = complex('Shape', { kind: 'empty' }, { abstract: true });
    extension('Circle', shape, one('radius', INT));
    const text = sdl(operation('GetShape', [], [one('shape', shape)]));
    t.match(text, 'union Shape = Circle\n');
    t.match(text, 'type Circle {\n  radius: Int!\n}');
    t.notMatch(text, 'ShapeBase', 'it can never be sent itself');
  },
);

t.test(
  'attributes, simple content, mixed content and empty types have one stable shape each',
  async (t) => {
    const price = complex(
      'Price',
      { kind: 'text', type: DECIMAL },
      { attributes: [attribute('currency', STRING)] },
    );
    const flag = complex('Flag', { kind: 'empty' });
    const rich = complex('Rich', { kind: 'opaque', mixed: null });
    const any = complex('Any', elements({ kind: 'any', wildcard: ANYTHING, min: 0, max: 1 }));
    const text = sdl(
      operation(
        'GetThing',
        [one('price', price), one('flag', flag, '?'), one('mark', flag), one('rich', rich, '?')],
        [one('price', price), one('flag', flag, '?'), one('rich', rich), one('any', any)],
      ),
    );
    t.match(text, 'type Price {\n  value: Decimal!\n  currency: String\n}');
    t.match(
      text,
      'getThing(price: PriceInput!, flag: Boolean, rich: AnyValueInput): GetThingResult',
    );
    t.match(
      text,
      'type GetThingResult {\n  price: Price!\n  flag: Boolean\n  rich: AnyValue!\n  any: Any!\n}',
    );
    t.match(text, /type Any {\n.*\n {2}any: \[AnyValue!]\n}/);
  },
);

t.test('non-null follows occurrence, nillable, choice and default', async (t) => {
  const choice = group('choice', [one('a', INT), one('b', INT)]);
  const built = build(
    operation(
      'GetThing',
      [
        choice,
        one('c', INT, '', { default: '7' }),
        one('d', INT, '', { nillable: true }),
        one('e', INT, '+'),
      ],
      [choice, one('c', INT, '', { nillable: true }), one('e', INT, '+')],
    ),
  );
  const text = printSchema(built.schema);
  const shown = text.replaceAll(/\s*"""Exactly one of a, b\."""/g, '').replaceAll(/\s+/g, ' ');
  t.match(shown, 'getThing( a: Int b: Int c: Int = 7 d: Int e: [Int!]! ): GetThingResult');
  t.match(text, 'type GetThingResult {\n  a: Int\n  b: Int\n  c: Int\n  e: [Int!]!\n}');
  const plan = built.fields.get('Query.getThing')?.requestPlan.body?.value;
  t.same(plan?.choices, [['a', 'b']]);
});

t.test(
  'an element in both branches of a choice is single, in a sequence twice it is a list',
  async (t) => {
    const branches = group('choice', [
      group('sequence', [one('a', INT), one('b', INT)]),
      group('sequence', [one('a', INT), one('c', INT)]),
    ]);
    const text = sdl(
      operation('GetX', [], [branches, one('d', INT), one('e', INT), one('d', INT, '?')]),
    );
    t.match(text, 'type GetXResult {\n  a: Int!\n  b: Int\n  c: Int\n  d: [Int!]!\n  e: Int!\n}');
  },
);

t.test('fixed values are written, not asked for', async (t) => {
  const { schema, fields } = build(
    operation('DoIt', [one('version', STRING, '', { fixed: '2' }), one('x', INT, '?')], null),
  );
  t.match(printSchema(schema), 'doIt(x: Int): Boolean!');
  t.match(fields.get('Mutation.doIt')?.requestPlan.body?.value.children[0], {
    key: 'version',
    fixed: '2',
  });
});

t.test('header parts are one argument', async (t) => {
  const session = element('Session', complex('', elements(one('token', STRING))));
  const body = element('GetX', complex('', elements(one('headers', STRING))));
  const { schema, fields } = build(
    operation('GetX', [], [one('x', INT)], { input: { body, headers: [{ element: session }] } }),
  );
  const text = printSchema(schema);
  t.match(
    text,
    /getX\(\s+headers: String!\s+"""[^"]*"""\s+soapHeaders: GetXHeadersInput\s+\): Int/,
  );
  t.match(text, 'input GetXHeadersInput {\n  session: SessionInput\n}');
  const bound = fields.get('Query.getX');
  t.equal(bound?.headersArgument, 'soapHeaders');
  t.match(bound?.requestPlan.headers, [
    { key: 'session', name: { local: 'Session' }, required: false },
  ]);
});

t.test('the request plan follows the schema on the wire', async (t) => {
  const { fields } = build(...shop());
  const plan = fields.get('Mutation.placeOrder')?.requestPlan.body;
  t.match(plan, { name: { uri: 'urn:shop', local: 'PlaceOrder' } });
  const order = plan?.value.children[0]?.value;
  if (order?.kind !== 'object') throw new Error('an object is written');
  t.same(
    order.children.map((child) => [child.key, child.name.local, child.occurs]),
    [
      ['orderID', 'OrderID', 'one'],
      ['serial', 'Serial', 'one'],
      ['status', 'Status', 'one'],
      ['note', 'Note', 'one'],
      ['lines', 'Lines', { wrapped: { uri: 'urn:shop', local: 'Line' }, itemNillable: true }],
      ['tag', 'Tag', 'many'],
      ['previous', 'Previous', 'one'],
      ['mainPart', 'MainPart', 'one'],
    ],
  );
  t.equal(order.children[6]?.value, order, 'recursive types have one plan');
  const status = order.children[2]?.value;
  if (status?.kind !== 'scalar') throw new Error('an enumeration is a scalar');
  t.equal(status.scalar.encode('ON_HOLD'), 'ON HOLD');
  t.equal(status.scalar.decode(' ON  HOLD '), 'ON_HOLD');
  t.throws(() => status.scalar.encode('ON HOLD'));
});

t.test('names that two want go to the first, and the report says so', async (t) => {
  const order = complex('Order', elements(one('id', INT), one('Id', STRING)), {
    attributes: [attribute('id', INT)],
  });
  const other = complex('Order', elements(one('x', INT)), {
    name: { uri: 'urn:other', local: 'Order' },
  });
  const built = buildSchema([
    service([operation('GetOrder', [], [one('o', order)])]),
    service(
      [operation('GetOrder', [], [one('o', other)]), operation('getOrder', [], [one('n', LONG)])],
      {
        name: 'stock-room',
      },
    ),
  ]);
  t.same(validateSchema(built.schema), []);
  t.same(
    [...built.fields.keys()],
    ['Query.getOrder', 'Query.stockRoomGetOrder', 'Query.stockRoomGetOrder2'],
  );
  t.match(
    printSchema(built.schema),
    'type Order {\n  id: Int!\n  id2: String!\n  idAttribute: Int\n}',
  );
  t.match(printSchema(built.schema), 'type StockRoomOrder {');
  t.equal(built.warnings.length, 5);
});

t.test('the mapping names, hides and selects', async (t) => {
  const mapping = (entries: Record<string, Partial<OperationMapping>>): GraphqlService['mapping'] =>
    new Map(
      Object.entries(entries).map(([name, entry]) => [
        name,
        { field: null, hidden: false, ...entry },
      ]),
    );
  const fieldsOf = (entries: Record<string, Partial<OperationMapping>>): string[] => [
    ...buildSchema([service(shop(), { mapping: mapping(entries) })]).fields.keys(),
  ];
  t.same(fieldsOf({ Forget: { hidden: true }, PlaceOrder: { hidden: true } }), [
    'Query.getOrder',
    'Query.listOrders',
    'Query.countOrders',
  ]);
  t.same(fieldsOf({ Forget: { field: { parent: 'Query', name: 'forgotten' } }, GetOrder: {} }), [
    'Query.getOrder',
    'Query.forgotten',
  ]);
  t.same(
    fieldsOf({ CountOrders: { field: { parent: 'Query', name: 'getOrder' } }, GetOrder: {} }),
    ['Query.shopGetOrder', 'Query.getOrder'],
    'a name of the mapping comes before one by rule',
  );
});

t.test(
  'a disabled operation is left out, and a schema without queries has a harmless one',
  async (t) => {
    const reasons = [
      { file: null, line: null, column: null, what: 'It is encoded.', remedy: null },
    ];
    const built = build(
      operation('GetX', [], [one('x', INT)], { status: 'disabled', reasons }),
      operation('Do', [], null),
    );
    t.match(printSchema(built.schema), /type Query \{[^}]*_empty: Boolean/);
    t.match(built.warnings, [{ what: /GetX.*It is encoded/ }]);
  },
);

t.test('replies that are no wrapper keep their type', async (t) => {
  const order = complex('Order', elements(one('id', INT)));
  const body = (local: string, type: Parameters<typeof element>[1]) => ({
    output: { body: element(local, type), headers: [] },
  });
  const text = sdl(
    operation('GetOrder', [], [], body('order', order)),
    operation('GetTotal', [], [], body('total', DECIMAL)),
    operation('GetRaw', [], [], body('raw', complex('', { kind: 'opaque', mixed: null }))),
    operation(
      'GetNamed',
      [],
      [],
      body('GetNamedResponse', complex('GetNamedResponse', elements(one('x', INT)))),
    ),
    operation('Ping', [], []),
  );
  t.match(text, 'getOrder: Order\n');
  t.match(text, 'getTotal: Decimal\n');
  t.match(text, 'getRaw: AnyValue\n');
  t.match(text, 'getNamed: Int\n');
  t.match(text, 'ping: Boolean!\n');
});

t.test('types are made only where a field leads to them, however many there are', async (t) => {
  const base = complex('Base', elements(one('id', INT)));
  for (let number = 0; number < 5000; number++) extension(`T${number}`, base, one('x', INT));
  const started = performance.now();
  const { schema } = build(operation('GetX', [], [one('x', INT)]));
  t.equal(Object.keys(schema.getTypeMap()).filter((name) => name.startsWith('T')).length, 0);
  const all = build(operation('GetBase', [], [one('b', base)]));
  t.equal(all.schema.getPossibleTypes(all.schema.getType('Base') as never).length, 5001);
  t.comment(`took ${Math.round(performance.now() - started)} ms`);
});

t.test('deep chains of types and of derivation are no trouble', async (t) => {
  let type = complex('C0', elements(one('x', INT)));
  const root = complex('D0', elements(one('x', INT)));
  let derived = root;
  for (let number = 1; number < 1000; number++) {
    type = complex(`C${number}`, elements(one('inner', type, '?')));
    if (number < 60) derived = extension(`D${number}`, derived, one(`y${number}`, INT));
  }
  const text = sdl(
    operation('GetC', [one('c', type)], [one('c', type)]),
    operation('GetD', [], [one('d', root)]),
  );
  t.match(text, 'type D59 implements D58');
});

t.test('names of JavaScript are names like others', async (t) => {
  const type = complex(
    'constructor',
    elements(one('__proto__', INT), one('constructor', INT), one('toString', INT)),
  );
  const text = sdl(operation('GetX', [one('hasOwnProperty', type)], [one('x', type)]));
  t.match(text, '_proto: Int!');
  t.match(text, 'constructor: Int!');
});

t.test('enumerations without a name are named after where they stand', async (t) => {
  const anonymous = simple('string', {
    enumeration: [
      { value: 'a b', documentation: 'First.' },
      { value: 'a-b', documentation: null },
    ],
  });
  const text = sdl(operation('GetX', [one('kind', anonymous)], [one('x', enumeration('E', 'A'))]));
  t.match(
    text,
    /enum GetXKind \{\s+"""\s+First\.\s+On the wire: "a b"\s+"""\s+a_b\s+"""\s+On the wire: "a-b"\s+"""\s+a_b2/,
  );
});

t.test(
  'a restriction shows what is left, as narrow as it is, unless an interface asks for all',
  async (t) => {
    const line = complex('Line', elements(one('no', INT)));
    const base = complex(
      'Bag',
      elements(
        one('item', complex('', { kind: 'opaque', mixed: null }), '*'),
        one('note', STRING, '?'),
      ),
    );
    const narrow = (name: string, ...particles: Parameters<typeof elements>) => {
      const type = complex(name, elements(...particles), { base, derivation: 'restriction' });
      base.derived = [...base.derived, type];
      return type;
    };
    const bare = sdl(
      operation('Get', [], [one('lines', narrow('Lines', one('item', line, '*'))), one('x', INT)]),
    );
    t.match(bare, 'lines: [Line!]!\n');
    t.notMatch(bare, 'Bag');
    const full = narrow('Full', one('item', line), one('note', STRING));
    t.match(
      sdl(operation('Get', [], [one('full', full), one('x', INT)])),
      'type Full {\n  item: Line!\n  note: String!\n}',
    );
    const both = sdl(operation('Get', [], [one('bag', base), one('full', full)]));
    t.match(both, 'type Full implements Bag {\n  item: [AnyValue!]\n  note: String\n}');
  },
);
