import { Readable } from 'node:stream';

import { type Dispatcher, Pool } from 'undici';

import { callAll } from './kit.js';
import {
  type LongEnvelope,
  longEnvelope,
  type Shape,
  SMALL_REPLY,
  SMALL_REQUEST,
  type SmallCall,
} from './messages.js';
import { PATH } from './soapstone.js';

const CONNECTIONS = 24;
const HEADERS = [
  'content-type',
  'text/xml; charset=utf-8',
  'soapaction',
  '"urn:example:orders/GetOrders"',
];

/** What asks: one per proxy, its connections are kept. */
export class Load {
  readonly #pool: Pool;
  readonly #connections: number;

  /** `ca` is the authority of a server with TLS, as PEM. */
  constructor(url: string, ca?: string, connections: number = CONNECTIONS) {
    this.#connections = connections;
    const fixed = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
    this.#pool = new Pool(url, ca === undefined ? fixed : { ...fixed, connect: { ca } });
  }

  /** One small request. Rejects unless it is answered as it should be. */
  async one(): Promise<void> {
    const bytes = await this.post(PATH, HEADERS, SMALL_REQUEST);
    if (bytes !== SMALL_REPLY.length) throw new Error(`a reply of ${bytes} bytes`);
  }

  /**
   * So many small requests, as many at a time as there are connections; the milliseconds of each.
   */
  async small(count: number): Promise<readonly number[]> {
    const millis: number[] = [];
    await this.each(count, async () => {
      const start = performance.now();
      await this.one();
      millis.push(performance.now() - start);
    });
    return millis;
  }

  /** So many requests, each with this body and a reply of so many bytes. */
  many(count: number, query: string, body: Buffer, replyBytes: number): Promise<void> {
    return this.each(count, async () => {
      const bytes = await this.post(`${PATH}${query}`, HEADERS, body);
      if (bytes !== replyBytes) throw new Error(`a reply of ${bytes} bytes`);
    });
  }

  /** So many calls, as many at a time as there are connections. */
  each(count: number, call: () => Promise<unknown>): Promise<void> {
    return callAll(count, this.#connections, call);
  }

  /** One long envelope to the backend; its length. */
  async up(bytes: number, shape: Shape = 'elements'): Promise<number> {
    const envelope = longEnvelope(bytes, 'up', shape);
    const headers = [...HEADERS, 'content-length', String(envelope.bytes)];
    await this.post(PATH, headers, readable(envelope));
    return envelope.bytes;
  }

  /** One long envelope from the backend; its length. */
  async down(bytes: number, shape: Shape = 'elements'): Promise<number> {
    const { bytes: expected } = longEnvelope(bytes, 'down', shape);
    const got = await this.post(`${PATH}?bytes${shape}=${bytes}`, HEADERS, SMALL_REQUEST);
    if (got !== expected) throw new Error(`${got} bytes of ${expected}`);
    return got;
  }

  /** One small call; the bytes of its reply. */
  ask({ path, head, body }: SmallCall): Promise<number> {
    return this.post(path, head, body);
  }

  /** One request with this envelope, which must be answered with this status. */
  async answered(envelope: Buffer, status: number): Promise<void> {
    await this.post(PATH, HEADERS, envelope, status);
  }

  /** One request; the bytes of its reply, which must have the status `wanted`. */
  post(path: string, headers: string[], body: Buffer | Readable, wanted = 200): Promise<number> {
    return new Promise((resolve, reject) => {
      let bytes = 0;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (status !== wanted) throw new Error(`status ${status}`);
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
        },
        onResponseEnd: () => resolve(bytes),
        onResponseError: (_controller, error) => reject(error),
      };
      this.#pool.dispatch({ method: 'POST', path, headers, body }, handler);
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

const readable = (envelope: LongEnvelope): Readable =>
  Readable.from(envelope.chunks(), { objectMode: false });
