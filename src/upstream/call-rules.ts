import { Refusal, refuseByLimit } from '../core/index.js';
import { Deadlines } from './deadlines.js';
import type { UpstreamLimits } from './limits.js';
import type { CallPace } from './pace/pace.js';
import type { TimeoutKeys, TimeoutLimits } from './upstream-refusals.js';

/** Why a call may be made once more. The digits are statuses of an answer without an envelope. */
export const RETRY_REASONS = ['refused', 'reset', '502', '503', '504'] as const;
type RetryReason = (typeof RETRY_REASONS)[number];

export interface RetryOptions {
  /** Besides the first attempt. */
  readonly times: number;
  readonly on: readonly RetryReason[];
  /**
   * How long an attempt waits for the first line of its answer, where another may follow; null: as
   * long as any call.
   */
  readonly perTryMillis: number | null;
}

/** Limits of the calls of a service, or of one operation. Null: those of the upstream. */
export interface CallOptions {
  /** The key of these limits in the configuration, for refusals. */
  readonly key: string;
  readonly timeoutMillis: number | null;
  readonly retry: RetryOptions | null;
  readonly requestsAtOnce: number | null;
  /** The rate of calls. All upstreams that are made with these options share it. */
  readonly pace: CallPace | null;
}

export const DEFAULT_CALLS: CallOptions = {
  key: '',
  timeoutMillis: null,
  retry: null,
  requestsAtOnce: null,
  pace: null,
};

const DEFAULT_RETRY: RetryOptions = { times: 1, on: ['refused', 'reset'], perTryMillis: null };

/** A call, as far as its deadline needs it. */
export interface TimedCall {
  readonly startedMillis: number;
  abort(refusal: Refusal): void;
}

/** The limits of calls of one kind, and the calls in flight. */
export class CallRules {
  readonly timeouts: TimeoutLimits;
  /** How long an attempt waits for the first line of its answer. */
  readonly headersMillis: number;
  /** How long a call may take, its retries included. */
  readonly totalMillis: number;
  readonly retry: RetryOptions;
  /** Whether a request that could not be sent may be sent to the same address again. */
  readonly repeatsUnsent: boolean;
  readonly deadlines: Deadlines<TimedCall>;
  /** The Faults that slow its calls down; null for none. */
  readonly backOffOn: ReadonlySet<string> | null;
  /** The rates that a call waits for, one after the other. */
  readonly paces: readonly CallPace[];
  readonly #options: CallOptions;
  /** Those of the service, which bound the calls of all its operations. */
  readonly #service: CallRules | null;
  readonly #totalKey: string;
  #active = 0;

  constructor(
    options: CallOptions,
    limits: UpstreamLimits,
    keys: TimeoutKeys,
    service: CallRules | null = null,
  ) {
    const { key, timeoutMillis, retry } = options;
    this.#options = options;
    this.#service = service;
    this.paces = [...(options.pace === null ? [] : [options.pace]), ...(service?.paces ?? [])];
    const faults = this.paces.flatMap(({ backOffOn }) => backOffOn);
    this.backOffOn = faults.length === 0 ? null : new Set(faults);
    this.retry = retry ?? DEFAULT_RETRY;
    this.repeatsUnsent = retry !== null;
    this.totalMillis = timeoutMillis ?? limits.totalMillis;
    const { perTryMillis } = this.retry;
    // A longer time for the whole call is of no use where its answer must begin earlier.
    this.headersMillis = perTryMillis ?? Math.max(limits.headersMillis, timeoutMillis ?? 0);
    const headersKey = perTryMillis === null ? keys.headersMillis : `${key}.retry.perTryMillis`;
    this.#totalKey =
      timeoutMillis === null ? 'limits.upstream.totalMillis' : `${key}.timeoutMillis`;
    this.timeouts = {
      limits: { ...limits, headersMillis: this.headersMillis },
      keys: { ...keys, headersMillis: headersKey },
    };
    this.deadlines = new Deadlines(this.totalMillis, (call) => call.abort(this.lateRefusal()));
  }

  /**
   * The refusal of a call that took longer than `totalMillis`, or waited so long for its
   * credentials.
   */
  lateRefusal(): Refusal {
    return refuseByLimit('UPSTREAM_TIMEOUT', this.#totalKey, this.totalMillis);
  }

  /** Counts a call in; the refusal of one too many, which is not counted. `leave` counts it out. */
  enter(): Refusal | null {
    const { key, requestsAtOnce } = this.#options;
    if (requestsAtOnce !== null && this.#active >= requestsAtOnce) {
      const limit = { key: `${key}.requestsAtOnce`, value: requestsAtOnce };
      return new Refusal('POOL_EXHAUSTED', null, { retryAfter: '1', limit });
    }
    const refusal = this.#service?.enter() ?? null;
    if (refusal === null) {
      this.#active++;
    }
    return refusal;
  }

  /** Whether an answer is worth another attempt after so many. An envelope is an answer. */
  retriesAnswer(status: number, contentType: string | null, retries: number): boolean {
    const { times, on } = this.retry;
    return (
      retries < times &&
      on.some((reason) => reason === String(status)) &&
      !ENVELOPE.test(contentType ?? '')
    );
  }

  /** The service has asked for fewer calls of this kind, in an answer to a call of this caller. */
  slowDown(caller: string): void {
    for (const pace of this.paces) {
      pace.slowDown(caller);
    }
  }

  /** The service has answered a call of this caller otherwise. */
  answered(caller: string): void {
    for (const pace of this.paces) {
      pace.answered(caller);
    }
  }

  leave(): void {
    this.#active--;
    this.#service?.leave();
  }
}

/** Media types that a Fault or a GraphQL response may have. */
const ENVELOPE = /xml|multipart\/related|graphql-response\+json/i;
const BACKOFF_MILLIS = 25;
const BACKOFF_MILLIS_MAX = 1_000;

/**
 * How long to wait before the attempt of this number at the same address: doubled each time, less
 * up to a half.
 */
export const backoffMillis = (attempt: number): number =>
  Math.min(BACKOFF_MILLIS_MAX, BACKOFF_MILLIS * 2 ** (attempt - 1)) * (1 - Math.random() / 2);
