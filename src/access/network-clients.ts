import type { Identifier } from './access.js';
import { type ClientClass, clientOf } from './client.js';
import { clientAddress, subscriberOf } from './network/address.js';
import type { Networks } from './network/networks.js';

export interface ClientNetwork {
  readonly name: string;
  readonly rights: ClientClass;
  readonly addresses: Networks;
}

/**
 * Identifies clients by the network their address is in. The first that fits counts; each address
 * is a client.
 */
export const networkClients = (
  networks: readonly ClientNetwork[],
  proxies: Networks,
): Identifier => ({
  identify(caller) {
    const address = clientAddress(caller, proxies);
    const network = networks.find(({ addresses }) => addresses.has(address));
    if (network === undefined) return null;
    const id = `network:${network.name}:${subscriberOf(address)}`;
    return clientOf('network', { id, name: null, label: id }, network.rights);
  },
  /** Addresses are no credentials. */
  withhold() {},
});
