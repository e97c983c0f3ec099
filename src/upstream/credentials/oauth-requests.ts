import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  introspectionRequest,
  processClientCredentialsResponse,
  processIntrospectionResponse,
} from 'oauth4webapi';
import type { CallObserver } from '../../base/request-observer.js';

/** The gateway as a client of an authorization server. */
export interface OAuthClient {
  /** The endpoint that is asked. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: () => string;
  /** How the client identifies itself (RFC 6749 section 2.3.1). */
  readonly clientAuth: 'basic' | 'post';
  /** Posts a form to `url`, with a limit on the answer. */
  readonly post: (headers: readonly string[], form: string, observer: CallObserver | null) => Promise<OAuthAnswer>;
}

export interface OAuthAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks for a token by the client credentials grant (RFC 6749 section 4.4). `seconds`: its life; null where not told. */
export async function requestToken(
  oauth: OAuthClient,
  parameters: URLSearchParams,
  observer: CallObserver | null,
): Promise<{ readonly token: string; readonly seconds: number | null }> {
  const server = { ...serverOf(oauth), token_endpoint: oauth.url };
  const client = { client_id: oauth.clientId };
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    authOf(oauth),
    parameters,
    optionsOf(oauth, observer),
  );
  const answer = await processClientCredentialsResponse(server, client, response);
  return { token: answer.access_token, seconds: answer.expires_in ?? null };
}

/** Asks about a token (RFC 7662). Null: it is not active. */
export async function introspectToken(
  oauth: OAuthClient,
  token: string,
  observer: CallObserver | null,
): Promise<Readonly<Record<string, unknown>> | null> {
  const server = { ...serverOf(oauth), introspection_endpoint: oauth.url };
  const client = { client_id: oauth.clientId };
  const options = { ...optionsOf(oauth, observer), additionalParameters: { token_type_hint: 'access_token' } };
  const response = await introspectionRequest(server, client, authOf(oauth), token, options);
  const answer = await processIntrospectionResponse(server, client, response);
  return answer.active ? answer : null;
}

const serverOf = ({ url }: OAuthClient): { readonly issuer: string } => ({ issuer: new URL(url).origin });

const authOf = ({ clientAuth, clientSecret }: OAuthClient): ClientAuth =>
  (clientAuth === 'basic' ? ClientSecretBasic : ClientSecretPost)(clientSecret());

const optionsOf = ({ post }: OAuthClient, observer: CallObserver | null) => ({
  // `check` warns of an endpoint without TLS.
  [allowInsecureRequests]: true,
  [customFetch]: async (_url: string, { headers, body }: { headers: Record<string, string>; body?: unknown }) => {
    const { status, text } = await post(Object.entries(headers).flat(), String(body), observer);
    // As JSON whatever the answer says: some endpoints leave the type out.
    return new Response(status === 204 ? null : text, { status, headers: { 'content-type': 'application/json' } });
  },
});
