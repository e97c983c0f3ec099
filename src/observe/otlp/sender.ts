import { Buffer } from 'node:buffer';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { errorCode, tlsCertificates } from '../../core/index.js';
import type { OtlpOptions } from './envelope.js';
import { readRejected } from './rejected-items.js';

const REQUEST_MILLIS = 10_000;
/** Items are sent again after 1, 2 and 4 seconds, or as the receiver asks. */
const TRIES_MAX = 4;
const PAUSE_MILLIS = 1000;
const PAUSE_MILLIS_MAX = 30_000;
/** How long the last items may take when the process ends. */
const CLOSE_MILLIS = 1000;
/** The most bytes that are kept of an answer, which may say that items were rejected. */
const ANSWER_BYTES_MAX = 16 * 1024;

const PROTOBUF = 'application/x-protobuf';

/** Statuses after which the same items may be sent again (OTLP specification, "Failures"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** `sent`; `dropped`: too many were waiting; `failed`: the receiver refused them or was away. */
export type ItemOutcome = 'sent' | 'dropped' | 'failed';

export interface SenderHooks {
  readonly count: (outcome: ItemOutcome, items: number) => void;
  /** Items were given up. */
  readonly failed: (reason: string) => void;
}

/** Sends requests of OTLP over HTTP, in protobuf, one after the other. */
export class OtlpSender {
  readonly #receiver: OtlpOptions;
  readonly #hooks: SenderHooks;
  readonly #agent: HttpAgent;
  readonly #closing = new AbortController();

  constructor(receiver: OtlpOptions, hooks: SenderHooks) {
    this.#receiver = receiver;
    this.#hooks = hooks;
    const pool = { keepAlive: true, maxSockets: 1 };
    const ca = receiver.ca === undefined ? {} : { ca: receiver.ca };
    this.#agent = receiver.otlp.startsWith('https:')
      ? new HttpsAgent({ ...pool, ...tlsCertificates.VERIFIED_SERVER, ...ca })
      : new HttpAgent(pool);
  }

  /** Nothing is sent any more, or again. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Sends so many items, again where that may help, and counts them. */
  async send(body: Buffer, items: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#post(body);
      if (answer.isTaken) {
        const rejected = Math.min(items, answer.rejected);
        this.#hooks.count('sent', items - rejected);
        if (rejected > 0) {
          this.#fail(rejected, 'rejected by the receiver');
        }
        return;
      }
      if (!answer.mayRetry || tries === TRIES_MAX || this.isClosed) {
        this.#fail(items, answer.reason);
        return;
      }
      const pauseMillis = PAUSE_MILLIS * 2 ** (tries - 1) * (0.5 + Math.random());
      await this.#pause(Math.min(PAUSE_MILLIS_MAX, Math.max(pauseMillis, answer.retryAfterMillis)));
    }
  }

  /** Ends once `last` is sent, or given up after a second. */
  async close(last: Promise<void> | null): Promise<void> {
    const deadline = setTimeout(() => this.#closing.abort(), CLOSE_MILLIS);
    await last;
    clearTimeout(deadline);
    this.#agent.destroy();
  }

  #fail(items: number, reason: string): void {
    this.#hooks.count('failed', items);
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
    const { otlp: url, headers } = this.#receiver;
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
    // An answer in another format does not tell how many items were rejected.
    rejected:
      isTaken && headers['content-type']?.startsWith(PROTOBUF) === true ? readRejected(body) : 0,
    retryAfterMillis: Number.isFinite(retryAfter) ? Math.max(0, retryAfter) * 1000 : 0,
  };
}
