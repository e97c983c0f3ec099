import { ConfigurationError } from '../../base/diagnostic.js';
import { RotatingFile } from '../../base/rotating-file.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ServiceConfig } from '../../config/schema.js';
import type { BlockWriter } from '../../soap/header/header-place.js';
import { securityWriter } from '../../soap/header/security-writer.js';

/** The writer of the Security block of a service; null where it has none. Throws `ConfigurationError`. */
export function compileMadeSecurity(
  loaded: LoadedConfig,
  service: string,
  { security: { make } }: ServiceConfig,
): BlockWriter | null {
  if (make === undefined) return null;
  const { timestamp, expiresMillis, usernameToken, mustUnderstand, actor = null } = make;
  const path = ['services', service, 'security', 'make'];
  if (!timestamp && usernameToken === undefined) {
    const what = `Service \`${service}\`: \`security.make\` makes nothing.`;
    throw new ConfigurationError([diagnosticAt(loaded, path, what, 'Give it `timestamp: true` or a `usernameToken`.')]);
  }
  return securityWriter({
    timestampMillis: timestamp ? expiresMillis : null,
    usernameToken:
      usernameToken === undefined
        ? null
        : { ...usernameToken, password: passwordOf(loaded, path, usernameToken.password) },
    mustUnderstand,
    target: actor,
  });
}

function passwordOf(loaded: LoadedConfig, path: readonly string[], password: string): () => string {
  const file = loaded.fileAt([...path, 'usernameToken', 'password']);
  if (file === null) return () => password;
  const rotating = new RotatingFile(file, password);
  return () => rotating.content;
}
