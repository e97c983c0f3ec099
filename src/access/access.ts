import { Refusal, refusals } from '../core/index.js';
import {
  type Access,
  type CallerIdentity,
  type Client,
  type ClientClass,
  clientOf,
  type Head,
} from './client.js';
import { clientAddress, subscriberOf } from './network/address.js';
import type { Networks } from './network/networks.js';
import { type TokenSchemes, tokenChallengesOf } from './token-challenge.js';

/** One way to know a client. */
export interface Identifier {
  /**
   * Null: the request has no such credentials. Throws, or rejects with, `UNAUTHENTICATED` for those
   * that are no good.
   */
  identify(caller: CallerIdentity): Client | Promise<Client> | null;
  /** The challenge of a 401 that asks for its credentials; absent for none of its own. */
  readonly challenge?: string;
  /** The schemes of the tokens that it takes; absent: it takes none. */
  readonly schemes?: TokenSchemes;
  /** Takes its credentials out of a head, whether they are any good or not. */
  withhold(head: Head): void;
}

/**
 * Asks one after the other: the first whose credentials a request has decides, for better or worse.
 */
export class OrderedAccess implements Access {
  readonly #identifiers: readonly Identifier[];
  readonly #challenge: string | null;
  readonly #tokenChallenges: readonly string[] | null;

  constructor(identifiers: readonly Identifier[]) {
    this.#identifiers = identifiers;
    const schemes = identifiers.flatMap((identifier) => identifier.schemes ?? []);
    this.#tokenChallenges = tokenChallengesOf({
      bearer: schemes.some(({ bearer }) => bearer),
      dpop: schemes.some(({ dpop }) => dpop),
    });
    this.#challenge =
      identifiers.find(({ challenge }) => challenge !== undefined)?.challenge ?? null;
  }

  identify(caller: CallerIdentity): Client | Promise<Client> {
    for (const identifier of this.#identifiers) {
      const client = identifier.identify(caller);
      if (client !== null) return client;
    }
    throw new Refusal('UNAUTHENTICATED', 'no credentials', {
      text: refusals.CREDENTIALS_MISSING,
      challenge: this.#challenge,
      tokenChallenges: this.#tokenChallenges,
    });
  }

  withhold(head: Head): void {
    for (const identifier of this.#identifiers) {
      identifier.withhold(head);
    }
  }
}

/** Identifies clients by their address. */
export class ByAddress implements Identifier, Access {
  readonly #rights: ClientClass;
  readonly #proxies: Networks;

  constructor(rights: ClientClass, proxies: Networks) {
    this.#rights = rights;
    this.#proxies = proxies;
  }

  identify(caller: CallerIdentity): Client {
    const id = `address:${subscriberOf(clientAddress(caller, this.#proxies))}`;
    return clientOf('address', { id, name: null, label: id }, this.#rights);
  }

  /** Addresses are no credentials. */
  withhold(): void {}
}

/**
 * The class of all clients where none is configured. Masks for all classes (`default`) are for it
 * too.
 */
export const UNRESTRICTED: ClientClass = {
  name: 'default',
  key: '',
  budget: null,
  requestsAtOnce: null,
  costBreakdown: false,
  scopes: new Set(),
  permitsAll: true,
  permits: () => true,
  permitsSome: () => true,
  permitsRoute: () => true,
};

/** Permits every client everything, without a budget: no classes are configured. */
export const openAccess = (proxies: Networks): Access => new ByAddress(UNRESTRICTED, proxies);
