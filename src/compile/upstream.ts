import { Buffer } from 'node:buffer';
import type { LoadedConfig } from '../config/load.js';
import type { GraphqlServiceConfig, ServiceConfig } from '../config/schema.js';
import { bearerFields, RotatingBearer } from '../upstream/credentials/bearer.js';
import type { Credentials, Fields } from '../upstream/credentials/credentials.js';
import { RotatingFile } from '../upstream/credentials/rotating-file.js';
import { Upstream } from '../upstream/upstream.js';

/** Compiles how the backend of a service is reached. */
export const compileUpstream = (
  loaded: LoadedConfig,
  name: string,
  config: ServiceConfig | GraphqlServiceConfig,
): Upstream => new Upstream(config.urls, config.limits.upstream, compileCredentials(loaded, name, config));

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
