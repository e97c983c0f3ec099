import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import {
  cbcFailures,
  type FailureGroup,
  type FailureKeys,
  gcmFailures,
  rsaFailures,
} from '../kit/encryption-failures.js';
import { startProcess } from '../kit/gateway-process.js';
import { isProgram, isQuick, print, quantile, table, withEndings } from './kit.js';

/**
 * Whether answers and times tell the failures of decryption apart, by Welch's t: `gcm` (the
 * default), `rsa` (PKCS #1 1.5) or `cbc`; `rows=20` is the length of the content, `tries=1000` of
 * each failure. SIGINT ends it with what was tried so far.
 */

const GROUPS: Readonly<Record<string, (keys: FailureKeys, rows: number) => FailureGroup>> = {
  gcm: gcmFailures,
  rsa: rsaFailures,
  cbc: cbcFailures,
};

const TRIES = { full: 100_000, quick: 500 } as const;
/** Requests that are out at the same time. */
const AT_ONCE = 24;
const WARM_UP = 500;

const numberOf = (name: string, usual: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`${name}=`));
  return given === undefined ? usual : Number(given.slice(name.length + 1));
};

interface Failure {
  readonly name: string;
  readonly body: Buffer;
  readonly micros: number[];
  /** How often each answer came. */
  readonly answers: Map<string, number>;
}

export async function benchOracle(quick: boolean): Promise<void> {
  const name = Object.keys(GROUPS).find((each) => process.argv.includes(each)) ?? 'gcm';
  const tries = numberOf('tries', quick ? TRIES.quick : TRIES.full);
  await withEndings(async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const authority = new Authority(folder);
    const [own, other, client] = ['own', 'other', 'erp'].map((each) =>
      authority.sign(each, 30, `/OU=Clients/CN=${each}`, 'DNS:a', RSA_KEY),
    );
    if (own === undefined || other === undefined || client === undefined) return;
    await writeFile(join(folder, 'own.pem'), own.cert);
    await writeFile(join(folder, 'own.key'), own.key);
    await writeFile(join(folder, 'ca.pem'), authority.ca.cert);
    const group = GROUPS[name]?.({ own, other, client }, numberOf('rows', 20));
    if (group === undefined) return;
    const url = await startDesk(t, folder, group);
    const failures = Object.entries(group.messages).map(([each, message]) => ({
      name: each,
      body: Buffer.from(message),
      micros: [],
      answers: new Map<string, number>(),
    }));
    await sendAll(url, failures, tries);
    report(failures);
  });
}

async function startDesk(
  t: Parameters<typeof startProcess>[0],
  folder: string,
  group: FailureGroup,
): Promise<string> {
  const backend = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(202).end());
    request.on('error', () => response.destroy());
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  t.teardown(() => backend.close());
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
  const keys = `[{ key: { file: ${folder}/own.key }, cert: { file: ${folder}/own.pem } }]`;
  const signature = group.isSigned
    ? `, signature: { authorities: { file: ${folder}/ca.pem }, required: [Body] }, ` +
      'timestamp: { maxAgeMillis: none }'
    : '';
  const decrypt = `decrypt: { keys: ${keys}${group.keys} }`;
  const gateway = await startProcess(
    t,
    `services: { desk: { url: "${url}", security: { verify: { ${decrypt}${signature} } } } }
log: { level: error }
limits: { http: { refusalsPerSecond: 0 }, overload: { eventLoopMillis: 0 } }`,
  );
  return `${gateway.url}/soap/desk`;
}

/** Sends the messages in a random order, so that the load of the machine falls on all alike. */
async function sendAll(url: string, failures: readonly Failure[], tries: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const order = failures.flatMap((failure) => Array.from({ length: tries }, () => failure));
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    const [one, two] = [order[at], order[other]];
    if (one === undefined || two === undefined) return;
    order[at] = two;
    order[other] = one;
  }
  let sent = 0;
  process.once('SIGINT', () => {
    sent = order.length;
  });
  const sendOn = async (): Promise<void> => {
    for (let at = sent++; at < order.length; at = sent++) {
      const failure = order[at];
      if (failure === undefined) return;
      const start = process.hrtime.bigint();
      const answer = await send(url, failure.body, agent);
      failure.answers.set(answer, (failure.answers.get(answer) ?? 0) + 1);
      if (at > WARM_UP) failure.micros.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn));
  agent.destroy();
}

/** The answer; a connection that is closed without one is an answer, too. */
function send(url: string, body: Buffer, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'text/xml', 'content-length': body.length };
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const shown = text.replaceAll(/ id="[^"]*"|<id>[^<]*<\/id>/g, '');
        // Not `connection`: it closes after so many requests, whatever they are.
        resolve(`${response.statusCode} ${shown}`);
      });
    });
    request.on('error', ({ message }) => resolve(`no answer: ${message}`)).end(body);
  });
}

function report(failures: readonly Failure[]): void {
  const distinct = new Set(failures.flatMap(({ answers }) => [...answers.keys()]));
  const [first, ...others] = failures;
  if (first === undefined) return;
  const tries = failures.map(({ micros }) => micros.length);
  print(`${Math.min(...tries)} tries of each failure; ${distinct.size} distinct answers\n`);
  const cells = failures.map(({ name, micros }) => [
    name,
    quantile(micros, 0.5).toFixed(0),
    welch(micros, first.micros).toFixed(2),
    welch(cropped(micros), cropped(first.micros)).toFixed(2),
  ]);
  print(
    table(['failure', 'median µs', "Welch's t to the first one", 'fastest nine tenths'], cells),
  );
  for (const answer of distinct.size > 1 ? distinct : []) {
    const counts = failures.map(({ answers }) => answers.get(answer) ?? 0);
    print(`\n${counts.join(', ')} times: ${answer.slice(0, 300)}\n`);
  }
  const worst = Math.max(...others.map(({ micros }) => welch(micros, first.micros)));
  if (distinct.size > 1 || worst >= 4.5) process.exitCode = 1;
}

/** Without the slowest tenth, which is the machine's. */
const cropped = (values: readonly number[]): readonly number[] => {
  const most = quantile(values, 0.9);
  return values.filter((value) => value <= most);
};

function welch(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, error: squares / (values.length - 1) / values.length };
  });
  if (a === undefined || b === undefined) return 0;
  return Math.abs(a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

if (isProgram(import.meta.url)) await benchOracle(isQuick());
