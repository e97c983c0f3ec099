import { Buffer } from 'node:buffer';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

import { errorCode } from '../../base/error-code.js';

/** A batch is sent when it has as many spans, or bytes, or is a second old. */
export const BATCH_SPANS = 1024;
export const BATCH_BYTES = 1024 * 1024;
const BATCH_MILLIS = 1000;
/** Batches that wait, the one being sent among them. Spans beyond are dropped. */
export const BATCHES_MAX = 3;
const REQUEST_MILLIS = 10_000;
/** A batch is sent again after 1, 2 and 4 seconds, or as the receiver asks. */
const TRIES_MAX = 4;
const PAUSE_MILLIS = 1000;
const PAUSE_MILLIS_MAX = 30_000;
/** Of an answer, which may say that spans were rejected. */
const ANSWER_BYTES_MAX = 16 * 1024;
/** How long the last batches may take when the process ends. */
const CLOSE_MILLIS = 1000;

/** Statuses after which the same batch may be sent again (OTLP specification, "Failures"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** `sent`; `dropped`: too many were waiting; `failed`: the receiver refused them or was away. */
export type SpanOutcome = 'sent' | 'dropped' | 'failed';

export interface ExporterHooks {
  readonly count: (outcome: SpanOutcome, spans: number) => void;
  /** A batch was given up. */
  readonly failed: (reason: string) => void;
}

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM; null for the authorities of Node. */
  readonly ca: string | null;
  /** The JSON of the attributes of the process. */
  readonly resource: string;
}

interface Batch {
  readonly bytes: Buffer;
  length: number;
  spans: number;
}

const SUFFIX = ']}]}]}';

/** Sends spans in batches by OTLP over HTTP. Nothing waits for it, and its memory is bounded. */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #hooks: ExporterHooks;
  readonly #agent: HttpAgent;
  readonly #prefix: string;
  readonly #free: Buffer[] = [];
  readonly #waiting: Batch[] = [];
  #open: Batch | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  readonly #closing = new AbortController();

  constructor(options: ExporterOptions, hooks: ExporterHooks) {
    this.#options = options;
    this.#hooks = hooks;
    const pool = { keepAlive: true, maxSockets: 1 };
    this.#agent = options.url.startsWith('https:')
      ? new HttpsAgent(options.ca === null ? pool : { ...pool, ca: options.ca })
      : new HttpAgent(pool);
    this.#prefix = `{"resourceSpans":[{"resource":{"attributes":[${options.resource}]},"scopeSpans":[{"scope":{"name":"soapstone"},"spans":[`;
  }

  /** Adds spans as JSON, commas between them. */
  add(json: string, spans: number): void {
    // A unit of UTF-16 is at most three bytes.
    const bytesMax = json.length * 3 + SUFFIX.length + 1;
    if (this.#open !== null && this.#open.length + bytesMax > BATCH_BYTES) this.#close();
    const batch = this.#open ?? this.#begin();
    if (batch === null || batch.length + bytesMax > BATCH_BYTES) {
      this.#hooks.count('dropped', spans);
      return;
    }
    batch.length += batch.bytes.write(batch.spans === 0 ? json : `,${json}`, batch.length);
    batch.spans += spans;
    if (batch.spans >= BATCH_SPANS) this.#close();
  }

  /** Sends what is collected, for a second at most. */
  async close(): Promise<void> {
    this.#close();
    const deadline = setTimeout(() => this.#closing.abort(), CLOSE_MILLIS);
    await this.#sending;
    clearTimeout(deadline);
    this.#agent.destroy();
  }

  /** Null where too many batches wait. */
  #begin(): Batch | null {
    if (this.#waiting.length >= BATCHES_MAX || this.#closing.signal.aborted) return null;
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    this.#open = { bytes, length: bytes.write(this.#prefix), spans: 0 };
    this.#timer = setTimeout(() => this.#close(), BATCH_MILLIS).unref();
    return this.#open;
  }

  #close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    batch.length += batch.bytes.write(SUFFIX, batch.length);
    this.#waiting.push(batch);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      await this.#send(batch);
      this.#waiting.shift();
      this.#free.push(batch.bytes);
    }
  }

  async #send({ bytes, length, spans }: Batch): Promise<void> {
    const body = bytes.subarray(0, length);
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(body);
      if (answer.isTaken) {
        const rejected = Math.min(spans, answer.rejected);
        this.#hooks.count('sent', spans - rejected);
        if (rejected > 0) this.#fail(rejected, 'rejected by the receiver');
        return;
      }
      if (!answer.mayRetry || tries === TRIES_MAX || this.#closing.signal.aborted) {
        this.#fail(spans, answer.reason);
        return;
      }
      const pauseMillis = PAUSE_MILLIS * 2 ** (tries - 1) * (0.5 + Math.random());
      await this.#pause(Math.min(PAUSE_MILLIS_MAX, Math.max(pauseMillis, answer.retryAfterMillis)));
    }
  }

  #fail(spans: number, reason: string): void {
    this.#hooks.count('failed', spans);
    this.#hooks.failed(reason);
  }

  #pause(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      if (signal.aborted) return resolve();
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', resolveNow);
        resolve();
      }, millis).unref();
      const resolveNow = (): void => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', resolveNow, { once: true });
    });
  }

  #post(body: Buffer): Promise<ExportAnswer> {
    const { url, headers } = this.#options;
    return new Promise((resolve) => {
      const failed = (reason: string): void => resolve({ ...FAILED, reason });
      const post = url.startsWith('https:') ? httpsRequest : httpRequest;
      const request = post(url, {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(REQUEST_MILLIS)]),
      });
      request.on('error', (error) => failed(errorCode(error) ?? 'no answer'));
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= ANSWER_BYTES_MAX) chunks.push(chunk);
          else response.destroy();
        });
        response.once('close', () => resolve(readAnswer(response, Buffer.concat(chunks))));
      });
      request.end(body);
    });
  }
}

interface ExportAnswer {
  readonly isTaken: boolean;
  readonly mayRetry: boolean;
  readonly reason: string;
  readonly rejected: number;
  readonly retryAfterMillis: number;
}

const FAILED: ExportAnswer = { isTaken: false, mayRetry: true, reason: '', rejected: 0, retryAfterMillis: 0 };

function readAnswer({ statusCode: status = 0, headers }: IncomingMessage, body: Buffer): ExportAnswer {
  const isTaken = status >= 200 && status <= 299;
  const retryAfter = Number(headers['retry-after'] ?? 0);
  return {
    isTaken,
    mayRetry: RETRYABLE.has(status),
    reason: `status ${status}`,
    rejected: isTaken ? rejectedSpans(body) : 0,
    retryAfterMillis: Number.isFinite(retryAfter) ? Math.max(0, retryAfter) * 1000 : 0,
  };
}

const REJECTED = /"rejectedSpans"\s*:\s*"?(\d{1,9})/;

/** `partialSuccess.rejectedSpans` of an answer: a 64-bit number is a text in JSON, which some receivers write as a number. */
const rejectedSpans = (body: Buffer): number => Number(REJECTED.exec(body.toString('latin1'))?.[1] ?? 0);
