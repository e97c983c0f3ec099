import { performance } from 'node:perf_hooks';
import { Refusal, refuseByLimit, type sharedState } from '../core/index.js';
import type { Address } from './address.js';
import { AddressSet } from './address-set.js';
import { type BalanceOptions, DEFAULT_BALANCE } from './balancer.js';
import { type BreakerState, breakerOpen } from './breaker.js';
import { Call, type CallScheduler } from './call.js';
import { backoffMillis, type CallOptions, CallRules, DEFAULT_CALLS } from './call-rules.js';
import { AuthorizedCall } from './credentials/authorized-call.js';
import { type Credentials, type Fields, withFields } from './credentials/credentials.js';
import { Deadlines } from './deadlines.js';
import { DIRECT, type Route } from './dial/dial.js';
import type { UpstreamLimits } from './limits.js';
import { type NameEvents, NameWatch } from './names/name-watch.js';
import { type ResolveName, resolveBySystem } from './names/resolve-name.js';
import type { CallPace } from './pace/pace.js';
import type { UpstreamCall, UpstreamReceiver, UpstreamRequest } from './reply.js';
import { RetryBudget } from './retry-budget.js';
import { TIMEOUT_KEYS, type TimeoutKeys } from './upstream-refusals.js';

const LONG_QUEUE_MILLIS = 500;

/** The status of a service that gets more calls than it bears. */
const TOO_MANY = 429;

export interface UpstreamOptions {
  /** The keys of the timeouts in the configuration, for refusals. */
  readonly timeoutKeys?: TimeoutKeys;
  /** Header fields of every call, in place of those of its caller by the same names. */
  readonly fields?: Fields;
  readonly credentials?: Credentials | null;
  /** How connections to an address are made. */
  readonly routeTo?: (url: URL) => Route;
  readonly balance?: BalanceOptions;
  /** Limits of all calls. */
  readonly calls?: CallOptions;
  /** Looks names up; absent: the system does. */
  readonly resolveName?: ResolveName;
}

/** One backend: its addresses, the queue of calls for a connection, and the deadlines of both. */
export class Upstream implements CallScheduler {
  readonly addresses: AddressSet;
  readonly #resolveName: ResolveName;
  #names: NameWatch | null = null;
  readonly #limits: UpstreamLimits;
  readonly #fields: Fields;
  readonly #credentials: Credentials | null;
  readonly #budget = new RetryBudget();
  readonly #rules: CallRules;
  readonly #timeoutKeys: TimeoutKeys;
  readonly #queue: Deadlines<Call>;
  /** The rates of the service and of its operations. */
  readonly #paces: CallPace[];
  #isClosed = false;
  /** Generations that use it: the last one closes it. */
  #holders = 1;

  constructor(urls: readonly string[], limits: UpstreamLimits, options: UpstreamOptions = {}) {
    const {
      timeoutKeys = TIMEOUT_KEYS,
      fields = [],
      credentials = null,
      routeTo = () => DIRECT,
    } = options;
    const {
      balance = DEFAULT_BALANCE,
      calls = DEFAULT_CALLS,
      resolveName = resolveBySystem,
    } = options;
    this.#limits = limits;
    this.#fields = fields;
    this.#credentials = credentials;
    this.#timeoutKeys = timeoutKeys;
    this.#rules = new CallRules(calls, limits, timeoutKeys);
    this.#paces = calls.pace === null ? [] : [calls.pace];
    this.#resolveName = resolveName;
    this.addresses = new AddressSet(urls, limits, routeTo, balance);
    this.addresses.listen(() => queueMicrotask(this.#advance));
    this.#queue = new Deadlines(limits.pendingMillis, (call) =>
      call.abort(
        refuseByLimit('POOL_EXHAUSTED', 'limits.upstream.pendingMillis', limits.pendingMillis),
      ),
    );
  }

  /** Calls in flight. */
  get active(): number {
    return this.addresses.active;
  }

  /** Calls that wait for a connection. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Whether calls wait long for a connection: the queue is half full, or its first call has waited
   * half a second.
   */
  hasLongQueue(nowMillis: number): boolean {
    const { first, size } = this.#queue;
    return (
      size > this.#limits.pending / 2 ||
      (first !== null && nowMillis - first.member.startedMillis > LONG_QUEUE_MILLIS)
    );
  }

  /** Addresses whose circuit breaker is in this state. */
  count(state: BreakerState): number {
    return this.addresses.all.filter((address) => address.state === state).length;
  }

  /** Shares the rates of the service with all that take from this source. */
  useSlots(source: sharedState.SlotSupply): void {
    for (const pace of this.#paces) {
      pace.useSource(source);
    }
  }

  /** Looks its names up in the background from now on. Once is enough. */
  watchNames(events: NameEvents): void {
    if (this.#names !== null || this.#isClosed || this.#limits.resolveMillis === 0) return;
    const { addresses } = this;
    this.#names = new NameWatch({
      addresses,
      limits: this.#limits,
      resolveName: this.#resolveName,
      events,
    });
    this.#names.start();
  }

  /** The limits of a call: those of its operation, else of the service. */
  rulesOf({ rules }: UpstreamRequest): CallRules {
    return rules ?? this.#rules;
  }

  call(request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamCall {
    const { length } = this.#fields;
    const sent =
      length === 0 ? request : { ...request, headers: withFields(request.headers, this.#fields) };
    if (this.#credentials === null) return this.#send(sent, receiver);
    const target = this.addresses.target(sent.query);
    return new AuthorizedCall(
      this.#credentials,
      sent,
      receiver,
      this.#send,
      target,
      this.rulesOf(request),
    ).begin();
  }

  readonly #send = (request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamCall => {
    const call = new Call(request, this.rulesOf(request), receiver, this);
    const refusal = call.rules.enter();
    if (refusal !== null) {
      // Not at once: the caller must hold the call before it can end.
      queueMicrotask(() => call.abort(refusal));
      return call;
    }
    call.isCounted = true;
    this.#budget.earn();
    if (call.rules.paces.length === 0) {
      this.#begin(call);
    } else {
      this.#pace(call, 0, () => this.#beginLater(call));
    }
    return call;
  };

  /** Lets a call wait for each rate in turn. */
  #pace(call: Call, at: number, pass: () => void): void {
    call.ticket = null;
    const pace = call.rules.paces[at];
    if (pace === undefined) {
      pass();
      return;
    }
    const entered = pace.enter({
      className: call.request.className ?? '',
      pass: () => this.#pace(call, at + 1, pass),
      abort: (refusal) => call.abort(refusal),
    });
    // Not at once: the caller must hold the call before it can end.
    if (entered instanceof Refusal) {
      queueMicrotask(() => call.abort(entered));
    } else if (entered === null) {
      this.#pace(call, at + 1, pass);
    } else if (call.waiting === null && call.address === null) {
      call.ticket = entered;
    }
  }

  /** Begins a call that may have waited: the wait does not count. */
  #beginLater(call: Call): void {
    if (call.isOver) return;
    call.startedMillis = performance.now();
    if (this.#isClosed) {
      call.abort(new Refusal('UPSTREAM_UNREACHABLE', 'closed'));
    } else {
      this.#begin(call);
    }
  }

  #begin(call: Call): void {
    call.deadline = call.rules.deadlines.add(call);
    // Calls in the queue come first.
    const address = this.#queue.size === 0 ? this.#choose(call, call.startedMillis) : null;
    if (address !== null) {
      call.start(address, call.startedMillis);
    } else {
      this.#enqueue(call);
    }
  }

  /** Calls that wait for the rate of the service. */
  get paced(): number {
    return this.#paces.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** Whether several generations use it. */
  get isShared(): boolean {
    return this.#holders > 1;
  }

  /** Takes it for another generation, which closes it as well. */
  hold(): this {
    this.#holders++;
    return this;
  }

  /**
   * Closes every connection once each generation that uses it has closed it; calls still in flight
   * fail.
   */
  async close(): Promise<void> {
    if (--this.#holders > 0) return;
    await this.#credentials?.close?.();
    this.#isClosed = true;
    this.#rules.deadlines.stop();
    this.#queue.stop();
    this.#refuseQueue(new Refusal('UPSTREAM_UNREACHABLE', 'closed'));
    this.#names?.close();
    await this.addresses.close();
  }

  release(call: Call): void {
    this.addresses.compare();
    if (call.waiting !== null) {
      this.#queue.delete(call.waiting);
    }
    if (call.isOver && call.isCounted) {
      call.isCounted = false;
      call.ticket?.cancel();
      if (call.deadline !== null) {
        call.rules.deadlines.delete(call.deadline);
      }
      call.deadline = null;
      call.rules.leave();
      const { caller = '' } = call.request;
      if (call.status === TOO_MANY) {
        call.rules.slowDown(caller);
      } else if (call.status >= 200 && call.status <= 299) {
        call.rules.answered(caller);
      }
    }
    // Later: a connection that just failed cannot take the next call from within.
    if (this.#queue.size > 0) {
      queueMicrotask(this.#advance);
    }
  }

  canRetry(): boolean {
    return !this.#isClosed && this.#budget.hasOne;
  }

  retry(call: Call): boolean {
    if (this.#isClosed) return false;
    const isElsewhere = call.tried.length + 1 < this.addresses.all.length;
    // A request that was never written adds no load elsewhere.
    if (call.isUnsent && isElsewhere) {
      queueMicrotask(() => this.#restart(call));
      return true;
    }
    const { retry, repeatsUnsent } = call.rules;
    if (call.retries >= retry.times || (call.isUnsent && !repeatsUnsent)) return false;
    if (!this.#budget.spend()) return false;
    call.retries++;
    const { isUnsent } = call;
    const again = (): void =>
      isUnsent ? this.#restart(call) : this.#pace(call, 0, () => this.#restart(call));
    if (isElsewhere || !repeatsUnsent) {
      queueMicrotask(again);
    } else {
      setTimeout(again, backoffMillis(call.retries));
    }
    return true;
  }

  /** Makes the limits of the calls of one operation. */
  makeRules(options: CallOptions): CallRules {
    if (options.pace !== null) {
      this.#paces.push(options.pace);
    }
    return new CallRules(options, this.#limits, this.#timeoutKeys, this.#rules);
  }

  #restart(call: Call): void {
    if (call.isOver) return;
    const nowMillis = performance.now();
    const address = this.#isClosed ? null : this.#choose(call, nowMillis);
    if (address !== null) {
      call.start(address, nowMillis);
    } else {
      this.#enqueue(call);
    }
  }

  #choose({ request, tried }: Call, nowMillis: number): Address | null {
    return this.addresses.choose(nowMillis, request.affinity ?? null, tried);
  }

  #enqueue(call: Call): void {
    const refusal = this.#queueRefusal(performance.now());
    // Not at once: the caller must hold the call before it can end.
    if (refusal !== null) {
      queueMicrotask(() => call.abort(refusal));
    } else {
      call.waiting = this.#queue.add(call);
    }
  }

  /** The refusal of a call that may not wait, or null. */
  #queueRefusal(nowMillis: number): Refusal | null {
    if (!this.addresses.admits(nowMillis)) return breakerOpen(this.addresses.restMillis(nowMillis));
    const { pending } = this.#limits;
    const isFull = this.#queue.size >= pending;
    return isFull ? refuseByLimit('POOL_EXHAUSTED', 'limits.upstream.pending', pending) : null;
  }

  readonly #advance = (): void => {
    const nowMillis = performance.now();
    for (let entry = this.#queue.first; entry !== null; entry = this.#queue.first) {
      const address = this.#choose(entry.member, nowMillis);
      if (address === null) break;
      this.#queue.delete(entry);
      entry.member.start(address, nowMillis);
    }
    if (this.addresses.admits(nowMillis)) return;
    this.#refuseQueue(new Refusal('CIRCUIT_OPEN', 'while waiting'));
  };

  /** Refuses all calls in the queue. */
  #refuseQueue(refusal: Refusal): void {
    for (let entry = this.#queue.first; entry !== null; entry = this.#queue.first) {
      this.#queue.delete(entry);
      entry.member.abort(refusal);
    }
  }
}
