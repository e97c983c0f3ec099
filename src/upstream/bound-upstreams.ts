import type { Socket } from 'node:net';
import { refuseByLimit } from '../core/index.js';
import { DEFAULT_CALLS } from './call-rules.js';
import type { UpstreamLimits } from './limits.js';
import { Upstream, type UpstreamOptions } from './upstream.js';

/** A bound connection ends with that of its caller, and no sooner for its age. */
const KEPT_MILLIS = 86_400_000;
const REQUESTS_MAX = 1_000_000;

/**
 * Whether a value of `Authorization` authenticates the connection that it comes on, and not its
 * request alone.
 */
export const authenticatesConnection = (authorization: string | undefined): boolean =>
  authorization !== undefined && CONNECTION_SCHEME.test(authorization);

const CONNECTION_SCHEME = /^\s*(?:ntlm|negotiate|kerberos|nego2)(?:\s|$)/i;

/**
 * The upstream connections of callers that authenticate their own connection ([MS-NTHT], RFC 4559):
 * one for each, so that a backend never sees two callers on one connection. Requests for it are
 * sent one after the other.
 */
export class BoundUpstreams {
  readonly #urls: readonly string[];
  readonly #limits: UpstreamLimits;
  readonly #options: UpstreamOptions;
  readonly #max: number;
  readonly #byCaller = new Map<Socket, Upstream>();
  #next = 0;
  /** Generations that use them: the last one closes them. */
  #holders = 1;

  constructor(urls: readonly string[], limits: UpstreamLimits, options: UpstreamOptions) {
    this.#urls = urls;
    this.#max = limits.boundConnections;
    this.#limits = {
      ...limits,
      connections: 1,
      keepAliveMillis: KEPT_MILLIS,
      ageMillis: KEPT_MILLIS,
      requestsPerConnection: REQUESTS_MAX,
    };
    const { routeTo, calls = DEFAULT_CALLS } = options;
    // A call on an authenticated connection is not repeated on another.
    const own = { ...options, calls: { ...calls, retry: null, requestsAtOnce: null } };
    this.#options =
      routeTo === undefined
        ? own
        : { ...own, routeTo: (url) => ({ ...routeTo(url), isBound: true }) };
  }

  get size(): number {
    return this.#byCaller.size;
  }

  /** Calls in flight. */
  get active(): number {
    let sum = 0;
    for (const { active } of this.#byCaller.values()) {
      sum += active;
    }
    return sum;
  }

  /** The one that the connection of a caller is bound to, or null. */
  find(caller: Socket): Upstream | null {
    return this.#byCaller.get(caller) ?? null;
  }

  /** Binds the connection of a caller until it closes. Throws `POOL_EXHAUSTED`. */
  bind(caller: Socket): Upstream {
    if (this.#byCaller.size >= this.#max) {
      throw refuseByLimit('POOL_EXHAUSTED', 'limits.upstream.boundConnections', this.#max);
    }
    const url = this.#urls[this.#next++ % this.#urls.length] ?? '';
    const upstream = new Upstream([url], this.#limits, this.#options);
    this.#byCaller.set(caller, upstream);
    caller.once('close', () => {
      this.#byCaller.delete(caller);
      void upstream.close();
    });
    return upstream;
  }

  /** Takes them for another generation, which closes them as well. */
  hold(): this {
    this.#holders++;
    return this;
  }

  async close(): Promise<void> {
    if (--this.#holders > 0) return;
    await Promise.all([...this.#byCaller.values()].map((upstream) => upstream.close()));
    this.#byCaller.clear();
  }
}
