import { performance } from 'node:perf_hooks';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
} from 'oauth4webapi';
import { asRefusal, Refusal } from '../../base/refusal.js';
import { bearerFields } from './bearer.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';

export interface OAuth2Options {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: () => string;
  /** How the client identifies itself (RFC 6749 section 2.3.1). */
  readonly clientAuth: 'basic' | 'post';
  readonly scopes: readonly string[];
  /** RFC 8707 calls it `resource`; Auth0 and others `audience`. Null for none. */
  readonly audience: string | null;
  /** Posts a form to `tokenUrl`, over the way of the service, with a limit on the answer. */
  readonly post: (headers: readonly string[], form: string) => Promise<TokenAnswer>;
  readonly close: () => Promise<void>;
}

export interface TokenAnswer {
  readonly status: number;
  readonly text: string;
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
  #failure: { readonly refusal: Refusal; readonly untilMillis: number } | null = null;

  constructor(options: OAuth2Options) {
    this.#options = options;
  }

  fields({ refused }: CallToAuthorize): Fields | Promise<Fields> {
    const nowMillis = performance.now();
    // Calls that were refused together had the same token: the first of them asks for another one.
    if (refused !== null && refused.fields[1] === this.#token?.fields[1]) this.#token = null;
    const token = this.#token;
    if (token === null || nowMillis >= token.endMillis) return this.#obtain(nowMillis).then(({ fields }) => fields);
    // In the background, while the old one is still good.
    if (nowMillis >= token.renewMillis) this.#obtain(nowMillis).catch(() => {});
    return token.fields;
  }

  async close(): Promise<void> {
    await this.#options.close();
  }

  #obtain(nowMillis: number): Promise<Token> {
    if (this.#asking !== null) return this.#asking;
    if (this.#failure !== null && nowMillis < this.#failure.untilMillis) return Promise.reject(this.#failure.refusal);
    this.#asking = this.#ask().then(
      (token) => {
        this.#token = token;
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

  async #ask(): Promise<Token> {
    const { tokenUrl, clientId, clientAuth, clientSecret, scopes, audience, post } = this.#options;
    const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    const client = { client_id: clientId };
    const method: (secret: string) => ClientAuth = clientAuth === 'basic' ? ClientSecretBasic : ClientSecretPost;
    const parameters = new URLSearchParams();
    if (scopes.length > 0) parameters.set('scope', scopes.join(' '));
    if (audience !== null) parameters.set('audience', audience);
    const askedMillis = performance.now();
    const response = await clientCredentialsGrantRequest(server, client, method(clientSecret()), parameters, {
      // `check` warns of a token endpoint without TLS.
      [allowInsecureRequests]: true,
      [customFetch]: async (_url, { headers, body }) => {
        const { status, text } = await post(Object.entries(headers).flat(), String(body));
        // As JSON whatever the answer says: some endpoints leave the type out.
        return new Response(status === 204 ? null : text, { status, headers: { 'content-type': 'application/json' } });
      },
    });
    const answer = await processClientCredentialsResponse(server, client, response);
    const lifeMillis = answer.expires_in === undefined ? UNTOLD_LIFE_MILLIS : answer.expires_in * 1000;
    return {
      fields: bearerFields(answer.access_token),
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
