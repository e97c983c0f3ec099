import { performance } from 'node:perf_hooks';
import { asRefusal, Refusal } from '../../base/refusals/refusal.js';
import type { CallObserver, RequestObserver } from '../../base/request-observer.js';
import { bearerFields } from './bearer.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';
import { type OAuthClient, requestToken } from './oauth-requests.js';
import { RenewalLimiter } from './renewal-limiter.js';

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
/** How long a failure is the answer to further calls: a token endpoint that fails is not asked by each of them. */
const FAILED_MILLIS = 1_000;

interface Token {
  readonly fields: Fields;
  readonly renewMillis: number;
  readonly endMillis: number;
}

/** Tokens of the client credentials grant (RFC 6749 section 4.4): shared by all calls, one request for a token at a time. */
export class OAuth2 implements Credentials {
  readonly #options: OAuth2Options;
  #token: Token | null = null;
  #asking: Promise<Token> | null = null;
  /** The observer of the request for a token that is under way; null where it is not observed. */
  #observer: CallObserver | null = null;
  readonly #renewals = new RenewalLimiter();
  #failure: { readonly refusal: Refusal; readonly untilMillis: number } | null = null;

  constructor(options: OAuth2Options) {
    this.#options = options;
  }

  fields({ refused, observer, operation }: CallToAuthorize): Fields | Promise<Fields> {
    const nowMillis = performance.now();
    // Calls that were refused together had the same token: the first of them asks for another one.
    if (refused !== null && this.#isCurrent(refused.fields)) {
      this.#renewals.begin(operation, nowMillis);
      this.#token = null;
    }
    const token = this.#token;
    if (token === null || nowMillis >= token.endMillis)
      return this.#obtain(nowMillis, observer).then(({ fields }) => fields);
    // In the background, while the old one is still good.
    if (nowMillis >= token.renewMillis) this.#obtain(nowMillis, observer).catch(() => {});
    return token.fields;
  }

  canRenew(refused: Fields, operation: string): boolean {
    return !this.#isCurrent(refused) || this.#renewals.permits(operation, performance.now());
  }

  accepted(fields: Fields, operation: string, isRepeated: boolean): void {
    if (this.#isCurrent(fields)) this.#renewals.accept(operation, isRepeated);
  }

  #isCurrent(fields: Fields): boolean {
    return this.#token !== null && fields[1] === this.#token.fields[1];
  }

  async close(): Promise<void> {
    await this.#options.close();
  }

  #obtain(nowMillis: number, request: RequestObserver | null): Promise<Token> {
    if (this.#asking !== null) {
      this.#observer?.serve(request);
      return this.#asking;
    }
    if (this.#failure !== null && nowMillis < this.#failure.untilMillis) return Promise.reject(this.#failure.refusal);
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

  async #ask(observer: CallObserver | null): Promise<Token> {
    const { scopes, audience } = this.#options;
    const parameters = new URLSearchParams();
    if (scopes.length > 0) parameters.set('scope', scopes.join(' '));
    if (audience !== null) parameters.set('audience', audience);
    const askedMillis = performance.now();
    const { token, seconds } = await requestToken(this.#options, parameters, observer);
    const lifeMillis = seconds === null ? UNTOLD_LIFE_MILLIS : seconds * 1000;
    return {
      fields: bearerFields(token),
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
