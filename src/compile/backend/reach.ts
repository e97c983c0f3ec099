import { Buffer } from 'node:buffer';
import { type Finding, finding, invalid } from '../../config/keys/finding.js';
import type { BackendPlan } from '../../config/plans/backend-plan.js';
import type { TlsPlan } from '../../config/plans/tls-plan.js';
import type { AnyService, ServiceConfig } from '../../config/schema.js';
import type { httpFields, inputFiles } from '../../core/index.js';
import {
  authentication,
  type CallOptions,
  dial,
  type UpstreamLimits,
} from '../../upstream/index.js';
import { type CompiledBalance, compileBalance } from './balance.js';
import { callOptions } from './calls.js';
import { checkConnections, compileNegotiate, compileNtlm } from './connection-credentials.js';
import { compileOAuth2, isSessionToken, tokenField } from './oauth2-token.js';

/** Compiles how the backend of a service is reached. Throws `FindingsError`. */
export async function compileReach(plan: BackendPlan): Promise<Reach> {
  const { name, config } = plan;
  const tls = compileTls(plan.tls, `Service \`${name}\``);
  const { proxy = null, auth } = config;
  const { headerCase: fieldCase } = config;
  const spellings = configuredSpellings(config);
  const route = (url: URL): dial.Route => ({
    ...dial.routeTo(url, proxy, tls),
    fieldCase,
    spellings,
  });
  const way = {
    tls,
    proxy,
    routeTo: route,
    ...compileBalance(config),
    calls: callOptions(name, config),
  };
  if (auth?.ntlm !== undefined || auth?.passthrough === true) {
    checkConnections(plan, route);
  }
  if (auth?.ntlm !== undefined) {
    const ntlm = compileNtlm(auth.ntlm, plan.auth.ntlmPassword);
    return {
      ...way,
      fields: fixedFields(config),
      credentials: ntlm,
      routeTo: (url) => ({ ...route(url), authentication: ntlm }),
    };
  }
  if (auth?.negotiate !== undefined) {
    const credentials = await compileNegotiate(name, auth.negotiate, plan.auth.keytabFile);
    return { ...way, fields: fixedFields(config), credentials };
  }
  return { ...compileCredentials(plan, route), ...way };
}

/** The credentials, TLS and proxy of all calls of a service. */
export interface Reach extends CompiledCredentials, CompiledBalance {
  /** Null where nothing is configured. */
  readonly tls: dial.TlsMaterial | null;
  /** The URL of the proxy, or `environment`; null for none. */
  readonly proxy: string | null;
  readonly routeTo: (url: URL) => dial.Route;
  readonly calls: CallOptions;
}

/** Compiles the `tls` of connections to other servers. `owner` begins the text of an error. */
export function compileTls(tls: TlsPlan | null, owner: string): dial.TlsMaterial | null {
  if (tls === null) return null;
  const parts: Partial<Record<dial.TlsPart, string>> = {};
  const files: Partial<Record<dial.TlsPart, inputFiles.RotatingFile>> = {};
  for (const part of dial.TLS_PARTS) {
    const text = tls.texts[part];
    if (text === undefined) continue;
    parts[part] = text.text;
    if (text.file !== null) {
      files[part] = text.file;
    }
  }
  const { servername = null, passphrase = null, minVersion, verify } = tls.keys;
  try {
    return new dial.TlsMaterial({ parts, passphrase, servername, minVersion, verify }, files);
  } catch (error) {
    const what =
      `${owner}: its certificate, ` +
      `key or authorities cannot be read (${dial.tlsReason(error)}).`;
    const remedy =
      'Check that they are PEM, that the key belongs to the certificate, and the passphrase.';
    throw invalid(['tls'], what, remedy);
  }
}

interface CompiledCredentials {
  /** Header fields of every call. */
  readonly fields: authentication.Fields;
  /** Null if fixed header fields are the only credentials. */
  readonly credentials: authentication.Credentials | null;
}

/** The fixed header fields of a service, and its credentials. */
function compileCredentials(plan: BackendPlan, route: Reach['routeTo']): CompiledCredentials {
  const { auth } = plan.config;
  const { bearerToken, oauth2 } = plan.auth;
  const fields = fixedFields(plan.config);
  const fixed = (own: authentication.Fields): CompiledCredentials => ({
    fields: [...fields, ...own],
    credentials: null,
  });
  if (auth?.basic !== undefined) {
    const { username, password } = auth.basic;
    return fixed([
      'authorization',
      `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ]);
  }
  if (bearerToken !== null) {
    const { text, file } = bearerToken;
    return file === null
      ? fixed(authentication.bearerFields(text))
      : { fields, credentials: new authentication.RotatingBearer(file) };
  }
  if (auth?.digest !== undefined) {
    const { username, password } = auth.digest;
    return { fields, credentials: new authentication.Digest(username, password) };
  }
  if (oauth2 !== null) {
    const place = isSessionToken(oauth2.keys) ? null : tokenField(oauth2.keys);
    if (place === null) return fixed([]);
    const options = compileOAuth2(plan, oauth2, route);
    const { dpop = null } = options;
    const tokens = new authentication.OAuth2(options);
    if (dpop !== null) {
      return {
        fields,
        credentials: new authentication.DpopCredentials(tokens, dpop, originOf(plan.config.urls)),
      };
    }
    return {
      fields,
      credentials: new authentication.TokenCredentials(tokens, place.field, place.prefix, true),
    };
  }
  return fixed([]);
}

/** The origin of a service, whose addresses have one: a rule of the configuration. */
const originOf = ([url = '']: readonly string[]): string => new URL(url).origin;

const fixedFields = ({ headers }: Pick<ServiceConfig, 'headers'>): authentication.Fields =>
  Object.entries(headers).flatMap(([field, value]) => [field.toLowerCase(), value]);

/**
 * The spellings of fields that a service names, where not the usual ones: these names go out as
 * they are written.
 */
const configuredSpellings = ({
  headers,
}: Pick<ServiceConfig, 'headers'>): httpFields.FieldSpellings =>
  new Map(
    Object.keys(headers)
      .filter((name) => CAPITAL.test(name))
      .map((name) => [name.toLowerCase(), name]),
  );

/** A name in lower case alone is a habit of the file, and no wish. */
const CAPITAL = /[A-Z]/;

/**
 * The limits of the upstream of a service. One whose address comes from a login is not looked up
 * beforehand.
 */
export const limitsOf = ({ auth, limits }: Pick<AnyService, 'auth' | 'limits'>): UpstreamLimits =>
  auth?.login?.url === undefined ? limits.upstream : { ...limits.upstream, resolveMillis: 0 };

/** How long before its end a certificate is warned of. */
const EXPIRY_WARNING_MILLIS = 30 * 86_400_000;

/** Warns of certificates and authorities that end soon, or have ended. `owner` begins the text. */
export function warningsOfTls(
  tls: dial.TlsMaterial | null,
  owner: string,
  key: 'tls' | 'ca' = 'tls',
): readonly Finding[] {
  const endMillis = tls?.expiresMillis ?? null;
  if (endMillis === null || endMillis - Date.now() > EXPIRY_WARNING_MILLIS) return [];
  const what =
    `${owner}: a certificate of \`tls\` ${endMillis < Date.now() ? 'ended' : 'ends'} on ` +
    `${new Date(endMillis).toISOString().slice(0, 10)}.`;
  return [finding([key], what, 'Renew it: files are read again while the gateway runs.')];
}
