import type { Identifier } from '../../access/access.js';
import type { ClientClass } from '../../access/client.js';
import { IntrospectedTokens } from '../../access/tokens/introspection.js';
import type { FetchKeys } from '../../access/tokens/issuer-keys.js';
import type { TokenClientRules } from '../../access/tokens/token-client.js';
import { TokenIssuer, Tokens } from '../../access/tokens/tokens.js';
import { KIB } from '../../base/limit.js';
import type { CallObserver } from '../../base/request-observer.js';
import { RotatingFile } from '../../base/rotating-file.js';
import { validateKeySet } from '../../config/clients/key-set.js';
import { type JwtConfig, jwtIssuers } from '../../config/clients/token-keys.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import { type ConfigPath, printPath } from '../../config/keys/config-path.js';
import type { LoadedConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { introspectToken } from '../../upstream/credentials/oauth-requests.js';
import { fetchDocument } from '../../upstream/fetch-document.js';
import type { Upstream } from '../../upstream/upstream.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';
import { postForm } from '../backend/post-form.js';
import type { AccessParts } from './access-parts.js';
import type { LateWarnings } from './late-warnings.js';

type IntrospectionConfig = NonNullable<NonNullable<Config['clients']>['introspection']>;
type Classes = ReadonlyMap<string, ClientClass>;

/** Limits of fetching an issuer's keys. */
const KEYS_BYTES_MAX = 256 * KIB;
const KEYS_MILLIS = 5000;

/** Compiles `clients.jwt`. Errors in the keys of an issuer turn out when these are fetched: they go to `late`. The keys are added to `issuers`. */
export function compileTokens(
  loaded: LoadedConfig,
  classes: Classes,
  { late, issuers: table, leavesOthers }: Pick<AccessParts, 'late' | 'issuers'> & { readonly leavesOthers: boolean },
): Identifier {
  const issuers = jwtIssuers(loaded.config.clients?.jwt).map(({ issuer, path }) => {
    const keys = keysOf(loaded, ['clients', 'jwt', ...path], issuer, late);
    const made = new TokenIssuer({ ...issuer, ...clientRules(issuer, classes) }, keys);
    table.set(JSON.stringify(issuer), made.keys);
    return made;
  });
  return new Tokens(issuers, leavesOthers);
}

/** Fetches the keys of an issuer; reports each error in them once. */
function keysOf(loaded: LoadedConfig, path: ConfigPath, issuer: JwtConfig, late: LateWarnings): FetchKeys {
  const { jwks, jwksUrl, algorithms } = issuer;
  // The rules of the configuration have validated them.
  if (jwks !== undefined || jwksUrl === undefined) return () => Promise.resolve(jwks ?? '');
  let reported: string | null = null;
  const report = (what: string | null, remedy: string | null): void => {
    if (what !== null && what !== reported) {
      const at = [...path, 'jwksUrl'];
      late.report(diagnosticAt(loaded, at, `The key set of ${printPath(at)} ${what}`, remedy));
    }
    reported = what;
  };
  return async () => {
    try {
      const { body } = await fetchDocument(jwksUrl, { maxBytes: KEYS_BYTES_MAX, timeoutMillis: KEYS_MILLIS });
      const text = body.toString('utf8');
      const fault = validateKeySet(text, algorithms);
      report(fault?.what ?? null, fault?.remedy ?? null);
      return text;
    } catch (error) {
      report(`${error instanceof Error ? error.message : 'cannot be fetched'}.`, null);
      throw error;
    }
  };
}

/** Compiles `clients.introspection`. `endpoint` is to be closed in the end. */
export function compileIntrospection(
  loaded: LoadedConfig,
  config: IntrospectionConfig,
  classes: Classes,
): { readonly identifier: Identifier; readonly endpoint: Upstream } {
  const path = ['clients', 'introspection'];
  const { url, clientId, clientSecret, clientAuth, audience = null, timeoutMillis } = config;
  const file = loaded.fileAt([...path, 'clientSecret']);
  const rotating = file === null ? null : new RotatingFile(file, clientSecret);
  const endpoint = compileAccessEndpoint(loaded, {
    path,
    url,
    timeoutMillis,
    config,
    name: 'The introspection endpoint',
  });
  const oauth = {
    url,
    clientId,
    clientSecret: () => rotating?.content ?? clientSecret,
    clientAuth,
    post: (headers: readonly string[], form: string, observer: CallObserver | null) =>
      postForm(endpoint, headers, form, observer),
  };
  const rules = { ...config, audience, ...clientRules(config, classes) };
  return {
    identifier: new IntrospectedTokens(rules, (token, observer) => introspectToken(oauth, token, observer)),
    endpoint,
  };
}

type ClaimConfig = Pick<IntrospectionConfig, 'clientClaim' | 'logAs' | 'scopesClaim' | 'classClaim' | 'class'>;

function clientRules(config: ClaimConfig, classes: Classes): TokenClientRules {
  const { clientClaim, logAs, scopesClaim, classClaim = null, class: of } = config;
  const otherwise = (of === undefined ? null : classes.get(of)) ?? null;
  return { clientClaim, logAs, scopesClaim, classClaim, classes, otherwise };
}
