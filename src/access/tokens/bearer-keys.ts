import type { Identifier } from '../access.js';
import { type ApiKeyClient, ApiKeys } from '../api-keys.js';
import { bearerToken, withholdToken } from './bearer.js';

/** Identifies clients by fixed tokens (RFC 6750), which are the `keys` of a client. */
export function bearerKeys(clients: readonly ApiKeyClient[]): Identifier {
  const keys = new ApiKeys('token', clients);
  return {
    challenge: 'Bearer realm="soapstone"',
    identify(caller) {
      const token = bearerToken(caller);
      return token === null ? null : keys.identify({ ...caller, headers: { token } });
    },
    withhold: (head) => withholdToken(head, () => true),
  };
}
