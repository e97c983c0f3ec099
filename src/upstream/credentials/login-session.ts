import { performance } from 'node:perf_hooks';
import { asRefusal, type observing, Refusal } from '../../core/index.js';
import { RenewalLimiter } from './renewal-limiter.js';
import type { TokenSource } from './token-source.js';

/**
 * How long after a failed login none is tried: twice as long after each, so that no account is
 * locked.
 */
const PAUSE_MILLIS = 1_000;
const PAUSE_MILLIS_MAX = 60_000;

export interface LoginSessionOptions {
  /**
   * Resolves to a new token. Rejects with a `Refusal`: `UPSTREAM_AUTH` where the login was refused.
   */
  readonly logIn: (observer: observing.CallObserver | null) => Promise<string>;
  /** Begins to observe a login. */
  readonly observeLogin: (request: observing.RequestObserver) => observing.CallObserver;
  /** Ends the session of a token; null for nothing to do. */
  readonly logOut: ((token: string) => Promise<void>) | null;
  /** How long a token is used; null: until it is refused. */
  readonly maxAgeMillis: number | null;
  /** Closes what logins need, at the end. */
  readonly close: () => Promise<void>;
}

/**
 * The token of a login session: one for all calls, and one login for all calls that wait for it.
 */
export class LoginSession implements TokenSource {
  readonly #options: LoginSessionOptions;
  #current: { readonly token: string; readonly madeMillis: number } | null = null;
  #login: Promise<string> | null = null;
  /** The observer of the login that is under way; null where it is not observed. */
  #observer: observing.CallObserver | null = null;
  #failure: { readonly refusal: Refusal; readonly untilMillis: number } | null = null;
  #pauseMillis = PAUSE_MILLIS;
  #isClosed = false;
  readonly #renewals = new RenewalLimiter();

  constructor(options: LoginSessionOptions) {
    this.#options = options;
  }

  /**
   * The token for a call, made for a request that is observed or not. Throws, or rejects with, a
   * `Refusal`.
   */
  token(request: observing.RequestObserver | null = null): string | Promise<string> {
    const { maxAgeMillis } = this.#options;
    const current = this.#current;
    const isFresh =
      current !== null &&
      (maxAgeMillis === null || performance.now() - current.madeMillis < maxAgeMillis);
    return isFresh ? current.token : this.#logIn(request);
  }

  /**
   * Whether there is another token after the backend has refused one for an operation, or one is
   * made.
   */
  canRenew(refused: string, operation: string): boolean {
    return this.#current?.token !== refused || this.#renewals.permits(operation, performance.now());
  }

  /**
   * The token after the backend has refused one for an operation. Other calls may have renewed it.
   */
  renew(
    refused: string,
    operation: string,
    request: observing.RequestObserver | null = null,
  ): string | Promise<string> {
    if (this.#current?.token === refused) {
      this.#renewals.begin(operation, performance.now());
      this.#current = null;
    }
    return this.token(request);
  }

  /**
   * The backend has accepted a token for an operation; `isRepeated`: after it had refused another
   * for the same call.
   */
  accepted(token: string, operation: string, isRepeated: boolean): void {
    if (this.#current?.token === token) {
      this.#renewals.accept(operation, isRepeated);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A login that is under way makes a session too.
    await this.#login?.catch(() => {});
    const current = this.#current;
    this.#current = null;
    try {
      if (current !== null) {
        await this.#options.logOut?.(current.token);
      }
    } catch {
      // The backend ends the session by itself.
    }
    await this.#options.close();
  }

  #logIn(request: observing.RequestObserver | null): Promise<string> {
    if (this.#login !== null) {
      this.#observer?.serve(request);
      return this.#login;
    }
    if (this.#isClosed) throw new Refusal('UPSTREAM_UNREACHABLE', 'closed');
    const failure = this.#failure;
    if (failure !== null && performance.now() < failure.untilMillis) throw failure.refusal;
    this.#observer = request === null ? null : this.#options.observeLogin(request);
    this.#login = this.#begin(this.#observer);
    return this.#login;
  }

  async #begin(observer: observing.CallObserver | null): Promise<string> {
    try {
      const token = await this.#options.logIn(observer);
      this.#current = { token, madeMillis: performance.now() };
      this.#renewals.replaced();
      this.#failure = null;
      this.#pauseMillis = PAUSE_MILLIS;
      return token;
    } catch (caught) {
      const refusal = asRefusal(caught);
      const isRefused = refusal.code === 'UPSTREAM_AUTH';
      this.#failure = {
        refusal,
        untilMillis: performance.now() + (isRefused ? this.#pauseMillis : PAUSE_MILLIS),
      };
      if (isRefused) {
        this.#pauseMillis = Math.min(PAUSE_MILLIS_MAX, this.#pauseMillis * 2);
      }
      throw refusal;
    } finally {
      this.#login = null;
    }
  }
}
