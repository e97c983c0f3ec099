import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import {
  childrenOf,
  type GatewayProcess,
  MAIN,
  startProcess,
  terminate,
} from '../kit/gateway-process.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useRedis } from '../redis/kit.js';
import type { BackendLedger } from './everything/backend.js';
import { type Answer, Connections, NoAnswer } from './everything/caller.js';
import { type CallSite, Deviation, KINDS, type Kind, type Write } from './everything/calls.js';
import { configurationOf, SERVICES, wsdlOfService } from './everything/configuration.js';
import { Disturbance } from './everything/disturbance.js';
import { SeededRandom } from './everything/random.js';
import { type Watched, Watcher } from './everything/watcher.js';
import { fileOf, isProgram, median, mib, print, residentBytes, table, withEndings } from './kit.js';

const CALLERS = 12;
const WATCHERS = 6;
/** Between two calls of a caller. */
const PAUSE_MILLIS = 40;
const LOOK_MILLIS = 5_000;
const CALM_MILLIS = 60_000;
/** Growth of resident memory from the second tenth of the run to the last. */
const GROWTH_MAX = 1.5;
const SHOWN = 30;

/** Refusals that the failures of backends, Redis and workers explain. */
const EXPLAINED = new Set([
  'UPSTREAM_RESET',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_HTTP_ERROR',
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_DESYNC',
  'UPSTREAM_AUTH',
  'UPSTREAM_TRUNCATED',
  'CIRCUIT_OPEN',
  'POOL_EXHAUSTED',
  'OVERLOADED',
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'IDEMPOTENCY_UNAVAILABLE',
  'IDEMPOTENCY_KEY_IN_USE',
  'HTTP 502',
  'HTTP 503',
  'HTTP 504',
  'a tool',
]);

/** What became of the calls of one kind. */
interface Tally {
  right: number;
  refused: number;
  cut: number;
  wrong: number;
}

interface Found {
  readonly tallies: Map<string, Tally>;
  readonly codes: Map<string, number>;
  readonly wrong: string[];
  readonly writes: Write[];
  /** The ids of requests, and when their answers came. */
  readonly answered: { readonly id: string; readonly atMillis: number }[];
  readonly memory: number[];
}

const newFound = (): Found => ({
  tallies: new Map(KINDS.map(([, [name]]) => [name, { right: 0, refused: 0, cut: 0, wrong: 0 }])),
  codes: new Map(),
  wrong: [],
  writes: [],
  answered: [],
  memory: [],
});

/** Makes calls one after the other until `endMillis`. */
class Caller {
  readonly #site: Omit<CallSite, 'write'>;
  readonly #found: Found;
  readonly #disturbance: Disturbance;

  constructor(site: Omit<CallSite, 'write'>, found: Found, disturbance: Disturbance) {
    this.#site = site;
    this.#found = found;
    this.#disturbance = disturbance;
  }

  async run(endMillis: number): Promise<void> {
    while (performance.now() < endMillis) {
      const [name, kind] = this.#site.random.pick(KINDS);
      await this.#call(name, kind);
      await wait(PAUSE_MILLIS * 2 * this.#site.random.next());
    }
  }

  async #call(name: string, kind: Kind): Promise<void> {
    const found = this.#found;
    const tally = found.tallies.get(name);
    if (tally === undefined) return;
    const beganMillis = performance.now();
    const isKeyed = name.startsWith('keyed');
    const write = (id: number): Write => {
      const made = { id, isKeyed, isAnswered: false };
      found.writes.push(made);
      return made;
    };
    try {
      const answers = await kind({ ...this.#site, write });
      tally.right++;
      this.#note(answers);
    } catch (caught) {
      this.#failed(name, tally, caught, beganMillis);
    }
  }

  #note(answers: readonly Answer[]): void {
    for (const { headers } of answers) {
      const id = headers['x-request-id'];
      const atMillis = performance.now();
      if (typeof id === 'string') this.#found.answered.push({ id, atMillis });
    }
  }

  #failed(name: string, tally: Tally, caught: unknown, beganMillis: number): void {
    const found = this.#found;
    if (caught instanceof Deviation && caught.code !== null && EXPLAINED.has(caught.code)) {
      tally.refused++;
      found.codes.set(caught.code, (found.codes.get(caught.code) ?? 0) + 1);
      return;
    }
    const isBroken = caught instanceof NoAnswer && caught.reason !== 'hangs';
    // A download is passed on while it comes: it breaks off where its backend does.
    const isCut = name === 'download' || this.#disturbance.isCut(beganMillis, performance.now());
    // A server may close a kept connection while a request is on its way (RFC 9112, section 9.3.1).
    const isClosed = isBroken && caught.isReused;
    if ((isBroken && isCut) || isClosed) {
      tally.cut++;
      return;
    }
    tally.wrong++;
    const on = caught instanceof NoAnswer ? (caught.isReused ? 'kept' : 'fresh') : 'any';
    const about = `on a ${on} connection, ${this.#disturbance.latest}`;
    const line = `${new Date().toISOString()} ${name}: ${String(caught)}, ${about}`;
    found.wrong.push(line);
    print(`    ${line}\n`);
  }
}

/**
 * Everything at once, for so many minutes, by a seed: SOAP, GraphQL, REST and MCP through two
 * workers with Redis over TLS, while backends fail, the configuration is reloaded, and workers and
 * Redis are killed. Prints one table, and what was wrong, lost, doubled or stuck; then it exits
 * with 1.
 */
export async function benchEverything(minutes: number, seed: number): Promise<void> {
  await withEndings(async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-everything-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { ca, signer } = await writeFiles(folder);
    const backend = fork(fileOf('everything/backend.js'), [folder, String(seed)]);
    t.teardown(() => void (backend.connected && backend.disconnect()));
    const [ports]: number[][] = await once(backend, 'message');
    const redis = await useRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const issuer = await makeIssuer();
    const url = (at: number): string => `https://127.0.0.1:${ports?.[at]}`;
    const [plain, signed, verified, tokens] = SERVICES.map((_, at) => url(at));
    const parts = {
      folder,
      backendUrls: {
        plain: plain ?? '',
        signed: signed ?? '',
        verified: verified ?? '',
        tokens: tokens ?? '',
      },
      tokenUrl: `${url(SERVICES.length)}/token`,
      redisUrl: redis.url,
      jwt: issuer.yaml('class: all'),
    };
    const listen = (address: string): string =>
      `{ address: "${address}", tls: { cert: { file: ${folder}/gateway.pem }, key: { file: ` +
      `${folder}/gateway-key.pem } } }`;
    const log = openSync(`${folder}/log.jsonl`, 'a');
    t.teardown(() => closeSync(log));
    const gateway = await startProcess(t, configurationOf(parts, 0), { log, listen });
    const gatewayUrl = gateway.url.replace('http:', 'https:');
    const disturbance = new Disturbance(
      gateway,
      redis,
      (turn) => configurationOf(parts, turn),
      new SeededRandom(seed + 100),
    );
    disturbance.listen = listen(gateway.url.slice('http://'.length));
    const found = newFound();
    const watched: Watched = { sessions: 0, events: 0, errors: 0, wrong: [] };
    const watchers = Array.from(
      { length: WATCHERS },
      (_, id) => new Watcher(gatewayUrl, ca, 1 + (id >> 1), watched),
    );
    const connections = new Connections(gatewayUrl, ca);
    let ids = 0;
    const endMillis = performance.now() + minutes * 60_000;
    const looking = setInterval(() => found.memory.push(memoryOf(gateway)), LOOK_MILLIS);
    await Promise.all(
      Array.from({ length: CALLERS }, (_, at) => {
        const random = new SeededRandom(seed + 1000 + at);
        const site = { connections, random, issuer, signer, nextId: () => (ids += 10) };
        return new Caller(site, found, disturbance).run(endMillis);
      }),
    );
    clearInterval(looking);
    // Without writes there are no events.
    const stopping = disturbance.stop();
    for (const watcher of watchers) await watcher.stop();
    await stopping;
    connections.close();
    const open = await openGauges(gateway);
    const { code } = await terminate(gateway.child);
    const wrong = [
      ...found.wrong,
      ...watched.wrong,
      ...disturbance.done.wrong,
      ...open.map((line) => `still open: ${line}`),
      ...(code === 0 ? [] : [`the gateway ended with ${code}`]),
      ...ledgerErrors(found, await ledgerOf(backend)),
      ...logErrors(found, folder, disturbance),
      ...memoryErrors(found.memory),
    ];
    report(found, watched, disturbance, seed, minutes);
    print(`\n  wrong, lost, doubled or stuck: ${wrong.length}\n`);
    for (const line of wrong.slice(0, SHOWN)) print(`    ${line}\n`);
    if (wrong.length > 0) process.exitCode = 1;
  });
}

/** Certificates, keys and WSDLs. */
async function writeFiles(folder: string) {
  const own = join(folder, 'authority');
  await mkdir(own);
  const authority = new Authority(own);
  const [gateway, backend] = [authority.sign('gateway'), authority.sign('backend')];
  const signer = authority.sign('caller', 30, '/CN=caller', 'DNS:a', RSA_KEY);
  const files = {
    'ca.pem': authority.ca.cert,
    'gateway.pem': gateway.cert,
    'gateway-key.pem': gateway.key,
    'backend.pem': backend.cert,
    'backend-key.pem': backend.key,
    ...Object.fromEntries(SERVICES.map((name) => [`${name}.wsdl`, wsdlOfService(name)])),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { ca: authority.ca.cert, signer };
}

function memoryOf({ child }: GatewayProcess): number {
  try {
    const pids = [child.pid ?? 0, ...childrenOf(child)];
    return pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
  } catch {
    // A process has ended meanwhile.
    return 0;
  }
}

const GAUGES =
  /^soapstone_(?:upstream_calls_(?:active|waiting|paced)|call_sharers|websockets|subscriptions_active|subscription_pollers|refusals_held|client_connections|audit_lines_waiting|log_lines_waiting)(?:\{.*\})? (?!0$).*$/gm;

/** Gauges of open things that are not 0 within a minute. */
async function openGauges({ adminUrl }: GatewayProcess): Promise<readonly string[]> {
  const endMillis = performance.now() + CALM_MILLIS;
  for (;;) {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    const open = text.match(GAUGES) ?? [];
    if (open.length === 0 || performance.now() > endMillis) return open;
    await wait(500);
  }
}

async function ledgerOf(backend: ChildProcess): Promise<BackendLedger> {
  backend.send('ledger');
  const [ledger]: BackendLedger[] = await once(backend, 'message');
  if (ledger === undefined) throw new Error('no ledger');
  print(`\n  failures of backends: ${JSON.stringify(ledger.faults)}\n`);
  return ledger;
}

function ledgerErrors({ writes }: Found, ledger: BackendLedger): readonly string[] {
  const errors = ledger.unsigned === 0 ? [] : [`${ledger.unsigned} messages without a signature`];
  for (const { id, isKeyed, isAnswered } of writes) {
    const times = ledger.writes[String(id)] ?? 0;
    const kind = isKeyed ? 'keyed write' : 'write';
    if (times > 1) errors.push(`${kind} ${id} was made ${times} times`);
    if (isAnswered && times === 0) errors.push(`${kind} ${id} was answered and not made`);
  }
  return errors;
}

/** Lines of the log that are none, of bugs, or missing; and what the audit's verification says. */
function logErrors(
  { answered }: Found,
  folder: string,
  disturbance: Disturbance,
): readonly string[] {
  const errors: string[] = [];
  const logged = new Set<string>();
  for (const line of readFileSync(`${folder}/log.jsonl`, 'utf8').trimEnd().split('\n')) {
    try {
      const { id, code, msg }: { id?: string; code?: string; msg?: string } = JSON.parse(line);
      if (msg === 'request' && id !== undefined) logged.add(id);
      if (code === 'INTERNAL' || line.includes('"stack"'))
        errors.push(`log: ${line.slice(0, 600)}`);
    } catch {
      errors.push(`log: no JSON: ${line.slice(0, 200)}`);
    }
  }
  const missing = answered.filter(({ id }) => !logged.has(id));
  // A worker that is killed loses the lines that it has not written.
  const lost = missing.filter(({ atMillis }) => !disturbance.isKilledAfter(atMillis));
  print(`  lines of the log lost by killed workers: ${missing.length - lost.length}\n`);
  if (lost.length > 0 || answered.length === 0)
    errors.push(`${lost.length} of ${answered.length} requests are not in the log: ${lost[0]?.id}`);
  const verify = spawnSync(process.execPath, [MAIN, 'audit', 'verify', `${folder}/audit.jsonl`], {
    encoding: 'utf8',
  });
  print(`  audit: ${(verify.stdout + verify.stderr).trim().replaceAll('\n', '\n    ')}\n`);
  if (verify.status !== 0) errors.push('the audit is not verified');
  return errors;
}

function memoryErrors(memory: readonly number[]): readonly string[] {
  const tenth = Math.ceil(memory.length / 10);
  const early = median(memory.slice(tenth, 2 * tenth));
  const late = median(memory.slice(-tenth));
  print(
    `  memory of all processes: ${mib(early)} MiB in the second tenth, ${mib(late)} in the last\n`,
  );
  return late > GROWTH_MAX * early ? [`memory grew from ${mib(early)} to ${mib(late)} MiB`] : [];
}

function report(
  { tallies, codes, writes }: Found,
  watched: Watched,
  { done }: Disturbance,
  seed: number,
  minutes: number,
): void {
  print(`\nEverything at once, ${minutes} minutes, seed ${seed}\n\n`);
  const rows = [...tallies].map(([name, { right, refused, cut, wrong }]) =>
    [name, right, refused, cut, wrong].map(String),
  );
  print(table(['call', 'right', 'refused', 'cut', 'wrong'], rows));
  print(`\n  refused: ${JSON.stringify(Object.fromEntries(codes))}\n`);
  print(`  writes: ${writes.length}, answered ${writes.filter((it) => it.isAnswered).length}\n`);
  const { sessions, events, errors } = watched;
  print(`  subscriptions: ${sessions} sessions, ${events} events, ${errors} with errors\n`);
  const { wrong: _wrong, ...counts } = done;
  print(`  done to it: ${JSON.stringify(counts)}\n`);
}

/** `--minutes 30 --seed 1`. */
const numberIn = (flag: string, usual: number): number => {
  const at = process.argv.indexOf(flag);
  return at === -1 ? usual : Number(process.argv[at + 1]);
};

if (isProgram(import.meta.url))
  await benchEverything(numberIn('--minutes', 30), numberIn('--seed', 1));
