import type { Identifier } from './access.js';
import { ApiKeys } from './api-keys.js';
import { bearerToken, withholdToken } from './bearer.js';
import type { Caller, Client, ClientClass, Head } from './client.js';

/** Identifies one client by fixed tokens (RFC 6750). */
export class BearerKeys implements Identifier {
  readonly challenge = 'Bearer realm="soapstone"';
  readonly #keys: ApiKeys;

  constructor(name: string, rights: ClientClass, keys: readonly string[]) {
    this.#keys = new ApiKeys('token', [{ name, rights, keys }]);
  }

  identify(caller: Caller): Client | null {
    const token = bearerToken(caller);
    return token === null ? null : this.#keys.identify({ ...caller, headers: { token } });
  }

  withhold(head: Head): void {
    withholdToken(head, () => true);
  }
}
