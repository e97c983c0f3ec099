import type { Identifier } from '../access.js';
import { type ApiKeyClient, ApiKeys } from '../api-keys.js';
import { presentedToken, withholdToken } from './presented-token.js';

/** Identifies clients by fixed tokens (RFC 6750), which are the `keys` of a client. */
export function bearerKeys(clients: readonly ApiKeyClient[]): Identifier {
  const keys = new ApiKeys('token', clients);
  return {
    challenge: 'Bearer realm="soapstone"',
    identify(caller) {
      const presented = presentedToken(caller);
      if (presented?.scheme !== 'bearer') return null;
      return keys.identify({ ...caller, headers: { token: presented.token } });
    },
    withhold: (head) => withholdToken(head, () => 'gateway'),
  };
}
