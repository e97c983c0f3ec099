import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Refusal } from '../core/index.js';
import type { Access, CallerIdentity, Client } from './client.js';
import { expiry } from './expiry.js';

/**
 * How long credentials may be undecided, because others cannot be asked. Nothing is sent to the
 * client meanwhile.
 */
export interface Patience {
  /** Then the client is ended. */
  readonly undecidedMillis: number;
  /** Between two attempts. */
  readonly retryMillis: number;
}

export const PATIENCE: Patience = { undecidedMillis: 30_000, retryMillis: 1_000 };
/** The least time between two questions about one client. */
const ASK_MILLIS_MIN = 1_000;
/**
 * The share of its time by which a question may be late: clients that came together are not asked
 * about together.
 */
const SPREAD = 0.1;

/** How clients are identified, and what they may do. Made at start-up. */
export interface AccessRules {
  readonly access: Access;
  /** Equal for two configurations whose rules about fields, operations and pages are the same. */
  readonly protection: string;
}

/** What a client is identified by again. */
export interface LiveIdentification {
  /** The present rules. */
  readonly rules: AccessRules;
  /** Changes whenever all clients have to be identified again. */
  readonly epoch: number;
  readonly patience: Patience;
  /**
   * Resolves to the refusal where the credentials of `caller` are no good, or cannot be verified.
   */
  identify(caller: () => CallerIdentity, last: Client): Promise<Client | Refusal>;
}

/**
 * Why a client was ended: its credentials have expired, were withdrawn or give other rights, or
 * cannot be verified.
 */
export type LiveEnd = 'expired' | 'withdrawn' | 'unverified';

export type EndListener = (end: LiveEnd, refusal: Refusal) => void;

/** One client whose credentials are in use beyond one request. */
export class LiveClient {
  readonly #identification: LiveIdentification;
  readonly #caller: () => CallerIdentity;
  readonly #protection: string;
  readonly #listeners = new Set<EndListener>();
  readonly #closed: () => void;
  #client: Client;
  /** The epoch in which it was confirmed; null: in none. */
  #confirmed: number | null;
  #isDue = false;
  #isClosed = false;
  #refusal: Refusal | null = null;
  #asking: Promise<void> | null = null;
  #stopTimer = (): void => {};

  /**
   * `rules` have identified the client. `caller` has its credentials, and throws where they have
   * become no good. `closed` is called when it is over.
   */
  constructor(
    identification: LiveIdentification,
    caller: () => CallerIdentity,
    client: Client,
    rules: AccessRules,
    closed: () => void,
  ) {
    this.#identification = identification;
    this.#caller = caller;
    this.#client = client;
    this.#closed = closed;
    this.#protection = rules.protection;
    this.#confirmed = rules.access === identification.rules.access ? identification.epoch : null;
    if (this.#confirmed !== null) {
      this.#wait();
    }
  }

  /** As it was identified last. */
  get client(): Client {
    return this.#client;
  }

  /** Calls `ended` once the credentials are no longer good. Returns what removes it. */
  addEndListener(ended: EndListener): () => void {
    this.#listeners.add(ended);
    return () => this.#listeners.delete(ended);
  }

  /**
   * Null where the present rules have confirmed the client. Else resolves when they have; rejects
   * with the refusal when it has ended.
   */
  confirm(): Promise<void> | null {
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    if (this.#confirmed === this.#identification.epoch && !this.#isDue) return null;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /**
   * Confirms the client where nothing waits for the result: the listeners are called when it has
   * ended.
   */
  recheck(): void {
    this.confirm()?.catch(() => {});
  }

  /** The connection or stream is over. */
  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    this.#listeners.clear();
    this.#closed();
  }

  async #ask(): Promise<void> {
    const fromMillis = performance.now();
    const { undecidedMillis, retryMillis } = this.#identification.patience;
    for (;;) {
      const { epoch, rules } = this.#identification;
      const found = await this.#identification.identify(this.#caller, this.#client);
      if (this.#isClosed) throw this.#refusal ?? new Refusal('CLIENT_GONE');
      // The rules have changed meanwhile.
      if (epoch !== this.#identification.epoch) continue;
      if (!(found instanceof Refusal)) {
        const isSame = rules.protection === this.#protection && haveSameRights(found, this.#client);
        if (!isSame) throw this.#end('withdrawn', new Refusal('UNAUTHENTICATED', 'other rights'));
        this.#client = found;
        this.#confirmed = epoch;
        this.#isDue = false;
        return this.#wait();
      }
      if (found.isOfCaller) throw this.#end('withdrawn', found);
      if (performance.now() - fromMillis >= undecidedMillis) throw this.#end('unverified', found);
      await setTimeout(retryMillis, undefined, { ref: false });
    }
  }

  /** Until its credentials expire, or have to be verified again. */
  #wait(): void {
    this.#stopTimer();
    const { expiresMillis, recheckMillis } = this.#client;
    const nowMillis = Date.now();
    const late = 1 + SPREAD * Math.random();
    const dueMillis =
      recheckMillis === null
        ? Number.POSITIVE_INFINITY
        : nowMillis + Math.max(ASK_MILLIS_MIN, recheckMillis - nowMillis) * late;
    const endMillis = expiresMillis ?? Number.POSITIVE_INFINITY;
    const atMillis = Math.min(dueMillis, endMillis);
    if (atMillis === Number.POSITIVE_INFINITY) return;
    this.#stopTimer = expiry(atMillis, () => {
      if (atMillis === endMillis) {
        this.#end('expired', new Refusal('UNAUTHENTICATED', 'credentials have expired'));
      } else {
        this.#isDue = true;
        this.recheck();
      }
    });
  }

  #end(end: LiveEnd, refusal: Refusal): Refusal {
    const listeners = [...this.#listeners];
    this.#refusal = refusal;
    this.close();
    for (const ended of listeners) {
      ended(end, refusal);
    }
    return refusal;
  }
}

/** Whether two identifications give the same client the same rights. Its budget may be another. */
const haveSameRights = (one: Client, other: Client): boolean =>
  one.id === other.id &&
  one.isAuthenticated === other.isAuthenticated &&
  one.className === other.className &&
  one.rights.key === other.rights.key &&
  one.scopes.size === other.scopes.size &&
  [...one.scopes].every((scope) => other.scopes.has(scope));
