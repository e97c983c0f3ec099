import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, type Identity, RSA_KEY } from '../kit/certificates.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { envelope } from '../kit/envelope.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { signedMessage } from '../kit/signed-message.js';
import { isProgram, isQuick, print, table, withEndings } from './kit.js';

/**
 * Signed messages in which one bit of what is signed has flipped, anywhere: none may be complete at
 * the backend. With `encrypted`: encrypted ones, in which a bit of the content has. For each range
 * of sizes the message as it was is sent as well, and must be.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** How many messages of which sizes, in bytes of their Body. */
const RANGES = [
  { from: KIB, to: 64 * KIB, count: 7_900 },
  { from: 64 * KIB, to: MIB, count: 1_600 },
  { from: MIB, to: 10 * MIB, count: 400 },
  { from: 10 * MIB, to: 100 * MIB, count: 100 },
] as const;

/** Messages that share one size. */
const PER_SIZE = 50;
/** Longest time for which a message is sent after it was signed. */
const FRESH_MILLIS = 60_000;
const SLICE = 256 * KIB;

export async function benchFlips(quick: boolean): Promise<void> {
  return withEndings(async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const authority = new Authority(folder);
    const client = authority.sign('erp', 30, '/OU=Clients/CN=erp', 'DNS:a', RSA_KEY);
    await writeFile(join(folder, 'ca.pem'), authority.ca.cert);
    const backend = await startCounting(t);
    await writeFile(join(folder, 'own.pem'), client.cert);
    await writeFile(join(folder, 'own.key'), client.key);
    const keys = `{ key: { file: ${folder}/own.key }, cert: { file: ${folder}/own.pem } }`;
    const decrypt = `decrypt: { keys: [${keys}], required: [Body] }`;
    const signature = `signature: { authorities: { file: ${folder}/ca.pem }, subjects: ["OU=Clients"] }`;
    const verify = IS_ENCRYPTED ? decrypt : signature;
    const gateway = await startProcess(
      t,
      `services: { desk: { url: "${backend.url}", security: { verify: { ${verify} } } } }
limits: { xml: { messageBytes: 1073741824, elements: 100000000, children: \
100000000, textBytes: 67108864 }, http: { refusalsPerSecond: 0 } }`,
    );
    const rows = [];
    for (const { from, to, count } of RANGES) {
      const began = performance.now();
      const found = await flipAll(gateway, backend, client, {
        from,
        to,
        count: quick ? Math.ceil(count / 50) : count,
      });
      const seconds = ((performance.now() - began) / 1000).toFixed();
      rows.push([
        `${from / KIB} to ${to / KIB} KiB`,
        String(found.sent),
        String(found.complete),
        found.whole,
        seconds,
      ]);
      if (found.complete > 0) process.exitCode = 1;
    }
    const what = IS_ENCRYPTED ? 'encrypted' : 'signed';
    print(`\nMessages with one bit of what is ${what} flipped\n\n`);
    print(
      table(
        ['Body', 'sent', 'complete at the backend', 'unaltered ones complete', 'seconds'],
        rows,
      ),
    );
  });
}

interface Counting {
  readonly url: string;
  complete: number;
}

async function startCounting(t: { teardown(end: () => unknown): void }): Promise<Counting> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      counting.complete++;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(envelope('<ok/>'));
    });
    request.on('error', () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const counting = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    complete: 0,
  };
  return counting;
}

async function flipAll(
  gateway: GatewayProcess,
  backend: Counting,
  client: Identity,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
) {
  let [sent, complete, whole, wholeSent] = [0, 0, 0, 0];
  while (sent < count) {
    const size = Math.round(from * (to / from) ** Math.random());
    const content = sent % (2 * PER_SIZE) === 0 ? elementsOf(size) : textOf(size);
    const { bytes, places } = IS_ENCRYPTED ? encrypted(client, content) : signed(client, content);
    const signedMillis = Date.now();
    const most = size > MIB ? 4 : PER_SIZE;
    for (
      let turn = 0;
      turn < most && sent < count && Date.now() - signedMillis < FRESH_MILLIS;
      turn++
    ) {
      const { start, end } = places[turn % 10 === 9 ? 1 : 0] ?? { start: 0, end: 1 };
      const at = start + Math.floor(Math.random() * (end - start));
      const mask = 1 << Math.floor(Math.random() * 8);
      bytes[at] = (bytes[at] ?? 0) ^ mask;
      const before = backend.complete;
      await send(gateway, bytes);
      sent++;
      if (backend.complete > before) {
        complete++;
        print(
          `complete: byte ${at} ^ ${mask} of ${bytes.length}: ` +
            `${bytes.toString('latin1', at - 40, at + 40)}\n`,
        );
      }
      bytes[at] = (bytes[at] ?? 0) ^ mask;
    }
    const before = backend.complete;
    const answer = await send(gateway, bytes);
    wholeSent++;
    if (backend.complete > before) whole++;
    else print(`not complete: ${bytes.length} bytes as they were: ${answer}\n`);
  }
  return { sent, complete, whole: `${whole} of ${wholeSent}` };
}

const IS_ENCRYPTED = process.argv.includes('encrypted');

/** A message, and where its bits are flipped. */
interface Flippable {
  readonly bytes: Buffer;
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

function signed(client: Identity, content: string): Flippable {
  const { message, body, timestamp } = signedMessage(client, content);
  const bytes = Buffer.from(message);
  const places = [body, timestamp].map((part) => {
    const start = bytes.indexOf(part);
    return { start, end: start + Buffer.byteLength(part) };
  });
  return { bytes, places };
}

/** The letters of the content, and those of its key. */
function encrypted(client: Identity, content: string): Flippable {
  const bytes = Buffer.from(encryptBody(envelope(content), client));
  const [tag, end] = ['<xenc:CipherValue>', '</xenc:CipherValue>'];
  const places = [bytes.lastIndexOf(tag), bytes.indexOf(tag)].map((at) => {
    const start = at + tag.length;
    return { start, end: bytes.indexOf(end, start) };
  });
  return { bytes, places };
}

/** Sends a message; what the gateway answers early ends it. Returns the answer. */
async function send({ url }: GatewayProcess, bytes: Buffer): Promise<string> {
  const sending = httpRequest(`${url}/soap/desk`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'text/xml', 'content-length': bytes.length },
  });
  let isOver = false;
  let answer = '';
  const over = new Promise<void>((resolve) => {
    const end = (error?: Error): void => {
      answer += error?.message ?? '';
      isOver = true;
      resolve();
    };
    sending
      .on('response', (response) => {
        answer = `${response.statusCode} `;
        response
          .on('data', (chunk: Buffer) => {
            answer += chunk.toString();
          })
          .on('close', () => end());
      })
      .on('error', end);
  });
  for (let at = 0; at < bytes.length && !isOver; at += SLICE)
    if (!sending.write(bytes.subarray(at, at + SLICE)))
      await Promise.race([once(sending, 'drain'), over]);
  sending.end();
  await over;
  return answer;
}

const elementsOf = (bytes: number): string =>
  `<Run xmlns="urn:desk">${`<row><name>${'x'.repeat(40)}</name>\
<sum>12.50</sum></row>`.repeat(Math.ceil(bytes / 85))}` + '</Run>';
const textOf = (bytes: number): string =>
  '<Run xmlns="urn:desk">' +
  `${`<data>${'QUJD'.repeat(250_000)}</data>`.repeat(Math.floor(bytes / 1_000_000))}` +
  `<data>${'QUJD'.repeat((bytes % 1_000_000) / 4)}</data></Run>`;

if (isProgram(import.meta.url)) await benchFlips(isQuick());
