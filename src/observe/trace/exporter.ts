import { Buffer } from 'node:buffer';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorCode, tlsCertificates } from '../../core/index.js';
import { ProtoWriter } from './proto-writer.js';
import { readRejectedSpans } from './rejected-spans.js';

/** A batch is sent when it has as many spans, or bytes, or is a second old. */
export const BATCH_SPANS = 2048;
const BATCH_BYTES = 1024 * 1024;
const BATCH_MILLIS = 1000;
/** Batches that wait, the one being sent among them. Spans beyond are dropped. */
export const BATCHES_MAX = 3;
const REQUEST_MILLIS = 10_000;
/** A batch is sent again after 1, 2 and 4 seconds, or as the receiver asks. */
const TRIES_MAX = 4;
const PAUSE_MILLIS = 1000;
const PAUSE_MILLIS_MAX = 30_000;
/** The most bytes that are kept of an answer, which may say that spans were rejected. */
const ANSWER_BYTES_MAX = 16 * 1024;
/** How long the last batches may take when the process ends. */
const CLOSE_MILLIS = 1000;

const PROTOBUF = 'application/x-protobuf';

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
  /** The process: attributes of the resource. */
  readonly attributes: ReadonlyMap<string, string | number>;
}

/** An `ExportTraceServiceRequest` that is written. */
interface Batch {
  readonly writer: ProtoWriter;
  spans: number;
}

/**
 * The bytes before the spans of a batch, and the positions of their messages: the same in all
 * batches.
 */
interface Envelope {
  readonly bytes: Uint8Array;
  readonly resourceSpans: number;
  readonly scopeSpans: number;
}

/**
 * Sends spans in batches by OTLP over HTTP, in protobuf. Nothing waits for it, and its memory is
 * bounded.
 */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #hooks: ExporterHooks;
  readonly #agent: HttpAgent;
  readonly #envelope: Envelope;
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
    const ca = options.ca === null ? {} : { ca: options.ca };
    this.#agent = options.url.startsWith('https:')
      ? new HttpsAgent({ ...pool, ...tlsCertificates.VERIFIED_SERVER, ...ca })
      : new HttpAgent(pool);
    this.#envelope = encodeEnvelope(options.attributes);
  }

  /**
   * The writer for the next span, with at least `bytesMax` free. Null where too many batches wait:
   * the span is dropped.
   */
  next(bytesMax: number): ProtoWriter | null {
    if (this.#open !== null && this.#open.writer.free < bytesMax) {
      this.#close();
    }
    const batch = this.#open ?? this.#begin();
    if (batch === null) return null;
    batch.spans++;
    return batch.writer;
  }

  /** Spans were written: a batch that is full is sent. */
  written(): void {
    if (this.#open !== null && this.#open.spans >= BATCH_SPANS) {
      this.#close();
    }
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
    const writer = new ProtoWriter(this.#free.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES));
    writer.copy(this.#envelope.bytes);
    this.#open = { writer, spans: 0 };
    this.#timer = setTimeout(() => this.#close(), BATCH_MILLIS).unref();
    return this.#open;
  }

  #close(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    batch.writer.end(this.#envelope.scopeSpans);
    batch.writer.end(this.#envelope.resourceSpans);
    this.#waiting.push(batch);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      await this.#send(batch);
      this.#waiting.shift();
      this.#free.push(batch.writer.bytes);
    }
  }

  async #send({ writer, spans }: Batch): Promise<void> {
    const body = writer.bytes.subarray(0, writer.length);
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(body);
      if (answer.isTaken) {
        const rejected = Math.min(spans, answer.rejected);
        this.#hooks.count('sent', spans - rejected);
        if (rejected > 0) {
          this.#fail(rejected, 'rejected by the receiver');
        }
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
        headers: { ...headers, 'Content-Type': PROTOBUF, 'Content-Length': body.length },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(REQUEST_MILLIS)]),
      });
      request.on('error', (error) => failed(errorCode(error) ?? 'no answer'));
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= ANSWER_BYTES_MAX) {
            chunks.push(chunk);
          } else {
            response.destroy();
          }
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

const FAILED: ExportAnswer = {
  isTaken: false,
  mayRetry: true,
  reason: '',
  rejected: 0,
  retryAfterMillis: 0,
};

function readAnswer(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Buffer,
): ExportAnswer {
  const isTaken = status >= 200 && status <= 299;
  const retryAfter = Number(headers['retry-after'] ?? 0);
  return {
    isTaken,
    mayRetry: RETRYABLE.has(status),
    reason: `status ${status}`,
    // An answer in another format does not tell how many spans were rejected.
    rejected:
      isTaken && headers['content-type']?.startsWith(PROTOBUF) === true
        ? readRejectedSpans(body)
        : 0,
    retryAfterMillis: Number.isFinite(retryAfter) ? Math.max(0, retryAfter) * 1000 : 0,
  };
}

/**
 * What comes before the spans: `ExportTraceServiceRequest.resource_spans`, its resource,
 * `scope_spans`, its scope.
 */
function encodeEnvelope(attributes: ReadonlyMap<string, string | number>): Envelope {
  const writer = new ProtoWriter(Buffer.allocUnsafeSlow(BATCH_BYTES));
  const resourceSpans = writer.begin(1);
  const resource = writer.begin(1);
  for (const [key, value] of attributes) {
    writer.attribute(1, key, value);
  }
  writer.end(resource);
  const scopeSpans = writer.begin(2);
  const scope = writer.begin(1);
  writer.text(1, 'soapstone');
  writer.end(scope);
  return {
    bytes: Uint8Array.from(writer.bytes.subarray(0, writer.length)),
    resourceSpans,
    scopeSpans,
  };
}
