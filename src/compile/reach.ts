import { Buffer } from 'node:buffer';
import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import type { LoadedConfig } from '../config/load.js';
import type { GraphqlServiceConfig, ServiceConfig } from '../config/schema.js';
import { bearerFields, RotatingBearer } from '../upstream/credentials/bearer.js';
import type { Credentials, Fields } from '../upstream/credentials/credentials.js';
import { RotatingFile } from '../upstream/credentials/rotating-file.js';
import { type Route, routeTo } from '../upstream/dial/dial.js';
import { reasonOf, TLS_PARTS, TlsMaterial, type TlsPart } from '../upstream/dial/tls.js';
import { diagnosticAt } from './diagnostic-at.js';

/** Compiles how the backend of a service is reached. Throws `ConfigurationError`. */
export function compileReach(loaded: LoadedConfig, name: string, config: ServiceConfig | GraphqlServiceConfig): Reach {
  const tls = compileTls(loaded, name, config);
  const { proxy = null } = config;
  return { ...compileCredentials(loaded, name, config), tls, proxy, routeTo: (url) => routeTo(url, proxy, tls) };
}

/** What all connections and calls of a service have in common. */
export interface Reach extends CompiledCredentials {
  /** Null where nothing is configured. */
  readonly tls: TlsMaterial | null;
  /** Its URL, or `environment`; null for none. */
  readonly proxy: string | null;
  readonly routeTo: (url: URL) => Route;
}

function compileTls(loaded: LoadedConfig, name: string, { tls }: Pick<ServiceConfig, 'tls'>): TlsMaterial | null {
  if (tls === undefined) return null;
  const path = ['services', name, 'tls'];
  const parts: Partial<Record<TlsPart, string>> = {};
  const files: Partial<Record<TlsPart, RotatingFile>> = {};
  for (const part of TLS_PARTS) {
    const content = tls[part];
    if (content === undefined) continue;
    parts[part] = content;
    const file = loaded.fileAt([...path, part]);
    if (file !== null) files[part] = new RotatingFile(file, content, part === 'pfx' ? 'base64' : 'utf8');
  }
  const { servername = null, passphrase = null, minVersion, verify } = tls;
  try {
    return new TlsMaterial({ parts, passphrase, servername, minVersion, verify }, files);
  } catch (error) {
    const what = `Service \`${name}\`: its certificate, key or authorities cannot be read (${reasonOf(error)}).`;
    const remedy = 'Check that they are PEM, that the key belongs to the certificate, and the passphrase.';
    throw new ConfigurationError([diagnosticAt(loaded, path, what, remedy)]);
  }
}

export interface CompiledCredentials {
  /** Header fields of every call. */
  readonly fields: Fields;
  /** Null where the fields are all there is. */
  readonly credentials: Credentials | null;
}

/** The fixed header fields of a service, and its credentials. */
export function compileCredentials(
  loaded: LoadedConfig,
  name: string,
  { auth, headers }: Pick<ServiceConfig, 'auth' | 'headers'>,
): CompiledCredentials {
  const fields = Object.entries(headers).flatMap(([field, value]) => [field.toLowerCase(), value]);
  const fixed = (own: Fields): CompiledCredentials => ({ fields: [...fields, ...own], credentials: null });
  if (auth?.basic !== undefined) {
    const { username, password } = auth.basic;
    return fixed(['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`]);
  }
  if (auth?.bearer !== undefined) {
    const { token } = auth.bearer;
    const file = loaded.fileAt(['services', name, 'auth', 'bearer', 'token']);
    if (file === null) return fixed(bearerFields(token));
    return { fields, credentials: new RotatingBearer(new RotatingFile(file, token)) };
  }
  return fixed([]);
}

/** How long before its end a certificate is warned of. */
const EXPIRY_WARNING_MILLIS = 30 * 86_400_000;

/** Warns of certificates and authorities that end soon, or have ended. */
export function warningsOfReach(loaded: LoadedConfig, name: string, { tls }: Reach): readonly Diagnostic[] {
  const endMillis = tls?.expiresMillis ?? null;
  if (endMillis === null || endMillis - Date.now() > EXPIRY_WARNING_MILLIS) return [];
  const what = `Service \`${name}\`: a certificate of \`tls\` ends on ${new Date(endMillis).toISOString().slice(0, 10)}.`;
  return [
    diagnosticAt(loaded, ['services', name, 'tls'], what, 'Renew it: files are read again while the gateway runs.'),
  ];
}
