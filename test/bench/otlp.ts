import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { envelope } from '../kit/envelope.js';
import { fileOf, isProgram, isQuick, median, print, type Server, startServer } from './kit.js';
import { startKeys } from './soapstone.js';

/** Requests of metrics are sent as often as they may be; by default it is once a minute. */
const EVERY_MILLIS = 1000;
const DEFAULT_MILLIS = 60_000;
const TURN_MILLIS = 3000;
const SERVICES = [1, 50, 500];

/**
 * Processor time of metrics by OTLP: an idle gateway whose services were all called, beside one
 * without, in the same seconds. The share is that of one processor with the default interval.
 */
export async function benchOtlp(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const receiver = new Receiver();
  const otlp = `metrics: { otlp: "${await receiver.listen()}/v1/metrics", everyMillis: ${EVERY_MILLIS} }\n`;
  print('\nMetrics by OTLP: processor time of each request of it, and its share of a minute\n\n');
  for (const services of quick ? SERVICES.slice(0, 2) : SERVICES) {
    const keys = `services:\n${servicesAt(backend.url, services)}`;
    const pair = { without: await startKeys(keys), with: await startKeys(keys + otlp) };
    for (const { url } of Object.values(pair)) await callAll(url, services);
    const figures: number[] = [];
    for (let turn = 0; turn < (quick ? 3 : 10); turn++) {
      receiver.reset();
      const [plain, sending] = await Promise.all([usedIn(pair.without), usedIn(pair.with)]);
      figures.push((sending - plain) / 1000 / Math.max(1, receiver.requests));
    }
    const millis = median(figures);
    print(
      `  ${String(services).padStart(3)} services: ${millis.toFixed(2)} ms for ` +
        `${(receiver.bytes / 1024 / Math.max(1, receiver.requests)).toFixed(0)} KiB, ` +
        `${((millis / DEFAULT_MILLIS) * 100).toFixed(3)} %\n`,
    );
    for (const server of Object.values(pair)) await server.stop();
  }
  receiver.close();
  await backend.stop();
}

const servicesAt = (url: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `  s${at}: { url: "${url}/soap/bench" }\n`).join('');

async function callAll(url: string, services: number): Promise<void> {
  const body = envelope('<GetStock xmlns="urn:shop"/>');
  for (let at = 0; at < services; at++) {
    const answer = await fetch(`${url}/soap/s${at}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body,
    });
    await answer.arrayBuffer();
  }
}

/** Microseconds of processor time that a process uses in one turn. */
async function usedIn(server: Server): Promise<number> {
  const before = (await server.usage()).cpuMicros;
  await pause(TURN_MILLIS);
  return (await server.usage()).cpuMicros - before;
}

class Receiver {
  requests = 0;
  bytes = 0;
  readonly #server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (this.bytes += chunk.length));
    request.on('end', () => {
      this.requests++;
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.requests = 0;
    this.bytes = 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

if (isProgram(import.meta.url)) await benchOtlp(isQuick());
