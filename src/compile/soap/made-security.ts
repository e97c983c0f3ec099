import type { ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { BlockWriter } from '../../soap/header/header-place.js';
import { securityWriter } from '../../soap/header/security-writer.js';

/** The writer of the Security block of a service; null where it has none. Throws `ConfigurationError`. */
export function compileMadeSecurity(service: ConfigSection<ServiceConfig>): BlockWriter | null {
  const { make } = service.value.security;
  if (make === undefined) return null;
  const { timestamp, expiresMillis, usernameToken, mustUnderstand, actor = null } = make;
  const section = service.at(make, 'security', 'make');
  if (!timestamp && usernameToken === undefined) {
    const what = `Service \`${service.name}\`: \`security.make\` makes nothing.`;
    throw section.error([], what, 'Give it `timestamp: true` or a `usernameToken`.');
  }
  return securityWriter({
    timestampMillis: timestamp ? expiresMillis : null,
    usernameToken:
      usernameToken === undefined
        ? null
        : { ...usernameToken, password: section.text(['usernameToken', 'password'], usernameToken.password) },
    mustUnderstand,
    target: actor,
  });
}
