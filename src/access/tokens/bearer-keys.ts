import type { Identifier } from '../access.js';
import { type ApiKeyClient, ApiKeys } from '../api-keys.js';
import type { CallerIdentity, Client, Head } from '../client.js';
import { bearerToken, withholdToken } from './bearer.js';

/** Identifies clients by fixed tokens (RFC 6750). */
export class BearerKeys implements Identifier {
  readonly challenge = 'Bearer realm="soapstone"';
  readonly #keys: ApiKeys;

  /** `keys` of a client are its tokens. */
  constructor(clients: readonly ApiKeyClient[]) {
    this.#keys = new ApiKeys('token', clients);
  }

  identify(caller: CallerIdentity): Client | null {
    const token = bearerToken(caller);
    return token === null ? null : this.#keys.identify({ ...caller, headers: { token } });
  }

  withhold(head: Head): void {
    withholdToken(head, () => true);
  }
}
