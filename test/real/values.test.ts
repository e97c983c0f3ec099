import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { parse, stringify } from 'yaml';
import { runProgram } from '../../src/cli/program.js';
import { startTestGateway } from '../kit/gateway.js';
import { askGraphql } from '../kit/graphql-client.js';
import { missing, PYTHON } from './programs.js';
import { differences } from './same.js';
import { wholeSelection } from './selection.js';
import { BACKENDS, type Backend, STACKS, startStack } from './stacks.js';

/**
 * For every operation of every server: what GraphQL returns, with everything selected, is what the
 * client library that belongs to the server sees. The schema is that of `soapstone import` of the
 * live WSDL, as it comes.
 */

interface Call {
  readonly operation: string;
  /** As the client takes them: one structure, or positions for rpc. */
  readonly arguments: readonly unknown[];
  /** As GraphQL takes them, where that is not the first of the others. */
  readonly graphql?: string;
  readonly auth?: boolean;
}

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('base64');
const LINE = { no: 1, sku: 'ABC-1', qty: 2, price: '9.99' };

/** Spyne wants its own wrapper around nothing; the calls are those of both servers. */
const DESK: readonly Call[] = [
  { operation: 'Echo', arguments: [{ text: 'h€llo <&> ]]> "q" é' }] },
  ...[1, 2, 3, 4, 30].map((id) => ({ operation: 'GetOrder', arguments: [{ id }] })),
  ...[0, 1, 3].map((count) => ({ operation: 'ListOrders', arguments: [{ count }] })),
  {
    operation: 'ListOrders',
    arguments: [{ count: 1, status: 'ON HOLD' }],
    graphql: 'count: 1, status: ON_HOLD',
  },
  {
    operation: 'PlaceOrder',
    arguments: [
      { order: { customerCode: 'C001', note: 'x & y', lines: [LINE, { ...LINE, no: 2 }] } },
    ],
  },
  { operation: 'FindCustomer', arguments: [{ code: 'C007' }] },
  { operation: 'FindCustomer', arguments: [{ code: 'nobody' }] },
  { operation: 'WhoAmI', arguments: [], auth: true },
  { operation: 'Slow', arguments: [{ ms: 10 }] },
  { operation: 'Export', arguments: [{ n: 50 }] },
  {
    operation: 'Upload',
    arguments: [{ name: 'a.bin', content: { base64: BYTES } }],
    graphql: `name: "a.bin", content: "${BYTES}"`,
  },
  { operation: 'Download', arguments: [{ n: 300 }] },
];

const ITEM = {
  sku: 'S9',
  qty: 9,
  price: '1.10',
  unit: 'kg',
  active: true,
  counted: null,
  tags: ['a', 'b'],
  substitute: null,
};

const INVENTORY: readonly Call[] = [
  { operation: 'echo', arguments: ['h€llo <&> é'], graphql: 'text: "h€llo <&> é"' },
  ...['S1', 'S2', 'S3', 'S9'].map((sku) => ({
    operation: 'getItem',
    arguments: [sku],
    graphql: `sku: "${sku}"`,
  })),
  ...[0, 1, 4].map((count) => ({
    operation: 'listItems',
    arguments: [count],
    graphql: `count: ${count}`,
  })),
  {
    operation: 'sumQty',
    arguments: [['S1', 'S2'], 1.5],
    graphql: 'skus: ["S1", "S2"], factor: 1.5',
  },
  { operation: 'minMax', arguments: [[3, -1, 7]], graphql: 'values: [3, -1, 7]' },
  {
    operation: 'pairUp',
    arguments: [ITEM, ITEM],
    graphql: ['left', 'right']
      .map((side) => `${side}: ${literal({ ...ITEM, unit: { enum: 'kg' } })}`)
      .join(', '),
  },
  { operation: 'whoAmI', arguments: [], auth: true },
  { operation: 'slow', arguments: [10], graphql: 'ms: 10' },
];

/** A value as a GraphQL literal. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('enum' in value) return String(value.enum);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key}: ${literal(member)}`)
    .join(', ')} }`;
}

/** Which client library belongs to which server. */
const OWN = {
  php: ['php', '-d', 'display_errors=0', join(STACKS, 'php', 'values.php')],
  spyne: [PYTHON, join(STACKS, 'zeep', 'values.py')],
} as const;

async function seenByClient(
  backend: Backend,
  wsdl: string,
  endpoint: string,
  calls: readonly Call[],
): Promise<unknown[]> {
  const [file, ...args] = OWN[backend.stack];
  const child = spawn(file, [...args, endpoint, wsdl], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, SOAP: backend.version, AUTH: backend.auth, AUTH_FORM: backend.authForm },
  });
  child.stdin.end(JSON.stringify(calls));
  const texts = ['', ''];
  for (const [index, stream] of [child.stdout, child.stderr].entries()) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      texts[index] += piece;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`${backend.name}: ${texts[1]?.slice(-500)}${texts[0]?.slice(-500)}`);
  const seen: unknown[] = JSON.parse(texts[0] ?? '');
  return seen;
}

for (const backend of BACKENDS) {
  const needed = backend.stack === 'php' ? missing('php') : missing('spyne', 'zeep');
  const options = needed === false ? {} : { skip: needed };
  t.test(
    `${backend.name}: GraphQL returns what the server's own client sees, for every operation`,
    options,
    async (t) => {
      const stack = await startStack(backend.stack);
      const endpoint = `${stack.origin}${backend.path}`;
      const folder = join(t.testdir({}), 'imported');
      const said: string[] = [];
      const terminal = {
        out: (text: string) => said.push(text),
        error: (text: string) => said.push(text),
      };
      t.equal(
        await runProgram(['import', `${endpoint}?wsdl`, '-o', folder], terminal),
        0,
        said.join('\n'),
      );
      const written: Record<string, Record<string, Record<string, unknown>>> = parse(
        await readFile(join(folder, 'soapstone.yaml'), 'utf8'),
      );
      for (const service of Object.values(written['services'] ?? {})) {
        Object.assign(service, { versions: [backend.version] });
        delete service['port'];
      }
      const yaml = stringify({ ...written, listen: '127.0.0.1:0', admin: '127.0.0.1:0' });
      const gateway = await startTestGateway(
        `${yaml}\nlimits: { graphql: { cost: 1000000, depth: 30, tokens: 100000 } }\n`,
        folder,
      );
      const ask = async (
        query: string,
      ): Promise<{ data?: Record<string, unknown> | null; errors?: unknown }> => {
        return askGraphql(gateway.url, query);
      };
      const { data } = await ask(getIntrospectionQuery());
      const schema = buildClientSchema(Object(data));
      const calls = backend.series === 'desk' ? DESK : INVENTORY;
      const seen = await seenByClient(backend, `${endpoint}?wsdl`, endpoint, calls);
      for (const [index, call] of calls.entries()) {
        const answer = await ask(queryFor(call, schema));
        t.equal(answer.errors, undefined, `${call.operation}: ${JSON.stringify(answer.errors)}`);
        t.strictSame(differences(seen[index], Object(answer.data)['it']), [], call.operation);
      }
      await gateway.close();
      await stack.stop();
    },
  );
}

function queryFor(call: Call, schema: GraphQLSchema): string {
  const name = call.operation.charAt(0).toLowerCase() + call.operation.slice(1);
  const root = [schema.getQueryType(), schema.getMutationType()].find(
    (type) => type?.getFields()[name] !== undefined,
  );
  const field = root?.getFields()[name];
  if (!root || field === undefined) throw new Error(`no field ${name}`);
  const [first] = call.arguments;
  const given = call.graphql ?? (first === undefined ? '' : literal(first).slice(1, -1));
  const token =
    call.auth === true ? 'headers: { authToken: { token: "s3cret", tenant: "acme" } }' : '';
  const both = [given, token].filter((part) => part.trim() !== '').join(', ');
  return (
    `${root === schema.getQueryType() ? 'query' : 'mutation'} { it: ` +
    `${name}${both === '' ? '' : `(${both})`} ${wholeSelection(field, schema)} }`
  );
}
