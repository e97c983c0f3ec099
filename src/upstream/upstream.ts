import type { Readable } from 'node:stream';

import { Pool } from 'undici';

import { Refusal } from '../base/refusal.js';
import { refusalOfError } from './failure.js';
import type { UpstreamLimits } from './limits.js';
import { Turnstile } from './turnstile.js';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to the path of the upstream's address: '' or a query with its question mark. */
  readonly query: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
}

export interface ReplyHead {
  readonly status: number;
  /** The value of a header by its lower-case name; several values are joined by a comma and a space. */
  header(name: string): string | null;
}

/** Told of one reply: `head`, any number of `data`, `end`; or `failed` at any point. What it throws ends the call. */
export interface UpstreamReceiver {
  head(head: ReplyHead): void;
  data(chunk: Buffer): void;
  end(): void;
  /** The last word: the call is over and its connection will not be used again. */
  failed(refusal: Refusal): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Ends the call and its connection; the receiver hears `failed(refusal)` unless it is over already. */
  abort(refusal: Refusal): void;
}

/** One backend: its addresses, their connections, and the time each step may take. */
export class Upstream {
  readonly #targets: readonly Target[];
  readonly #limits: UpstreamLimits;
  readonly #turnstile: Turnstile;
  #next = 0;

  constructor(urls: readonly string[], limits: UpstreamLimits) {
    this.#limits = limits;
    this.#targets = urls.map((url) => makeTarget(new URL(url), limits));
    this.#turnstile = new Turnstile(limits.connections * urls.length, limits.pending, limits.pendingMillis);
  }

  /** Calls in flight. */
  get active(): number {
    return this.#turnstile.active;
  }

  /** Calls that wait for a connection. */
  get waiting(): number {
    return this.#turnstile.waiting;
  }

  call(request: UpstreamRequest, receiver: UpstreamReceiver): UpstreamCall {
    const target = this.#targets[this.#next] as Target;
    this.#next = (this.#next + 1) % this.#targets.length;
    return new Call(target, request, receiver, this.#turnstile, this.#limits.totalMillis);
  }

  /** Closes every connection; calls still in flight fail. */
  async close(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.pool.destroy()));
  }
}

interface Target {
  readonly pool: Pool;
  readonly path: string;
  readonly search: string;
}

function makeTarget(url: URL, limits: UpstreamLimits): Target {
  const pool = new Pool(url.origin, {
    connections: limits.connections,
    pipelining: 1,
    connect: { timeout: limits.connectMillis },
    headersTimeout: limits.headersMillis,
    bodyTimeout: limits.idleMillis,
    keepAliveTimeout: Math.max(1, limits.keepAliveMillis),
    keepAliveMaxTimeout: Math.max(1, limits.keepAliveMillis),
    allowH2: false,
  });
  return { pool, path: url.pathname, search: url.search };
}

type Controller = Parameters<NonNullable<Parameters<Pool['dispatch']>[1]['onRequestStart']>>[0];
type ReplyHeaders = Parameters<NonNullable<Parameters<Pool['dispatch']>[1]['onResponseStart']>>[2];

class Call implements UpstreamCall, ReplyHead {
  status = 0;
  readonly #target: Target;
  readonly #request: UpstreamRequest;
  readonly #receiver: UpstreamReceiver;
  readonly #timer: NodeJS.Timeout;
  #controller: Controller | null = null;
  #headers: ReplyHeaders | null = null;
  #over = false;
  #leave: (() => void) | null;

  constructor(
    target: Target,
    request: UpstreamRequest,
    receiver: UpstreamReceiver,
    turnstile: Turnstile,
    totalMillis: number,
  ) {
    this.#target = target;
    this.#request = request;
    this.#receiver = receiver;
    this.#timer = setTimeout(() => this.abort(new Refusal('UPSTREAM_TIMEOUT', 'total')), totalMillis);
    this.#leave = turnstile.enter(
      () => this.#dispatch(),
      () => this.abort(new Refusal('POOL_EXHAUSTED')),
    );
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#over) return;
    this.#finish();
    this.#controller?.abort(refusal);
    destroyBody(this.#request.body);
    this.#receiver.failed(refusal);
  }

  header(name: string): string | null {
    const value = this.#headers?.[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
  }

  // undici's DispatchHandler.

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Refusal('CLIENT_GONE'));
  }

  onResponseStart(_controller: Controller, status: number, headers: ReplyHeaders): void {
    if (this.#over || status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#tell(() => this.#receiver.head(this));
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.#over) this.#tell(() => this.#receiver.data(chunk));
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#tell(() => this.#receiver.end());
    this.#finish();
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#over) return;
    this.#finish();
    destroyBody(this.#request.body);
    this.#receiver.failed(refusalOfError(error, this.status !== 0));
  }

  #dispatch(): void {
    if (this.#over) return;
    const { pool, path, search } = this.#target;
    const query = search === '' ? this.#request.query : search + this.#request.query.replace('?', '&');
    const { method, headers, body } = this.#request;
    pool.dispatch({ path: path + query, method, headers, body }, this);
  }

  #tell(step: () => void): void {
    try {
      step();
    } catch (caught) {
      this.abort(caught instanceof Refusal ? caught : new Refusal('INTERNAL', null, { cause: caught }));
    }
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#leave?.();
    this.#leave = null;
  }
}

/** A body that nobody will read any more must not keep its source waiting. */
function destroyBody(body: UpstreamRequest['body']): void {
  if (body !== null && 'destroy' in body) body.destroy();
}
