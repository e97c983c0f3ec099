import { Readable } from 'node:stream';

import { readText } from '../../src/graphql/admission/read-text.js';
import {
  createGraphqlHandler,
  type GraphqlHandler,
} from '../../src/graphql/run/operations/http.js';
import { shopMapping } from '../catalogue/graphql-kit.js';
import { OPERATIONS, TYPOS } from '../catalogue/graphql-vectors.js';
import { readRows } from '../catalogue/rows.js';
import { compileAlone } from '../kit/configuration.js';
import { isProgram, isQuick, median, print, table } from './kit.js';

/**
 * What each kind of refused GraphQL request costs the processor, from its bytes to its answer; the
 * dearest first.
 */
export async function benchRefusals(quick: boolean): Promise<void> {
  const handlers = {
    shop: await startHandler(shopMapping('http://127.0.0.1:1')),
    large: await startHandler(LARGE),
  };
  const kinds = kindsOfRefusal();
  const runs = quick ? 5 : 25;
  for (const { body, on = 'shop' } of kinds)
    for (let n = 0; n < 3; n++) await refuse(handlers[on], body);
  const measured: { name: string; bytes: number; middle: number; most: number }[] = [];
  for (const { name, body, on = 'shop' } of kinds) {
    const all: number[] = [];
    for (let n = 0; n < runs; n++) {
      const before = process.cpuUsage();
      const refused = await refuse(handlers[on], body);
      const { user, system } = process.cpuUsage(before);
      if (!refused) throw new Error(`${name} is not refused`);
      all.push((user + system) / 1000);
    }
    measured.push({ name, bytes: body.length, middle: median(all), most: Math.max(...all) });
  }
  measured.sort((one, other) => other.middle - one.middle);
  print(
    `\nRefused GraphQL requests, ${kinds.length} kinds, ${runs} times each: CPU of one, in ms\n\n`,
  );
  const rows = measured.map(({ name, bytes, middle, most }) => [
    name,
    `${bytes}`,
    middle.toFixed(2),
    most.toFixed(2),
  ]);
  print(table(['kind', 'bytes', 'median', 'most'], rows));
}

async function startHandler(yaml: string): Promise<GraphqlHandler> {
  const { graph, config } = await compileAlone(yaml);
  return createGraphqlHandler({ built: graph, limits: config.limits.graphql, introspection: true });
}

async function refuse(handler: GraphqlHandler, bytes: Buffer): Promise<boolean> {
  let isRefused = false;
  // As sockets bring it.
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
  const request = {
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: () => readText(Readable.from(pieces), 2_000_000, bytes.length, async () => {}),
  };
  const { status } = await handler(request, {
    signal: new AbortController().signal,
    callField: () => Promise.reject(new Error('called')),
    refused: () => {
      isRefused = true;
    },
  });
  return isRefused && status >= 400;
}

export interface RefusedKind {
  readonly name: string;
  readonly body: Buffer;
  /** The schema that it is asked of. */
  readonly on?: 'large';
}

/** As many types as the largest services have, with names as long as theirs. */
const LARGE_TYPE = 'TransactionLineItemRecordReferenceType';
const below = (at: number): string =>
  [2 * at + 1, 2 * at + 2]
    .filter((each) => each < 1500)
    .map((each) => `next${each}: ${LARGE_TYPE}${each}`)
    .join(' ');
const LARGE = `services:
  large:
    url: http://127.0.0.1:1/
    types: |
      type Query { record(id: ID, filter: Filter): ${LARGE_TYPE}0 }
      input Filter { ${Array.from({ length: 300 }, (_, at) => `internalCustomFieldReferenceNumber${at}: Int`).join(' ')} }
${Array.from(
  { length: 1500 },
  (_, at) => `      type ${LARGE_TYPE}${at} { id: ID, \
internalCustomFieldReferenceNumber: Int ${below(at)} }\n`,
).join('')}
    operations:
      GetRecord: { field: Query.record }
`;

function kindsOfRefusal(): readonly RefusedKind[] {
  const table = readRows('graphql');
  const refused = OPERATIONS.filter(
    (each) => table.get(each.row)?.cases?.[each.case] !== 'pass',
  ).map(
    ({ row, case: name, query, variables }): RefusedKind => ({
      name: `${row} ${name}`,
      body: Buffer.from(JSON.stringify({ query, variables })),
    }),
  );
  const typos = TYPOS.map(([name, query, variables]): RefusedKind => {
    return { name: `G17 ${name}`, body: Buffer.from(JSON.stringify({ query, variables })) };
  });
  return [...refused, ...typos, ...dearKinds()];
}

/** Those that are made to cost as much as they can. */
export function dearKinds(): readonly RefusedKind[] {
  const query = (name: string, text: string): RefusedKind => ({
    name,
    body: Buffer.from(JSON.stringify({ query: text })),
  });
  const variables = (name: string, json: string): RefusedKind => ({
    name,
    body: Buffer.from(
      `{"query":"query($f:Filter $s:String){article(filter:$f sku:$s){sku}}","variables":${json}}`,
    ),
  });
  const given = (name: string, text: string, values: unknown): RefusedKind => ({
    name,
    body: Buffer.from(JSON.stringify({ query: text, variables: values })),
  });
  const large = (name: string, text: string, values: unknown = {}): RefusedKind => ({
    ...given(name, text, values),
    on: 'large',
  });
  const lines = '\n'.repeat(29_000);
  const members = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]));
  const five = ['a', 'b', 'c', 'd', 'e'];
  const wrongLists = Object.fromEntries(
    five.map((name) => [name, Array.from({ length: 999 }, () => 1)]),
  );
  const listQuery =
    `query(${five.map((name) => `$${name}:[String]`).join()}){` +
    `${five.map((name) => `${name}:article(tags:$${name}){sku}`).join(' ')}}`;
  const many = (count: number, make: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => make(at)).join(' ');
  return [
    query('G07 1.9 MB of fields', `{article{${'sku '.repeat(480_000)}}}`),
    query('G07 1.9 MB of one name', `{${'a'.repeat(1_900_000)}}`),
    query('G07 30,000 characters of comments', `{article{sku}}${'#\n'.repeat(14_900)}`),
    query('G07 30,000 characters of a string', `{article(sku:"${'a'.repeat(29_900)}"){x}}`),
    query(
      'G07 30,000 characters of a block string',
      `{article(sku:"""${' a\n'.repeat(9_900)}"""){x}}`,
    ),
    query('G11 990 times the same field', `{article{${'sku '.repeat(990)}x}}`.replace('sku ', '')),
    query('G11 240 times the same object', `{article{${'related{sku} '.repeat(240)}x}}`),
    query(
      'G11 objects that repeat each other',
      `{article{${'related{related{sku name} sku} '.repeat(120)}x}}`,
    ),
    query(
      'G11 fragments that repeat each other',
      `{article{${many(20, (at) => `...F${at}`)} x}} ` +
        `${many(20, (at) => `fragment F${at} on Article{${'related{sku name} '.repeat(8)}}`)}`,
    ),
    query(
      'G11 objects that conflict',
      `{article{${many(7, (at) => `a${at}:sku a${at}:name`)} ${'related{sku} '.repeat(200)}}}`,
    ),
    query('G18 900 unknown fields', `{article{${many(900, (at) => `x${at}`)}}}`),
    query('G18 300 unknown arguments', `{article(${many(300, (at) => `x${at}:1`)}){sku}}`),
    query('G18 150 unknown directives', `{article{${many(50, (at) => `sku@x${at}`)}}}`),
    query('a list of 900', `{article(tags:[${'1 '.repeat(900)}]){sku}}`),
    query('lists within each other', `{article(tags:${'['.repeat(490)}${']'.repeat(490)}){sku}}`),
    query('300 variables', `query(${many(240, (at) => `$v${at}:Int`)}){article{sku}}`),
    query('a broken document', `{article{sku ${'(x:1 '.repeat(100)}`),
    given('G22 4,995 wrong values', listQuery, wrongLists),
    given('G22 4,995 wrong values behind 29,000 lines', `${lines}${listQuery}`, wrongLists),
    given('G22 900 unknown members', 'query($f:Filter){article(filter:$f){sku}}', {
      f: members(900),
    }),
    given(
      'G22 900 unknown members behind 29,000 lines',
      `${lines}query($f:Filter){article(filter:$f){sku}}`,
      {
        f: members(900),
      },
    ),
    query(
      'G18 unknown fields behind 29,000 lines',
      `${lines}{article{${many(300, (at) => `x${at}`)}}}`,
    ),
    query(
      'G18 one variable 240 times behind 29,000 lines',
      `${lines}query(${'$v:Int '.repeat(240)}){article{sku}}`,
    ),
    query('G18 a broken document behind 29,000 lines', `${lines}{article{sku`),
    large('G18 one of 1,500 types misspelt', `query($v:${LARGE_TYPE}x){__typename}`),
    large(
      'G18 a dozen of 1,500 types misspelt',
      `query(${many(12, (at) => `$v${at}:${LARGE_TYPE}x${at}`)}){__typename}`,
    ),
    large(
      'G18 fragments on a dozen of 1,500 types misspelt',
      `{${many(12, (at) => `...on ${LARGE_TYPE}x${at}{a}`)}}`,
    ),
    large(
      'G18 a dozen fields misspelt',
      `{record{${many(12, (at) => `internalCustomFieldReferenceNumbex${at}`)}}}`,
    ),
    large(
      'G18 a dozen of 300 members misspelt',
      `{record(filter:{${many(12, (at) => `internalCustomFieldReferenceNumbex${at}:1`)}}){id}}`,
    ),
    large('G22 900 unknown members beside 300', 'query($f:Filter){record(filter:$f){id}}', {
      f: members(900),
    }),
    variables('G22 1.9 MB of one number', `{"f":${'1'.repeat(1_900_000)}}`),
    variables('G22 1.9 MB of escaped quotes', `{"s":1,"f":"${'\\"'.repeat(950_000)}"}`),
    variables('G22 1.9 MB of escaped backslashes', `{"s":1,"f":"${'\\\\'.repeat(950_000)}"}`),
    variables('G22 1.9 MB of escaped characters', `{"s":1,"f":"${'\\u0041'.repeat(316_000)}"}`),
    { name: 'G07 1.9 MB of spaces', body: Buffer.from(`{"query":"{x}"${' '.repeat(1_900_000)}}`) },
    query('G07 1.9 MB of a comment', `{a}#${'#'.repeat(1_900_000)}`),
    query('G07 1.9 MB of letters that are not ASCII', `{a}#${'é'.repeat(950_000)}`),
    variables(
      'G22 1.9 MB of members',
      `{"f":{${Array.from({ length: 150_000 }, (_, at) => `"m${at}":1`).join()}}}`,
    ),
    variables('G22 1.9 MB of values', `{"f":[${'1,'.repeat(900_000)}1]}`),
    variables('G22 1.9 MB of lists', `{"f":${'['.repeat(950_000)}${']'.repeat(950_000)}}`),
    variables('G22 two members, 1.9 MB apart', `{"s":"${'a'.repeat(1_900_000)}","s":"b"}`),
    variables('G22 1.9 MB of escapes', `{"s":1,"f":"${'\\n'.repeat(950_000)}"}`),
    { name: 'G22 1.9 MB of no JSON', body: Buffer.from(`{"query":"${'a'.repeat(1_900_000)}`) },
    {
      name: 'G22 1.9 MB of no UTF-8',
      body: Buffer.concat([Buffer.alloc(1_900_000, 'a'), Buffer.of(0xff)]),
    },
    {
      name: 'G13 a batch of 1.9 MB',
      body: Buffer.from(`[${'{"query":"{article{sku}}"},'.repeat(70_000)}{}]`),
    },
  ];
}

if (isProgram(import.meta.url)) await benchRefusals(isQuick());
