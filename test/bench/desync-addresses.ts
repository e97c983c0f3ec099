import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Authority } from '../kit/certificates.js';
import { type SecondAnswers, wayOf } from '../kit/desync-addresses.js';
import { envelope } from '../kit/envelope.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { fileOf, isProgram, isQuick, print } from './kit.js';

const SERVICES = 4;
const ADDRESSES = 200;
const CALLERS = 20;
/** A sign is known to the siblings of a worker so soon. */
const SPREAD_MILLIS = 250;
/** The whole run ends after this. */
const RUN_MILLIS = 170_000;
/** So many calls in turn make the same addresses busy. */
const BUSY_CALLS = 600;
/**
 * One call in so many asks for what was asked for before, and one is made twice at the same time.
 */
const AGAIN_SHARE = 10;
const TWICE_SHARE = 10;

interface Foreign {
  readonly id: number;
  /** The content of the reply. */
  readonly got: string;
  readonly begunMillis: number;
}

interface Found {
  own: number;
  /** Calls without a reply: the codes of their refusals. */
  readonly refused: Map<string, number>;
  readonly foreign: Foreign[];
}

const serviceKeys = (service: number, ports: readonly number[], ca: string): string => `
  calls${service}:
    urls:
${ports.map((port) => `      - https://127.0.0.1:${port}/`).join('\n')}
    balance: { hash: header:x-spread }
    tls: { ca: { file: ${ca} } }
    versions: ["1.1"]
    namespace: urn:calls
    rest: true
    types: |
      type Query { get${service}(id: String!): Reply }
      type Reply { value: String }
    operations:
      Get: { field: Query.get${service}, read: { cacheMillis: 600000, scope: shared } }
`;

const keysOf = (ports: readonly number[], ca: string): string => `workers: 2
limits:
  upstream: { breakerFailures: 0 }
  overload: { eventLoopMillis: 0 }
services:
${Array.from({ length: SERVICES }, (_, service) =>
  serviceKeys(
    service,
    ports.filter((_port, index) => index % SERVICES === service),
    ca,
  ),
).join('')}`;

/** The request for an id, by the three ways that callers have in turn. */
const FORMS: readonly ((id: number) => {
  readonly path: string;
  readonly type: string;
  readonly body: string;
})[] = [
  (id) => ({
    path: `/soap/calls${id % SERVICES}`,
    type: 'text/xml',
    body: envelope(`<Get xmlns="urn:calls"><id>${id}</id></Get>`),
  }),
  (id) => ({
    path: '/graphql',
    type: 'application/json',
    body: JSON.stringify({ query: `{ get${id % SERVICES}(id: "${id}") { value } }` }),
  }),
  (id) => ({
    path: `/rest/calls${id % SERVICES}/Get`,
    type: 'application/json',
    body: JSON.stringify({ id: String(id) }),
  }),
];

function post(agent: Agent, url: string, id: number, form: number): Promise<string> {
  const { path, type, body } = (FORMS[form % FORMS.length] ?? FORMS[0])?.(id) ?? fail();
  return new Promise((resolve) => {
    const headers = {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'x-spread': spreadOf(id),
    };
    const sent = request(url + path, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('end', () => resolve(text))
        .on('error', () => resolve(''));
    });
    sent.on('error', ({ message }) => resolve(message));
    sent.end(body);
  });
}

/**
 * Calls with the same text go to the same address: every other call to one of those that are busy
 * at the moment, the others to any.
 */
const spreadOf = (id: number): string =>
  id % 8 < 4 ? `busy ${Math.floor(id / BUSY_CALLS)}` : `${id}`;

function fail(): never {
  throw new Error('no form');
}

async function callOnce(agent: Agent, url: string, found: Found, id: number, form: number) {
  const begunMillis = Date.now();
  const text = await post(agent, url, id, form);
  const [got, of] = /(\d+)@\d+/.exec(text) ?? [];
  if (got === undefined) {
    const [code = text.slice(0, 60)] = /[A-Z]+_[A-Z_]+/.exec(text) ?? [];
    found.refused.set(code, (found.refused.get(code) ?? 0) + 1);
  } else if (Number(of) === id) found.own++;
  else found.foreign.push({ id, got, begunMillis });
}

async function runCallers(url: string, calls: number, endMillis: number, onHalf: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CALLERS });
  const found: Found = { own: 0, refused: new Map(), foreign: [] };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < calls && Date.now() < endMillis) {
      const id = next++;
      if (id === calls >> 1) onHalf();
      await Promise.all(
        Array.from({ length: id % TWICE_SHARE === 0 ? 2 : 1 }, () =>
          callOnce(agent, url, found, id, id),
        ),
      );
      if (id % AGAIN_SHARE === 1) await callOnce(agent, url, found, id >> 1, id + 1);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
  agent.destroy();
  return found;
}

/** When the gateway first found out that each address is out of step, by its port. */
function firstSigns({ lines }: GatewayProcess): ReadonlyMap<string, number> {
  const signs = new Map<string, number>();
  for (const { msg, address, time } of lines) {
    if (msg !== 'connections are not reused') continue;
    const [, port = ''] = /:(\d+)/.exec(String(address)) ?? [];
    const atMillis = typeof time === 'number' ? time : Date.parse(String(time));
    signs.set(port, Math.min(signs.get(port) ?? Number.POSITIVE_INFINITY, atMillis));
  }
  return signs;
}

function startBackend(directory: string): ChildProcess {
  return fork(
    fileOf('../kit/desync-addresses.js'),
    [String(ADDRESSES), join(directory, 'c.pem'), join(directory, 'k.pem')],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
}

/**
 * Callers of a backend with 200 addresses over TLS, each of which sends second answers, through two
 * workers that are replaced at half time. At most one caller in 30,000 may get the reply of
 * another, and after the first sign of an address none from there: the program exits with 1
 * otherwise.
 */
export async function benchDesyncAddresses(calls: number): Promise<void> {
  const ends: (() => unknown)[] = [];
  const endMillis = Date.now() + RUN_MILLIS;
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-desync-'));
  const authority = new Authority(directory);
  const { cert, key } = authority.sign('calls');
  await writeFile(join(directory, 'c.pem'), cert);
  await writeFile(join(directory, 'k.pem'), key);
  const ca = join(directory, 'authority.pem');
  const backend = startBackend(directory);
  const [ports]: number[][] = await once(backend, 'message');
  const gateway = await startProcess(
    { teardown: (end: () => unknown) => void ends.push(end) },
    keysOf(ports ?? [], ca),
  );
  const startedMillis = Date.now();
  const { own, refused, foreign } = await runCallers(gateway.url, calls, endMillis, () =>
    gateway.child.kill('SIGUSR2'),
  );
  const seconds = (Date.now() - startedMillis) / 1000;
  await delay(SPREAD_MILLIS);
  backend.send('sent');
  const [sent]: SecondAnswers[] = await once(backend, 'message');
  const signs = firstSigns(gateway);
  const isAfter = ({ got, begunMillis }: Foreign): boolean =>
    begunMillis > (signs.get(got.split('@')[1] ?? '') ?? Number.POSITIVE_INFINITY) + SPREAD_MILLIS;
  const after = foreign.filter(isAfter).length;
  const before = foreign.length - after;
  const made = own + foreign.length + [...refused.values()].reduce((sum, each) => sum + each, 0);
  print(
    `\n${made} calls of ${CALLERS} callers to ${ADDRESSES} addresses, ${seconds.toFixed(0)} s\n`,
  );
  print(`  second answers ${JSON.stringify(sent)}, addresses with a sign ${signs.size}\n`);
  print(`  own reply ${own}\n`);
  for (const [code, count] of refused) print(`  ${code} ${count}\n`);
  print(`  reply of another before the first sign ${before}, after it ${after}\n`);
  for (const { id, got } of foreign)
    print(`    ${id} got ${got}, a second answer ${wayOf(Number.parseInt(got, 10))}\n`);
  for (const end of ends) await end();
  backend.disconnect();
  await rm(directory, { recursive: true });
  if (after > 0 || before > Math.max(1, made / 30_000)) process.exitCode = 1;
}

if (isProgram(import.meta.url)) {
  const at = process.argv.indexOf('--calls');
  await benchDesyncAddresses(at > 0 ? Number(process.argv[at + 1]) : isQuick() ? 3_000 : 30_000);
}
