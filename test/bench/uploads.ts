import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileWsdl, savedReply } from '../features/file-desk.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { postGraphql } from '../kit/graphql-client.js';
import { FORM_TYPE, uploadForm } from '../kit/upload-form.js';
import { isProgram, isQuick, mib, print, table, withEndings } from './kit.js';

/** The bar of the project for a file of 1 GiB. */
const BAR_MIB = 48;
const PIECE = Buffer.from(Array.from({ length: 65_536 }, (_, n) => (n * 7 + (n >> 8)) & 0xff));
const SAVE = 'mutation ($content: Base64) { save(content: $content) }';
/** As `memory.ts` warms the gateway up. */
const SMALL_CALLS = 2000;
const SMALL = 'mutation { save(content: "AAEC") }';
const LOOK_MILLIS = 20;

/**
 * How much the memory of the gateway's process grows while one long file flows through it to a
 * backend.
 */
export async function benchUploads(quick: boolean): Promise<void> {
  const bytes = quick ? 2 ** 28 : 2 ** 30;
  const rows = [
    await streamed('a part of a package', 'mtom: true', bytes),
    await streamed('base64', 'mtom: false', bytes),
  ];
  print(`\nMemory while a file of ${mib(bytes)} MiB is uploaded\n\n`);
  print(table(['as', 'idle MiB', 'peak MiB', 'growth MiB', 'bar MiB', 'MiB/s', 'bytes'], rows));
}

async function streamed(name: string, keys: string, bytes: number): Promise<readonly string[]> {
  return withEndings(async (t) => {
    const backend = await startCounting(t);
    const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'files.wsdl'), fileWsdl());
    const service =
      `wsdl: ${folder}/files.wsdl, url: "${backend.url}", operations: { Save: { field: ` +
      `Mutation.save } }, ${keys}`;
    const gateway = await startProcess(t, `services: { files: { ${service} } }`);
    for (let call = 0; call < SMALL_CALLS; call++)
      await postGraphql(gateway.url, { query: SMALL }).then((it) => it.text());
    await upload(gateway, PIECE.length);
    const idle = residentBytes(gateway);
    let peak = idle;
    const timer = setInterval(() => {
      peak = Math.max(peak, residentBytes(gateway));
    }, LOOK_MILLIS);
    const begin = performance.now();
    const digest = await upload(gateway, bytes);
    const millis = performance.now() - begin;
    clearInterval(timer);
    const isSame =
      keys === 'mtom: true'
        ? backend.digests.includes(digest)
        : backend.digests.length > SMALL_CALLS + 1;
    const rate = mib(bytes / (millis / 1000));
    return [
      name,
      mib(idle),
      mib(peak),
      mib(peak - idle),
      String(BAR_MIB),
      rate,
      isSame ? 'the same' : 'OTHERS',
    ];
  });
}

/** A backend that keeps nothing but the digest of the last part of each message. */
async function startCounting(t: { teardown(end: () => unknown): void }) {
  const digests: string[] = [];
  const server = createServer(async (request, response) => {
    const boundary = /boundary="([^"]+)"/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
    const tail = Buffer.byteLength(`\r\n--${boundary}--\r\n`);
    const hash = createHash('sha256');
    let held = Buffer.alloc(0);
    let isContent = false;
    for await (const chunk of request) {
      if (boundary === '') continue;
      held = Buffer.concat([held, chunk]);
      // The content begins behind the head of the second part.
      if (!isContent) {
        const end = held.indexOf('\r\n\r\n', held.indexOf(`\r\n--${boundary}`));
        if (end < 0 || held.indexOf(`\r\n--${boundary}`) < 0) continue;
        held = held.subarray(end + 4);
        isContent = true;
      }
      if (held.length <= tail) continue;
      hash.update(held.subarray(0, -tail));
      held = Buffer.from(held.subarray(-tail));
    }
    digests.push(hash.digest('hex'));
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' }).end(savedReply(7));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, digests };
}

/** Uploads so many bytes; returns their digest. */
async function upload({ url }: GatewayProcess, bytes: number): Promise<string> {
  const [head, tail] = uploadForm(SAVE, { content: '|' }).toString().split('\r\n\r\n|');
  const headers = { 'content-type': FORM_TYPE, 'x-requested-with': 'bench' };
  const sending = httpRequest(`${url}/graphql`, { method: 'POST', headers });
  const answering = once(sending, 'response');
  const hash = createHash('sha256');
  sending.write(`${head}\r\n\r\n`);
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    hash.update(PIECE);
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end(tail);
  const [response] = await answering;
  response.resume();
  await finished(response);
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  return hash.digest('hex');
}

const residentBytes = ({ child }: GatewayProcess): number => {
  const [, kilobytes = ''] =
    /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
};

if (isProgram(import.meta.url)) await benchUploads(isQuick());
