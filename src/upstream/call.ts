import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import {
  asRefusal,
  KIB,
  observing,
  Refusal,
  type RefusalCode,
  refuseByLimit,
  Stages,
} from '../core/index.js';
import type { Address } from './address.js';
import type { CallOutcome } from './breaker.js';
import type { CallRules, TimedCall } from './call-rules.js';
import type { UpstreamConnection } from './connection.js';
import type { Entry } from './deadlines.js';
import type { ExchangeHandler } from './exchange.js';
import { type Written, withInsertion } from './insertion.js';
import type { PaceTicket } from './pace/class-queues.js';
import {
  fieldValues,
  findField,
  isStreamed,
  type ReplyHead,
  type UpstreamCall,
  type UpstreamReceiver,
  type UpstreamRequest,
} from './reply.js';
import { effectsOf, outcomeOf } from './reply-effects.js';
import { EarlyStatus, refusalOfError } from './upstream-refusals.js';

const COUNT_KEY = 'limits.upstream.headerCount';

/** Up to this many bytes the rest of a refused answer is read rather than its connection closed. */
const DISCARDED_BYTES_MAX = 64 * KIB;

const NOWHERE: readonly Address[] = [];
const NOW = Promise.resolve();

/**
 * The stage of a call. `sealing`: it has a connection, and its message is signed. `sent`: its
 * request is being written; `out`: all of it is. `early`: the answer began before the request was
 * out. `unwanted`: the answer has a status that the call is made again for. `refused`: the receiver
 * has the refusal, and the rest of the answer is discarded.
 */
type Stage =
  | 'queued'
  | 'sealing'
  | 'connecting'
  | 'sent'
  | 'out'
  | 'early'
  | 'answering'
  | 'unwanted'
  | 'refused'
  | 'over';

/**
 * The stage that a step leads to, by the stage before it. A step that is not listed there cannot be
 * made.
 */
const STEPS = {
  seal: { queued: 'sealing' },
  start: { queued: 'connecting', sealing: 'connecting' },
  // A second time where the connection closed before the backend had read anything.
  write: { connecting: 'sent', sent: 'sent', out: 'sent' },
  written: { sent: 'out', early: 'answering' },
  answer: { sent: 'early', out: 'answering' },
  discard: { sent: 'unwanted', out: 'unwanted' },
  refuse: { answering: 'refused' },
  retry: { connecting: 'queued', sent: 'queued', out: 'queued', unwanted: 'queued' },
  end: {
    queued: 'over',
    sealing: 'over',
    connecting: 'over',
    sent: 'over',
    out: 'over',
    early: 'over',
    answering: 'over',
    unwanted: 'over',
    refused: 'over',
  },
} as const satisfies Record<string, { readonly [before in Stage]?: Stage }>;

/** Finds connections for calls. */
export interface CallScheduler {
  /** Takes back the connection of the call, if it had one. */
  release(call: Call): void;
  /** Whether the budget for retries has one left. */
  canRetry(): boolean;
  /**
   * Whether the call is sent once more: later by `start`, or `abort` when no connection is free.
   */
  retry(call: Call): boolean;
}

/** One call, from the queue for a connection to the last byte of its answer. */
export class Call implements UpstreamCall, ReplyHead, ExchangeHandler {
  status = 0;
  /** When its time began to run: it stands while the call waits for the rate. */
  startedMillis = performance.now();
  readonly request: UpstreamRequest;
  readonly rules: CallRules;
  /** The latest address; null before the first connection. */
  address: Address | null = null;
  /** The addresses at which the call failed before. */
  tried: readonly Address[] = NOWHERE;
  /** Attempts besides the first that were counted. */
  retries = 0;
  /** The entries of the call in the lists of the scheduler. */
  deadline: Entry<TimedCall> | null = null;
  waiting: Entry<Call> | null = null;
  /** The place in the queue of a rate. */
  ticket: PaceTicket | null = null;
  /** It counts among the calls of its rules. */
  isCounted = false;
  readonly #receiver: UpstreamReceiver;
  readonly #scheduler: CallScheduler;
  #connection: UpstreamConnection | null = null;
  #breakerEpoch = 0;
  #headers: readonly Buffer[] = [];
  #abort: ((error: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #isPaused = false;
  /** Why the answer was refused whose rest is discarded, and how many bytes of that are left. */
  #refusal: Refusal | null = null;
  #discardableBytes = DISCARDED_BYTES_MAX;
  /** How many bytes of the body have come. */
  #receivedBytes = 0;
  /** The reader found that the answer belongs to another request. */
  #isMisdelivered = false;
  readonly #stages = new Stages<Stage>('queued');

  constructor(
    request: UpstreamRequest,
    rules: CallRules,
    receiver: UpstreamReceiver,
    scheduler: CallScheduler,
  ) {
    this.request = request;
    this.rules = rules;
    this.#receiver = receiver;
    this.#scheduler = scheduler;
  }

  get isOver(): boolean {
    return this.#stages.at === 'over';
  }

  get addressId(): string {
    return this.address?.id ?? '';
  }

  get source(): string {
    return this.address?.source ?? '';
  }

  get isUpload(): boolean {
    return isStreamed(this.request.body);
  }

  /** Nothing of the request was written. */
  get isUnsent(): boolean {
    const { at } = this.#stages;
    return at === 'queued' || at === 'sealing' || at === 'connecting';
  }

  /** Makes the call at an address that is ready. */
  start(address: Address, nowMillis: number): void {
    const { headers, body, insertion, observer = null } = this.request;
    const observed =
      observer === null
        ? headers
        : observing.withField(headers, observer.begin(address.url, nowMillis));
    this.address = address;
    this.#breakerEpoch = address.breaker.begin();
    this.status = 0;
    const connection = address.acquire(nowMillis);
    this.#connection = connection;
    if (insertion === undefined) {
      this.#send(connection, { headers: observed, body }, nowMillis);
      return;
    }
    // Not at once: the caller must hold the call before it can end.
    const fail = (caught: unknown): void => this.#fail(asRefusal(caught), null);
    try {
      const written = withInsertion({ headers: observed, body, insertion }, () => this.isOver);
      if (written instanceof Promise) {
        this.#stages.move(STEPS.seal);
        written.then((one) => this.#send(connection, one, performance.now())).catch(fail);
      } else {
        this.#send(connection, written, nowMillis);
      }
    } catch (caught) {
      queueMicrotask(() => fail(caught));
    }
  }

  #send(connection: UpstreamConnection, { headers, body }: Written, nowMillis: number): void {
    const { address } = this;
    if (address === null || !this.#stages.move(STEPS.start)) return;
    const { method, query, spellings = null } = this.request;
    connection.send(
      {
        method,
        path: address.target(query),
        headers: address.headers(headers),
        spellings,
        body,
        headersTimeout: this.rules.headersMillis,
      },
      this,
      nowMillis,
    );
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#connection?.hold(false);
    this.#resume?.();
  }

  /** A refused answer is read on by itself until its end, its bound or its deadline. */
  abort(refusal: Refusal): void {
    if (this.#stages.at !== 'refused') {
      this.#refuse(refusal);
    } else if (refusal.kind.blame === 'upstream') {
      this.#endRefused(refusal);
    }
  }

  header(name: string): string | null {
    let value: string | null = null;
    for (
      let at = findField(this.#headers, name, 0);
      at !== -1;
      at = findField(this.#headers, name, at + 2)
    ) {
      const text = this.#headers[at + 1]?.toString('latin1') ?? '';
      value = value === null ? text : `${value}, ${text}`;
    }
    return value;
  }

  headers(name: string): readonly string[] {
    return fieldValues(this.#headers, name);
  }

  fields(): readonly string[] {
    return this.#headers.map((each, at) =>
      at % 2 === 0 ? each.toString('latin1').toLowerCase() : each.toString('latin1'),
    );
  }

  /** A reader that decodes the answer may be later than its end. */
  suspect(): void {
    if (this.isOver) {
      this.address?.suspect();
    } else {
      this.#isMisdelivered = true;
    }
  }

  // Events of the connection.

  onHandshake(abort: (error: Error) => void): void {
    if (this.isOver) throw new Refusal('CLIENT_GONE');
    this.#abort = abort;
  }

  onConnect(abort: (error: Error) => void): void {
    // Given up while the connection was made. The connection is as good as new.
    if (!this.#stages.move(STEPS.write)) throw new Refusal('CLIENT_GONE');
    this.#abort = abort;
    this.#connection?.begin();
  }

  onRequestSent(): void {
    this.#stages.move(STEPS.written);
    this.#connection?.requestIsOut();
    if (!this.isOver) {
      this.#receiver.sent?.();
    }
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    if (this.isOver || status < 200) return true;
    this.status = status;
    this.#headers = headers;
    this.#resume = resume;
    if (status >= 502 && this.#isRetryStatus(status)) {
      this.#stages.move(STEPS.discard);
      this.#abort?.(new Refusal('UPSTREAM_OVERLOADED', `status ${status}`));
      return true;
    }
    this.#stages.move(STEPS.answer);
    try {
      this.#checkHead();
      this.#receiver.head(this);
    } catch (caught) {
      this.#refuse(asRefusal(caught));
    }
    return this.#goesOn();
  }

  /** False after an abort too: the parser must not go on to the end of the answer. */
  onData(chunk: Buffer): boolean {
    if (this.isOver) return false;
    if (this.#stages.at === 'refused') return this.#discard(chunk);
    // A parser that goes on begins with no bytes: to pause it then would be for ever.
    if (chunk.length === 0) return this.#goesOn();
    this.#receivedBytes += chunk.length;
    try {
      this.#receiver.data(chunk);
    } catch (caught) {
      this.#refuse(asRefusal(caught));
    }
    return this.#goesOn() && !this.isOver;
  }

  onComplete(): void {
    const connection = this.#connection;
    if (this.isOver || connection === null) return;
    connection.end(this.status);
    // Bytes behind the answer in the same packet are read after this: of two answers neither can be
    // trusted. Not by queueMicrotask, which makes an asynchronous resource of each.
    if (connection.isReused) {
      void NOW.then(() => this.#end(connection.isDesynced));
    } else {
      this.#end(false);
    }
  }

  onError(error: unknown): void {
    if (this.isOver) return;
    if (error instanceof EarlyStatus) {
      this.status = error.status;
    }
    const refusal = refusalOfError(error, this.status !== 0, this.rules.timeouts);
    if (this.#stages.at === 'refused') {
      this.#endRefused(null);
      return;
    }
    if (this.#mayRetry(refusal) && this.#scheduler.retry(this)) {
      if (this.address !== null) {
        this.tried = [...this.tried, this.address];
      }
      this.#stages.move(STEPS.retry);
      this.#leave(outcomeOf(refusal, this.status), refusal.code);
    } else {
      this.#fail(refusal, null);
    }
  }

  #goesOn(): boolean {
    if (this.#isPaused) {
      this.#connection?.hold(true);
    }
    return !this.#isPaused;
  }

  /** Refuses heads that the parser admits but no backend needs. */
  #checkHead(): void {
    const { headerCount } = this.rules.timeouts.limits;
    const count = this.#headers.length / 2;
    if (count > headerCount) {
      throw refuseByLimit('UPSTREAM_RESPONSE_LIMIT', COUNT_KEY, headerCount, count);
    }
    const coding = this.header('transfer-encoding');
    if (coding !== null && coding.toLowerCase() !== 'chunked') {
      throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'transfer coding');
    }
  }

  #end(isDesynced: boolean): void {
    if (this.isOver) return;
    if (this.#stages.at === 'refused') {
      if (isDesynced) {
        this.#refusal = new Refusal('UPSTREAM_DESYNC', 'two answers');
      }
      this.#endRefused(null);
      return;
    }
    try {
      if (isDesynced) throw new Refusal('UPSTREAM_DESYNC', 'two answers');
      this.#receiver.end();
    } catch (caught) {
      // Complete: there is no rest to read.
      this.#fail(asRefusal(caught), this.#abort);
      return;
    }
    this.#stages.move(STEPS.end);
    this.#leave('answered', this.#isMisdelivered ? 'UPSTREAM_DESYNC' : null);
  }

  /**
   * Refuses the answer. The connection goes on where the refusal says nothing of it and the rest is
   * short. Without that each refused content would cost a connection.
   */
  #refuse(refusal: Refusal): void {
    if (!this.#keepsConnection(refusal) || !this.#stages.move(STEPS.refuse)) {
      this.#fail(refusal, this.#abort);
      return;
    }
    this.#refusal = refusal;
    this.request.observer?.end(this.status, refusal.code);
    this.resume();
    this.#failReceiver(refusal);
  }

  #keepsConnection(refusal: Refusal): boolean {
    if (!effectsOf(refusal, this.status).keepsConnection) return false;
    const restBytes = Number(this.header('content-length') ?? 0) - this.#receivedBytes;
    return restBytes <= DISCARDED_BYTES_MAX;
  }

  /** Reads the rest of a refused answer. False where there is too much of it. */
  #discard({ length }: Buffer): boolean {
    this.#discardableBytes -= length;
    if (this.#discardableBytes >= 0) return true;
    this.#endRefused(new Refusal('UPSTREAM_RESPONSE_LIMIT', 'rest of a refused answer'));
    return false;
  }

  /**
   * Ends the exchange of a refused answer: `early` closes its connection, null where it is
   * complete.
   */
  #endRefused(early: Refusal | null): void {
    const refusal = this.#refusal;
    const abort = this.#abort;
    if (refusal === null || !this.#stages.move(STEPS.end)) return;
    if (early !== null) {
      abort?.(early);
    }
    this.#leave(outcomeOf(refusal, this.status), refusal.code);
  }

  /** Ends the call without an answer; `abort` gives its exchange up, null where that is over. */
  #fail(refusal: Refusal, abort: ((error: Error) => void) | null): void {
    const outcome = this.#isSlowCaller(refusal) ? 'none' : outcomeOf(refusal, this.status);
    if (!this.#stages.move(STEPS.end)) return;
    abort?.(refusal);
    this.#leave(outcome, refusal.code);
    const { body } = this.request;
    // The source of a body that is no longer read must not wait.
    if (body !== null && 'destroy' in body) {
      body.destroy();
    }
    this.#failReceiver(refusal);
  }

  #failReceiver(refusal: Refusal): void {
    if (refusal.kind.blame === 'upstream') {
      refusal.address = this.address?.name ?? null;
    }
    this.#receiver.failed(refusal);
  }

  /**
   * Whether the call was slow because its caller sends or reads slowly, or because its message is
   * still signed: that is not the backend's failure.
   */
  #isSlowCaller(refusal: Refusal): boolean {
    if (this.#connection === null || this.#stages.at === 'sealing') return true;
    const isSlow = refusal.code === 'UPSTREAM_TIMEOUT' || refusal.code === 'UPSTREAM_RESET';
    return (
      isSlow &&
      (this.#isPaused ||
        (this.isUpload && (this.#stages.at === 'sent' || this.#stages.at === 'early')))
    );
  }

  /** Whether the call may be made again, as long as nothing of an answer was passed on. */
  #mayRetry({ code }: Refusal): boolean {
    if (this.isUpload) return false;
    const { on, perTryMillis } = this.rules.retry;
    // Never written: sending it elsewhere is safe.
    if (this.isUnsent) {
      return (
        (code === 'UPSTREAM_UNREACHABLE' || code === 'UPSTREAM_CONNECT_TIMEOUT') &&
        on.includes('refused')
      );
    }
    if (this.#stages.at === 'unwanted') return true;
    if (this.request.isIdempotent !== true || this.status !== 0) return false;
    return code === 'UPSTREAM_RESET'
      ? on.includes('reset')
      : code === 'UPSTREAM_TIMEOUT' && perTryMillis !== null;
  }

  /** Whether an answer of this status is worth another attempt, which must then be made. */
  #isRetryStatus(status: number): boolean {
    if (this.request.isIdempotent !== true || this.isUpload) return false;
    return (
      this.rules.retriesAnswer(status, this.header('content-type'), this.retries) &&
      this.#scheduler.canRetry()
    );
  }

  #leave(outcome: CallOutcome, code: RefusalCode | null): void {
    const { address } = this;
    const connection = this.#connection;
    this.#connection = null;
    this.#abort = null;
    this.#resume = null;
    if (address !== null && connection !== null) {
      this.request.observer?.end(this.status, code);
      const { method } = this.request;
      address.release(connection, this.#breakerEpoch, outcome, code, {
        method,
        status: this.status,
      });
    }
    this.#scheduler.release(this);
  }
}
