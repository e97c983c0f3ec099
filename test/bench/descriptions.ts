import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { envelope } from '../kit/envelope.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { LoopHolds } from '../kit/loop-holds.js';
import { isProgram, median, print, quantile, table, withEndings } from './kit.js';
import { largeWsdl } from './wsdl.js';

const SERVICES = 7;
const OPERATIONS = 100;
const TYPES = 120;
const CLIENTS = 20;
/** How often each client asks for each description. */
const ROUNDS = 5;
const ALONE_CALLS = 300;
/** V8 has compiled what a small call runs by then. */
const WARM_UP_CALLS = 3000;
const CALM_MILLIS = 1000;

const BAR_RATIO = 1.5;
const BAR_TURN_MILLIS = 50;
const BAR_CALL_RATIO = 2;

const SAME_KEY = 'key-of-the-same-right-00';
const ownKey = (client: number): string => `key-of-own-right-${client}-00`;

/** The descriptions that clients ask for, in turn. */
const DESCRIPTIONS = [
  'tools/list',
  'search_tools',
  'openapi.json',
  'introspection',
  'docs',
] as const;
type Description = (typeof DESCRIPTIONS)[number];

interface Run {
  readonly name: string;
  /** Milliseconds of all requests for each description. */
  readonly millis: ReadonlyMap<Description, number>;
  /** The first round, in which descriptions are made. */
  readonly firstMillis: number;
  readonly laterMillis: number;
  readonly callMillis: readonly number[];
  readonly turnMillis: number;
}

/**
 * Descriptions of 700 operations for 20 clients, of one right and of 20 in turn: the ratio of their
 * times, the longest turn of the gateway's event loop, and a small SOAP call beside them to one
 * alone. The program exits with 1 beyond a bar. `--cpu` counts turns by processor time.
 */
export async function benchDescriptions(isCpu: boolean): Promise<void> {
  await withEndings(async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-descriptions-'));
    t.teardown(() => rm(folder, { recursive: true }));
    // By these names they read, and agents may call them.
    const wsdl = largeWsdl(TYPES, OPERATIONS).replaceAll('name="Op', 'name="GetItem');
    await writeFile(join(folder, 'large.wsdl'), wsdl);
    const reply = envelope('<O0 xmlns="urn:t"/>');
    const backend = createServer((asked, response) => {
      asked.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/xml' }).end(reply);
      });
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      backend.closeAllConnections();
      backend.close();
    });
    const { port } = backend.address() as AddressInfo;
    const holds = await LoopHolds.start(t);
    const keys = keysOf(folder, `http://127.0.0.1:${port}`);
    const alone: number[] = [];
    const runs: Run[] = [];
    // Each run has a gateway of its own: nothing is made before.
    for (const [name, keyOf] of [
      ['one right', () => SAME_KEY],
      [`${CLIENTS} rights in turn`, ownKey],
    ] as const) {
      const gateway = await startProcess(t, keys, holds.options);
      for (let call = 0; call < WARM_UP_CALLS; call++) await callSmall(gateway);
      await wait(CALM_MILLIS);
      for (let call = 0; call < ALONE_CALLS; call++) alone.push(await callSmall(gateway));
      await holds.take(gateway);
      const run = await askAll(gateway, name, keyOf);
      const { millis, cpuMillis } = await holds.take(gateway);
      runs.push({ ...run, turnMillis: isCpu ? Math.min(millis, cpuMillis) : millis });
      gateway.child.kill('SIGTERM');
    }
    report(runs, alone);
  });
}

const keysOf = (folder: string, url: string): string => {
  const names = Array.from({ length: SERVICES }, (_, at) => `s${at}`);
  const clients = Array.from({ length: CLIENTS }, (_, at) => at);
  // Each may call all but one operation of each service, which is another one for each.
  const without = (client: number): string =>
    names.map((name) => `${name}.GetItem${client + 1}`).join(', ');
  return `services:
${names.map((name) => `  ${name}: { wsdl: ${folder}/large.wsdl, url: "${url}/${name}", rest: true }\n`).join('')}\
mcp: { operations: [${names.map((name) => `${name}.*`).join(', ')}] }
graphql: { introspection: true }
console: {}
clients:
  apiKeys:
    clients:
      same: { class: same, keys: [${SAME_KEY}] }
${clients.map((at) => `      c${at}: { class: c${at}, keys: [${ownKey(at)}] }\n`).join('')}\
  classes:
    same: { deny: [${without(CLIENTS)}] }
${clients.map((at) => `    c${at}: { deny: [${without(at)}] }\n`).join('')}\
limits:
  overload: { eventLoopMillis: 0 }
  graphql: { cost: 100000000 }
`;
};

async function askAll(
  gateway: GatewayProcess,
  name: string,
  keyOf: (client: number) => string,
): Promise<Omit<Run, 'turnMillis'>> {
  const millis = new Map<Description, number>(DESCRIPTIONS.map((each) => [each, 0]));
  const callMillis: number[] = [];
  let isOver = false;
  const calling = (async () => {
    while (!isOver) callMillis.push(await callSmall(gateway));
  })();
  calling.catch(() => {});
  let [firstMillis, laterMillis] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    for (const description of DESCRIPTIONS) {
      for (let client = 0; client < CLIENTS; client++) {
        const begin = performance.now();
        await ask(gateway, description, keyOf(client));
        const took = performance.now() - begin;
        millis.set(description, (millis.get(description) ?? 0) + took);
        if (round === 0) firstMillis += took;
        else laterMillis += took;
      }
    }
  }
  isOver = true;
  await calling;
  return { name, millis, firstMillis, laterMillis, callMillis };
}

async function ask(
  { url, adminUrl }: GatewayProcess,
  description: Description,
  key: string,
): Promise<void> {
  const own = { 'x-api-key': key };
  const json = { ...own, 'content-type': 'application/json' };
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...json, ...more },
      body: JSON.stringify(body),
    });
  const tool = (method: string, params: object) =>
    post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params },
      {
        'mcp-protocol-version': '2025-11-25',
        accept: 'application/json, text/event-stream',
      },
    );
  const asked: Readonly<Record<Description, () => Promise<Response>>> = {
    'tools/list': () => tool('tools/list', {}),
    search_tools: () =>
      tool('tools/call', { name: 'search_tools', arguments: { query: 'item 1 2 3' } }),
    'openapi.json': () => fetch(`${url}/rest/openapi.json`, { headers: own }),
    introspection: () => post('/graphql', { query: getIntrospectionQuery() }),
    docs: () => fetch(`${adminUrl}/console/description`),
  };
  const answer = await asked[description]();
  const text = await answer.text();
  if (answer.status !== 200 || text.includes('"isError":true') || text.startsWith('{"errors"')) {
    throw new Error(`${description}: ${answer.status} ${text.slice(0, 300)}`);
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const SMALL = envelope('<I0 xmlns="urn:t"/>');

/** Milliseconds of a small SOAP call on a kept connection. */
function callSmall({ url }: GatewayProcess): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'text/xml',
      soapaction: '""',
      'content-length': SMALL.length,
      'x-api-key': SAME_KEY,
    };
    const sent = request(`${url}/soap/s0`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begin);
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(SMALL);
  });
}

function report(runs: readonly Run[], alone: readonly number[]): void {
  const [same, own] = runs;
  if (same === undefined || own === undefined) return;
  const total = ({ firstMillis, laterMillis }: Run): number => firstMillis + laterMillis;
  const ratio = (each: (run: Run) => number): string => (each(own) / each(same)).toFixed(2);
  print(
    `\n${SERVICES * OPERATIONS} operations, ${CLIENTS} clients ask ${ROUNDS} times for each ` +
      'description\n\n',
  );
  const rowOf = (name: string, each: (run: Run) => number): string[] => [
    name,
    each(same).toFixed(0),
    each(own).toFixed(0),
    ratio(each),
  ];
  print(
    table(
      ['ms', same.name, own.name, 'ratio'],
      [
        ...DESCRIPTIONS.map((name) => rowOf(name, ({ millis }) => millis.get(name) ?? 0)),
        rowOf('the first round', ({ firstMillis }) => firstMillis),
        rowOf('later rounds', ({ laterMillis }) => laterMillis),
        rowOf('all', total),
      ],
    ),
  );
  const turn = Math.max(...runs.map(({ turnMillis }) => turnMillis));
  print(`\n  longest turn of the event loop: ${turn.toFixed(1)} ms\n`);
  const middle = median(alone);
  const beside = runs.map(({ name, callMillis }) => {
    const p99 = quantile(callMillis, 0.99).toFixed(1);
    return { name, p99, times: median(callMillis) / middle, calls: callMillis.length };
  });
  print(`  a small SOAP call alone: ${middle.toFixed(2)} ms\n`);
  for (const { name, p99, times, calls } of beside)
    print(
      `  beside ${name}: ${times.toFixed(2)} times, 99th percentile ${p99} ms, ${calls} calls\n`,
    );
  const isOver =
    total(own) / total(same) > BAR_RATIO ||
    turn > BAR_TURN_MILLIS ||
    beside.some(({ times }) => times > BAR_CALL_RATIO);
  if (isOver) process.exitCode = 1;
}

if (isProgram(import.meta.url)) await benchDescriptions(process.argv.includes('--cpu'));
