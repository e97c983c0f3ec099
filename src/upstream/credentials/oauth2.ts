import { performance } from 'node:perf_hooks';
import { asRefusal, type observing, Refusal } from '../../core/index.js';
import { type OAuthClient, requestToken } from './oauth-requests.js';
import { RenewalLimiter } from './renewal-limiter.js';
import type { TokenSource } from './token-source.js';

export interface OAuth2Options extends OAuthClient {
  /** The service that the tokens are for. */
  readonly service: string;
  readonly scopes: readonly string[];
  /** RFC 8707 calls it `resource`; Auth0 and others `audience`. Null for none. */
  readonly audience: string | null;
  readonly close: () => Promise<void>;
}

/** A token is renewed when this share of its life is over. */
const RENEWED_AT = 0.8;
/** A token without `expires_in` (RFC 6749 section 5.1 only recommends it). */
const UNTOLD_LIFE_MILLIS = 300_000;
/**
 * How long a failure is the answer to further calls: a token endpoint that fails is not asked by
 * each of them.
 */
const FAILED_MILLIS = 1_000;

/** The signs of a field of HTTP. */
const TOKEN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

interface Token {
  readonly text: string;
  readonly renewMillis: number;
  readonly endMillis: number;
}

/**
 * Tokens of an authorization server (RFC 6749): shared by all calls, one request for a token at a
 * time.
 */
export class OAuth2 implements TokenSource {
  readonly #options: OAuth2Options;
  #token: Token | null = null;
  #asking: Promise<Token> | null = null;
  /** The observer of the request for a token that is under way; null where it is not observed. */
  #observer: observing.CallObserver | null = null;
  readonly #renewals = new RenewalLimiter();
  #failure: { readonly refusal: Refusal; readonly untilMillis: number } | null = null;

  constructor(options: OAuth2Options) {
    this.#options = options;
  }

  token(observer: observing.RequestObserver | null = null): string | Promise<string> {
    const nowMillis = performance.now();
    const token = this.#token;
    if (token === null || nowMillis >= token.endMillis) {
      return this.#obtain(nowMillis, observer).then(({ text }) => text);
    }
    // In the background, while the old one is still good.
    if (nowMillis >= token.renewMillis) {
      this.#obtain(nowMillis, observer).catch(() => {});
    }
    return token.text;
  }

  /**
   * Calls that were refused together had the same token: the first of them asks for another one.
   */
  renew(
    refused: string,
    operation: string,
    observer: observing.RequestObserver | null = null,
  ): string | Promise<string> {
    if (this.#isCurrent(refused)) {
      this.#renewals.begin(operation, performance.now());
      this.#token = null;
    }
    return this.token(observer);
  }

  canRenew(refused: string, operation: string): boolean {
    return !this.#isCurrent(refused) || this.#renewals.permits(operation, performance.now());
  }

  accepted(token: string, operation: string, isRepeated: boolean): void {
    if (this.#isCurrent(token)) {
      this.#renewals.accept(operation, isRepeated);
    }
  }

  #isCurrent(token: string): boolean {
    return this.#token?.text === token;
  }

  async close(): Promise<void> {
    await this.#options.close();
  }

  #obtain(nowMillis: number, request: observing.RequestObserver | null): Promise<Token> {
    if (this.#asking !== null) {
      this.#observer?.serve(request);
      return this.#asking;
    }
    if (this.#failure !== null && nowMillis < this.#failure.untilMillis) {
      return Promise.reject(this.#failure.refusal);
    }
    this.#observer = request?.call(this.#options.service, 'oauth2') ?? null;
    this.#asking = this.#ask(this.#observer).then(
      (token) => {
        this.#token = token;
        this.#renewals.replaced();
        this.#asking = null;
        this.#failure = null;
        return token;
      },
      (caught: unknown) => {
        const refusal = asUnobtained(caught);
        this.#asking = null;
        this.#failure = { refusal, untilMillis: performance.now() + FAILED_MILLIS };
        throw refusal;
      },
    );
    return this.#asking;
  }

  async #ask(observer: observing.CallObserver | null): Promise<Token> {
    const { scopes, audience } = this.#options;
    const parameters = new URLSearchParams();
    if (scopes.length > 0) {
      parameters.set('scope', scopes.join(' '));
    }
    if (audience !== null) {
      parameters.set('audience', audience);
    }
    const askedMillis = performance.now();
    const { token, seconds } = await requestToken(this.#options, parameters, observer);
    if (!TOKEN.test(token)) {
      throw new Refusal('UPSTREAM_AUTH', 'a token that no header field can carry');
    }
    const lifeMillis = seconds === null ? UNTOLD_LIFE_MILLIS : seconds * 1000;
    return {
      text: token,
      renewMillis: askedMillis + lifeMillis * RENEWED_AT,
      endMillis: askedMillis + lifeMillis,
    };
  }
}

/** A refusal without the answer of the token endpoint, which may name secrets. */
function asUnobtained(caught: unknown): Refusal {
  if (caught instanceof Refusal) return caught;
  if (caught instanceof Error) return new Refusal('UPSTREAM_AUTH', `no token: ${caught.name}`);
  return asRefusal(caught);
}
