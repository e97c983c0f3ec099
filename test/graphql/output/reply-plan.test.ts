import fc from 'fast-check';
import {
  executeSync,
  type FieldNode,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  parse,
  validate,
} from 'graphql';
import t from 'tap';
import type { ObjectPlan, ReplyPlan, ValuePlan } from '../../../src/codec/plan/reply/reply-plan.js';
import { programOf } from '../../../src/codec/read/compile-program.js';
import { AdmittedDocument } from '../../../src/graphql/admission/document-cache.js';
import type { BoundField } from '../../../src/graphql/schema/fields/bound-field.js';
import { planReply, type Variables } from '../../../src/graphql/schema/output/reply-plan.js';
import { buildSchema } from '../../../src/graphql/schema/schema.js';
import {
  attribute,
  complex,
  element,
  elements,
  extension,
  INT,
  one,
  operation,
  STRING,
  service,
  shop,
} from '../models.js';
import { randomSelection } from '../random-selection.js';

const built = buildSchema([service(shop())]);

/** The plans of the root fields of a query, by response key. */
function plans(
  query: string,
  variables: Variables = {},
  { schema, fields } = built,
): Record<string, ReplyPlan> {
  const document = parse(query);
  t.same(validate(schema, document), [], query);
  const { fragments } = new AdmittedDocument(document);
  const [operationNode] = document.definitions;
  if (operationNode?.kind !== Kind.OPERATION_DEFINITION)
    throw new Error('the operation comes first');
  const found: Record<string, ReplyPlan> = {};
  for (const node of operationNode.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) throw new Error('only fields');
    const bound = fields.get(`Query.${node.name.value}`) as BoundField;
    found[node.alias?.value ?? node.name.value] = planReply(bound.reply, [node], {
      fragments,
      variables,
    });
  }
  return found;
}

const plan = (query: string, variables: Variables = {}, from = built): ReplyPlan => {
  const [only] = Object.values(plans(query, variables, from));
  if (only === undefined) throw new Error('no plan');
  return only;
};

function objectOf(value: ValuePlan | undefined): ObjectPlan {
  if (value?.kind !== 'object') throw new Error('not an object');
  return value;
}

/** The object inside an unwrapped reply. */
const inner = (reply: ReplyPlan): ObjectPlan => objectOf(reply.value.declared?.slots[0]?.value);

const keys = (object: ObjectPlan, type: string | null = null): readonly string[] | undefined =>
  (type === null ? object.declared : object.variants.get(`{urn:shop}${type}`))?.slots.map(
    (slot) => slot.key,
  );

t.test('a reply with one child is unwrapped, exactly the selection is read', async (t) => {
  const reply = plan('{getOrder(orderID:1){serial tag status}}');
  t.match(reply, {
    element: { uri: 'urn:shop', local: 'GetOrderResponse' },
    shape: 'unwrap',
    nonNull: false,
  });
  t.match(reply.value.declared?.slots, [
    { key: 'getOrder', source: { from: 'child', name: { local: 'GetOrderResult' } } },
  ]);
  t.match(inner(reply).declared?.slots, [
    { key: 'serial', source: { name: { local: 'Serial' } }, list: false, nonNull: true },
    {
      key: 'tag',
      source: { name: { local: 'Tag' } },
      list: true,
      nonNull: false,
      itemNonNull: true,
    },
    { key: 'status', value: { scalar: { name: 'Status' } } },
  ]);
});

t.test('wrapped lists, attributes and aliases have slots of their own', async (t) => {
  const order = inner(plan('{getOrder(orderID:1){a:lines{no} b:lines{sku} lines{no}}}'));
  t.same(keys(order), ['a', 'b', 'lines']);
  t.match(order.declared?.slots[0]?.source, {
    from: 'wrapped list',
    name: { local: 'Lines' },
    item: { local: 'Line' },
  });
  t.match(objectOf(order.declared?.slots[0]?.value).declared?.slots[0]?.source, {
    from: 'attribute',
  });
});

t.test('fields with one response key are merged', async (t) => {
  const order = inner(
    plan(
      '{getOrder(orderID:1){previous{note} serial ...F previous{serial}}} fragment F on ' +
        'Order{previous{tag note}}',
    ),
  );
  t.same(keys(order), ['previous', 'serial']);
  t.same(keys(objectOf(order.declared?.slots[0]?.value)), ['note', 'tag', 'serial']);
});

t.test('what is skipped or not included has no slot', async (t) => {
  const query = `query($yes:Boolean! $no:Boolean=false){getOrder(orderID:1){
    note @skip(if:$yes) serial @include(if:$no) tag @include(if:$yes) ...F @skip(if:$yes) ...on \
Order @include(if:$yes){orderID}
  }} fragment F on Order{status}`;
  t.same(keys(inner(plan(query, { yes: true, no: false }))), ['tag', 'orderID']);
  t.same(keys(inner(plan(query, { yes: false, no: true }))), ['note', 'serial', 'status']);
});

t.test('each type that may stand there has its own slots', async (t) => {
  const part = objectOf(
    inner(
      plan(`{getOrder(orderID:1){mainPart{
        __typename sku ...on Wheel{spokes} ...on Engine{power ...on TurboEngine{boost}} ...on \
PartBase{weight}
      }}}`),
    ).declared?.slots[0]?.value,
  );
  t.same(
    [...part.variants.keys()].sort(),
    ['Engine', 'Part', 'TurboEngine', 'Wheel'].map((name) => `{urn:shop}${name}`),
  );
  t.same(keys(part), ['__typename', 'sku', 'weight']);
  t.same(keys(part, 'Wheel'), ['__typename', 'sku', 'spokes']);
  t.same(keys(part, 'Engine'), ['__typename', 'sku', 'power']);
  t.same(keys(part, 'TurboEngine'), ['__typename', 'sku', 'power', 'boost']);
  const names = [part.declared, ...part.variants.values()].map(
    (variant) => variant?.slots[0]?.source,
  );
  t.match(names[0], { from: 'constant', value: 'PartBase' });
  t.same(new Set(names.map((source) => source?.from)), new Set(['constant']));
  t.match(part.variants.get('{urn:shop}Engine')?.slots[0]?.source, { value: 'EngineBase' });
});

t.test('an abstract type cannot stand there itself', async (t) => {
  const shape = complex('Shape', elements(one('id', INT)), { abstract: true });
  extension('Circle', shape, one('radius', INT));
  const from = buildSchema([service([operation('GetShape', [], [one('shape', shape)])])]);
  const object = inner(plan('{getShape{id ...on Circle{radius}}}', {}, from));
  t.equal(object.declared, null);
  t.same([...object.variants.keys()], ['{urn:shop}Circle']);
});

t.test('whole replies, simple replies and no reply', async (t) => {
  const price = complex(
    'Price',
    { kind: 'text', type: STRING },
    { attributes: [attribute('unit', STRING, { default: 'kg' })] },
  );
  const raw = complex('', { kind: 'opaque', mixed: null });
  const from = buildSchema([
    service([
      operation('GetTwo', [], [one('a', INT), one('price', price)]),
      operation('GetRaw', [], [], { output: { body: element('Raw', raw), headers: [] } }),
      operation('GetText', [], [], { output: { body: element('Text', STRING), headers: [] } }),
      operation('CheckNothing', [], []),
    ]),
  ]);
  const found = plans('{getTwo{price{value unit} a} getRaw{value} getText checkNothing}', {}, from);
  t.match(found['getTwo'], {
    shape: 'whole',
    value: { declared: { slots: [{ key: 'price' }, { key: 'a' }] } },
  });
  const slots = objectOf(found['getTwo']?.value.declared?.slots[0]?.value).declared?.slots;
  t.match(slots, [
    { source: { from: 'text' } },
    { source: { from: 'attribute', default: 'kg' }, nonNull: true },
  ]);
  t.match(found['getRaw']?.value.declared?.slots, [
    { source: { from: 'self' }, value: { kind: 'any' } },
  ]);
  t.match(found['getText']?.value.declared?.slots, [{ source: { from: 'text' } }]);
  t.match(found['checkNothing'], { shape: 'done', nonNull: true });
});

t.test(
  'plans for many derived types grow with the selection, not with types to its depth',
  async (t) => {
    const base = complex('Base', elements());
    base.content = elements(one('id', INT), one('next', base, '?'));
    for (let at = 0; at < 200; at++) extension(`T${at}`, base, one(`x${at}`, INT));
    const from = buildSchema([service([operation('GetBase', [], [one('b', base)])])]);
    const started = performance.now();
    const reply = plan(`{getBase${'{next'.repeat(8)}{id}${'}'.repeat(8)}}`, {}, from);
    const object = inner(reply);
    t.equal(object.variants.size, 201);
    const next = (of: ObjectPlan, type: string): ValuePlan | undefined =>
      of.variants.get(`{urn:shop}${type}`)?.slots[0]?.value;
    t.equal(next(object, 'T1'), next(object, 'T2'));
    t.equal(programOf(reply).declared?.slots.length, 1, 'nor does what the decoder makes of them');
    t.comment(`took ${Math.round(performance.now() - started)} ms`);
  },
);

// -------------------------------------------------------------------------------------------------
// a property

/** What a plan's object looks like: keys in order, leaves as 0, type names as themselves. */
function skeleton(object: ObjectPlan): unknown {
  return (object.declared?.slots ?? []).map((slot) => {
    const value = slot.value.kind === 'object' ? skeleton(slot.value) : 0;
    const leaf = slot.source.from === 'constant' ? slot.source.value : value;
    return [slot.key, slot.list ? [leaf] : leaf];
  });
}

const skeletonOf = (data: unknown): unknown => {
  if (Array.isArray(data)) return data.map(skeletonOf);
  if (typeof data !== 'object' || data === null)
    return typeof data === 'string' && /^[A-Z]/.test(data) ? data : 0;
  return Object.entries(data).map(([key, value]) => [key, skeletonOf(value)]);
};

t.test(
  'the order and the keys of a plan are those graphql-js itself would answer with',
  async (t) => {
    const order = built.schema.getType('Order');
    if (!order) throw new Error('no Order');
    let compared = 0;
    const arbitrary = fc.infiniteStream(fc.nat(1_000_000)).map((stream) => {
      const choose = (below: number): number => (stream.next().value ?? 0) % below;
      return `query($yes:Boolean! \
$no:Boolean!){getOrder(orderID:1)${randomSelection(built.schema, order, 4, choose)}}`;
    });
    const variableValues = { yes: true, no: false };
    fc.assert(
      fc.property(arbitrary, (query) => {
        const document = parse(query, { noLocation: true });
        // Random aliases collide and variables stay unused: what is not valid says nothing here.
        const errors = validate(built.schema, document).filter(
          (error) => !error.message.includes('never used'),
        );
        if (errors.length > 0) return;
        const { data } = executeSync({
          schema: built.schema,
          document,
          variableValues,
          rootValue: {},
          typeResolver: (_value, _context, _info, type) => `${type.name}Base`,
          fieldResolver: (_source, _arguments, _context, { returnType }) => {
            const named = getNamedType(returnType);
            const mock = isCompositeType(named)
              ? {}
              : named.name === 'Int'
                ? 0
                : named.name === 'Status'
                  ? 'NEW'
                  : '0';
            return isListType(getNullableType(returnType)) ? [mock] : mock;
          },
        });
        const [definition] = document.definitions;
        if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
        const [node] = definition.selectionSet.selections;
        const bound = built.fields.get('Query.getOrder') as BoundField;
        const { fragments } = new AdmittedDocument(document);
        const reply = planReply(bound.reply, [node as FieldNode], {
          fragments,
          variables: variableValues,
        });
        const expected = JSON.stringify(skeletonOf(data?.['getOrder'])).replaceAll('"NEW"', '0');
        if (JSON.stringify(skeleton(inner(reply))) !== expected) {
          throw new Error(`${query}\n${JSON.stringify(skeleton(inner(reply)))}\n${expected}`);
        }
        compared++;
      }),
      { numRuns: 400 },
    );
    t.ok(compared > 100, `${compared} compared`);
  },
);
