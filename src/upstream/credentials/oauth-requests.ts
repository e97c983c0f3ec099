import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  introspectionRequest,
  None,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  processIntrospectionResponse,
  TlsClientAuth,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { type observing, Refusal } from '../../core/index.js';
import type { DpopKey } from './dpop-key.js';

/** The gateway as a client of an authorization server. */
export interface OAuthClient {
  /** The endpoint that is asked. */
  readonly url: string;
  readonly clientId: string;
  /**
   * How the client identifies itself (RFC 6749 section 2.3.1, RFC 7523 section 2.2, RFC 8705
   * section 2).
   */
  readonly clientAuth: ClientIdentity;
  /**
   * What a token is asked for with; absent or null: the client's own credentials (RFC 6749 section
   * 4.4).
   */
  readonly grant?: ExtensionGrant | null;
  /** The key that tokens are to be bound to (RFC 9449); absent or null: none. */
  readonly dpop?: DpopKey | null;
  /** Posts a form to `url`, with a limit on the answer. */
  readonly post: (
    headers: readonly string[],
    form: string,
    observer: observing.CallObserver | null,
  ) => Promise<OAuthAnswer>;
}

/** A grant by other parameters of the form (RFC 6749 section 4.5). */
interface ExtensionGrant {
  readonly type: string;
  readonly parameters: () => Promise<Readonly<Record<string, string>>>;
}

export type ClientIdentity =
  | { readonly kind: 'basic' | 'post'; readonly secret: () => string }
  /** `sign` resolves to an assertion of the client about itself. */
  | { readonly kind: 'privateKeyJwt'; readonly sign: () => Promise<string> }
  /** The certificate of the connection, or nothing at all. */
  | { readonly kind: 'tls' | 'none' };

export interface OAuthAnswer {
  readonly status: number;
  readonly text: string;
  /** The nonce of the server for the next proof; absent or null for none. */
  readonly dpopNonce?: string | null;
}

/** Asks for a token. `seconds`: its life; null where not told. */
export async function requestToken(
  oauth: OAuthClient,
  parameters: URLSearchParams,
  observer: observing.CallObserver | null,
): Promise<{ readonly token: string; readonly seconds: number | null }> {
  const server = { ...serverOf(oauth), token_endpoint: oauth.url };
  const client = { client_id: oauth.clientId };
  const { grant = null } = oauth;
  if (grant === null) {
    const options = optionsOf(oauth, observer);
    const response = await clientCredentialsGrantRequest(
      server,
      client,
      authOf(oauth),
      parameters,
      options,
    );
    return tokenIn(oauth, await processClientCredentialsResponse(server, client, response));
  }
  for (const [name, value] of Object.entries(await grant.parameters())) {
    parameters.set(name, value);
  }
  const options = optionsOf(oauth, observer);
  const response = await genericTokenEndpointRequest(
    server,
    client,
    authOf(oauth),
    grant.type,
    parameters,
    options,
  );
  return tokenIn(oauth, await processGenericTokenEndpointResponse(server, client, response));
}

const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function tokenIn(
  { dpop = null }: OAuthClient,
  { access_token: token, expires_in: seconds, token_type: type }: TokenEndpointResponse,
) {
  if (dpop !== null && type !== 'dpop') {
    throw new Refusal('UPSTREAM_AUTH', 'a token that is not bound to the key');
  }
  return { token, seconds: seconds ?? null };
}

/** Posts a form, with a proof where tokens are bound: once more where the server has a nonce. */
async function postProven(
  { url, dpop = null, post }: OAuthClient,
  headers: readonly string[],
  form: string,
  observer: observing.CallObserver | null,
): Promise<OAuthAnswer> {
  if (dpop === null) return post(headers, form, observer);
  const send = (): Promise<OAuthAnswer> =>
    post([...headers, 'dpop', dpop.prove('POST', url, null)], form, observer);
  const answer = await send();
  const isNew = dpop.learn(url, answer.dpopNonce ?? null);
  const isAsked = answer.status === 400 || answer.status === 401;
  if (!isNew || !isAsked || !answer.text.includes('use_dpop_nonce')) return answer;
  const again = await send();
  dpop.learn(url, again.dpopNonce ?? null);
  return again;
}

/** Asks about a token (RFC 7662). Null: it is not active. */
export async function introspectToken(
  oauth: OAuthClient,
  token: string,
  observer: observing.CallObserver | null,
): Promise<Readonly<Record<string, unknown>> | null> {
  const server = { ...serverOf(oauth), introspection_endpoint: oauth.url };
  const client = { client_id: oauth.clientId };
  const options = {
    ...optionsOf(oauth, observer),
    additionalParameters: { token_type_hint: 'access_token' },
  };
  const response = await introspectionRequest(server, client, authOf(oauth), token, options);
  const answer = await processIntrospectionResponse(server, client, response);
  return answer.active ? answer : null;
}

const serverOf = ({ url }: OAuthClient): { readonly issuer: string } => ({
  issuer: new URL(url).origin,
});

function authOf({ clientAuth, clientId }: OAuthClient): ClientAuth {
  switch (clientAuth.kind) {
    case 'basic':
      return ClientSecretBasic(clientAuth.secret());
    case 'post':
      return ClientSecretPost(clientAuth.secret());
    case 'tls':
      return TlsClientAuth();
    case 'none':
      return None();
    case 'privateKeyJwt':
      return async (_server, _client, body) => {
        body.set('client_id', clientId);
        body.set('client_assertion_type', CLIENT_ASSERTION);
        body.set('client_assertion', await clientAuth.sign());
      };
  }
}

const optionsOf = (oauth: OAuthClient, observer: observing.CallObserver | null) => ({
  // `check` warns of an endpoint without TLS.
  [allowInsecureRequests]: true,
  [customFetch]: async (
    _url: string,
    { headers, body }: { headers: Record<string, string>; body?: unknown },
  ) => {
    const { status, text } = await postProven(
      oauth,
      Object.entries(headers).flat(),
      String(body),
      observer,
    );
    // As JSON whatever the answer says: some endpoints leave the type out.
    return new Response(status === 204 ? null : text, {
      status,
      headers: { 'content-type': 'application/json' },
    });
  },
});
