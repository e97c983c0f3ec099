import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import t from 'tap';
import { XSI_URI } from '../../../src/codec/plan/xsi.js';
import { defaultsOf, MIB } from '../../../src/core/limit.js';
import { type Admission, admit } from '../../../src/graphql/admission/admit.js';
import { CostTable } from '../../../src/graphql/admission/cost/cost-table.js';
import { AdmittedDocument, DocumentCache } from '../../../src/graphql/admission/document-cache.js';
import {
  DocumentCacheEntries,
  type DocumentCacheEntry,
  EntryPart,
} from '../../../src/graphql/admission/document-cache-entry.js';
import { GRAPHQL_LIMITS } from '../../../src/graphql/limits.js';
import { rootPlanOf } from '../../../src/graphql/run/root-plan.js';
import { planReply, type Variables } from '../../../src/graphql/schema/output/reply-plan.js';
import { buildSchema } from '../../../src/graphql/schema/schema.js';
import { decodeReply } from '../../codec/plans.js';
import { complex, elements, extension, INT, one, operation, STRING } from '../models.js';

const NUMBER = new EntryPart<number>();

function operationOf(document: AdmittedDocument): OperationDefinitionNode {
  const [node] = document.document.definitions;
  if (node?.kind !== Kind.OPERATION_DEFINITION) throw new Error('an operation');
  return node;
}

t.test(
  'a document has an entry for each set of values of its switches, for the first few',
  async (t) => {
    const names = ['a', 'b', 'c', 'd'];
    const declared = names.map((name) => `$${name}: Boolean!`).join(' ');
    const fields = names.map((name) => `${name}: __typename @include(if: $${name})`).join(' ');
    const document = new AdmittedDocument(
      parse(`query q(${declared} $other: Int) { ${fields} t: __typename @skip(if: $a) }`),
    );
    t.same(document.switches, names);
    const cache = new DocumentCacheEntries();
    let made = 0;
    const ask = (variables: Variables): number =>
      cache.get(document, operationOf(document), variables).get(NUMBER, () => ++made);
    const first = ask({ a: true, b: false, c: false, d: false });
    t.equal(ask({ a: true, b: false, c: false, d: false, other: 5 }), first);
    t.not(ask({ a: false, b: false, c: false, d: false }), first);
    for (let bits = 0; bits < 16; bits++)
      ask(Object.fromEntries(names.map((name, at) => [name, (bits & (1 << at)) !== 0])));
    t.equal(ask({ a: true, b: false, c: false, d: false }), first, 'the first ones stay');
    const before = made;
    for (let round = 0; round < 3; round++) ask({ a: true, b: true, c: true, d: true });
    t.equal(made, before + 3, 'further ones are made each time');
  },
);

t.test('all entries share one bound, also when they grow later', async (t) => {
  const cache = new DocumentCacheEntries(MIB);
  const documents = Array.from({ length: 40 }, () => new AdmittedDocument(parse('{ a }')));
  const of = (document: AdmittedDocument | undefined): DocumentCacheEntry => {
    if (document === undefined) throw new Error('no document');
    return cache.get(document, operationOf(document), {});
  };
  const [first, second] = documents;
  const treeBytes = first?.bytes ?? 0;
  const most = MIB / 8;
  const made: number[] = [];
  const make = (document: AdmittedDocument | undefined, bytes: number): DocumentCacheEntry => {
    const entry = of(document);
    entry.get(NUMBER, (countBytes) => {
      countBytes(bytes);
      return made.push(bytes);
    });
    return entry;
  };
  make(first, most - treeBytes);
  t.equal(cache.bytes, most, 'the syntax tree that it refers to is counted');
  make(first, 0);
  t.equal(made.length, 1, 'at an eighth of the bound it is kept');
  make(second, most - treeBytes + 1);
  t.equal(cache.bytes, most, 'beyond that it is not');
  make(second, most);
  t.equal(made.length, 3, 'but made again');

  for (const document of documents.slice(2, 9)) make(document, most - treeBytes);
  t.equal(cache.bytes, MIB, 'eight of an eighth each');
  t.equal(of(first).bytes, most);
  make(documents[9], 0);
  t.ok(cache.bytes <= MIB);
  t.equal(of(first).bytes, most, 'what was used last stays');
  t.equal(of(documents[2]).bytes, treeBytes, 'what was used longest ago went');

  let grow = (_bytes: number): void => {};
  const late = of(documents[20]);
  late.get(NUMBER, (countBytes) => {
    grow = countBytes;
    return 1;
  });
  for (let times = 0; times < 100; times++) {
    grow(1000);
    t.ok(cache.bytes <= MIB);
  }
  t.equal(of(documents[20]), late, 'what grows is kept as long as there is room');
  grow(most);
  t.not(of(documents[20]), late);
  grow(most);
  t.ok(cache.bytes <= MIB, 'what is kept no more may grow');
});

const base = complex('Base', elements());
base.content = elements(
  one('a', STRING, '?'),
  one('b', STRING, '?'),
  one('l', base, '?'),
  one('r', base, '?'),
);
const subtypes = Array.from({ length: 200 }, (_, at) =>
  extension(`T${at}`, base, one(`x${at}`, INT, '?')),
);
const built = buildSchema([
  {
    name: 'zoo',
    operations: [operation('Get', [], [one('v', base)])],
    mapping: new Map(),
    naming: 'camel',
  },
]);
const { schema } = built;

const deep = (name: string): string =>
  `query ${name}($p: Boolean!) { get { ...F0 } } fragment F4 on Base { a b @include(if: $p) } ${[
    0, 1, 2, 3,
  ]
    .map((at) => `fragment F${at} on Base { a l { ...F${at + 1} } r { ...F${at + 1} } }`)
    .join(' ')}`;

t.test('plans of any number of documents, trusted ones too, stay within the bound', async (t) => {
  t.equal(subtypes.length, 200);
  const limits = { ...defaultsOf(GRAPHQL_LIMITS), planBytes: 4 * MIB };
  const costs = new CostTable({ schema, limits });
  const unbound = { schema, limits, introspection: true, costs };
  const trusted = Array.from({ length: 50 }, (_, at) => deep(`Trusted${at}`));
  const pinned = new Map(trusted.map((text) => [text, new AdmittedDocument(parse(text))]));
  const held: Admission = { ...unbound, documents: new DocumentCache(pinned, limits.planBytes) };
  const plan = (query: string, p: boolean): unknown =>
    rootPlanOf(admit({ query, operationName: null, variables: { p } }, held), built).fields[0]?.call
      ?.ask;
  for (let at = 0; at < 100; at++) {
    for (const query of [trusted[at % 50] ?? '', deep(`Q${at}`)])
      for (const p of [true, false]) plan(query, p);
    t.ok(held.documents.entries.bytes <= 4 * MIB);
  }
  t.ok(plan(trusted[0] ?? '', true), 'what was forgotten is planned again');
});

t.test(
  'of the types that derive from another, only those that a reply has are planned',
  async (t) => {
    const [node] = operationOf(new AdmittedDocument(parse(deep('q')))).selectionSet.selections;
    const get = built.fields.get('Query.get');
    if (node?.kind !== Kind.FIELD || get === undefined) throw new Error('a field');
    let bytes = 0;
    const document = new AdmittedDocument(parse(deep('q')));
    const countBytes = (more: number): void => {
      bytes += more;
    };
    const reply = planReply(get.reply, [node], {
      fragments: document.fragments,
      variables: { p: true },
      countBytes,
    });
    t.ok(bytes < 10_000, `${bytes} before any reply is read`);
    const type = (name: string): string =>
      `xmlns:i="${XSI_URI}" xmlns:t="urn:shop" i:type="t:${name}"`;
    const { value } = decodeReply(
      reply,
      `<g xmlns="urn:shop"><v ${type('T7')}><a>1</a><l ${type('T9')}><a>2</a></l></v></g>`,
      10,
    );
    t.match(value, { a: '1', l: { a: '2', l: null }, r: null });
    t.ok(bytes < 30_000, `${bytes} when a reply with two types was read`);
    t.equal(subtypes.length, 200);
  },
);

t.test('links are found in types without number, and cost no more than fields', async (t) => {
  const linked = buildSchema(
    [
      {
        name: 'zoo',
        operations: [operation('Get', [one('a', STRING, '?')], [one('v', base)])],
        mapping: new Map(),
        naming: 'camel',
      },
    ],
    [
      {
        name: 'Base.peer',
        operation: 'zoo.Get',
        arguments: { a: 'a' },
        batch: null,
        description: null,
        deprecated: null,
      },
    ],
  );
  t.same(linked.linkErrors, []);
  const limits = defaultsOf(GRAPHQL_LIMITS);
  const costs = new CostTable({ ...linked, limits });
  const documents = new DocumentCache();
  const held: Admission = { schema: linked.schema, limits, introspection: true, costs, documents };
  const query = deep('q').replace('{ a b @include', '{ a ... on T7 { peer { a b } } b @include');
  const admitted = admit({ query, operationName: null, variables: { p: true } }, held);
  const { links, fields } = rootPlanOf(admitted, linked);
  t.equal(links.size, 1, 'it is known before anything runs');
  let [walk] = [fields[0]?.call?.walk ?? new Map()];
  for (const _ of [1, 2, 3, 4]) {
    t.same([...walk.keys()], ['l', 'r']);
    walk = walk.get('l') ?? new Map();
  }
  t.same([...walk.keys()], ['peer']);
  t.ok(admitted.cacheEntry.bytes < 60_000, `${admitted.cacheEntry.bytes}`);
});
