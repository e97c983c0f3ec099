import { BlockList, isIP } from 'node:net';

/** The reach of an IP address. `special`: not the address of one host on the internet. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'link-local' | 'special';

/** [kind, network, bits]: RFC 6890 and its successors, as the IANA registries have them. */
const NETWORKS: readonly (readonly [Exclude<AddressKind, 'public'>, string, number])[] = [
  ['loopback', '127.0.0.0', 8],
  ['loopback', '::1', 128],
  ['link-local', '169.254.0.0', 16],
  ['link-local', 'fe80::', 10],
  ['private', '10.0.0.0', 8],
  ['private', '172.16.0.0', 12],
  ['private', '192.168.0.0', 16],
  ['private', '100.64.0.0', 10],
  ['private', 'fc00::', 7],
  ['special', '0.0.0.0', 8],
  ['special', '192.0.0.0', 24],
  ['special', '192.0.2.0', 24],
  ['special', '198.18.0.0', 15],
  ['special', '198.51.100.0', 24],
  ['special', '203.0.113.0', 24],
  ['special', '224.0.0.0', 3],
  ['special', '::', 128],
  // IPv4 addresses embedded in IPv6 count as the IPv4 address, or as special.
  ['special', '::', 96],
  ['special', '64:ff9b::', 96],
  ['special', '64:ff9b:1::', 48],
  ['special', '100::', 64],
  ['special', '2001::', 23],
  ['special', '2001:db8::', 32],
  ['special', '2002::', 16],
  ['special', 'fec0::', 10],
  ['special', 'ff00::', 8],
];

const lists = NETWORKS.map(([kind, network, bits]) => {
  const list = new BlockList();
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  list.addSubnet(network, bits, family);
  return { kind, family, list };
});

/** Classifies an IP address. Other texts are `special`; IPv4 mapped into IPv6 counts as IPv4. */
export function addressKind(address: string): AddressKind {
  const bare = (address.startsWith('[') ? address.slice(1, -1) : address).replace(/%.*$/, '');
  const version = isIP(bare);
  if (version === 0) return 'special';
  const family = version === 4 || isMapped(bare) ? 'ipv4' : 'ipv6';
  const found = lists.find(
    (row) => row.family === family && row.list.check(bare, version === 4 ? 'ipv4' : 'ipv6'),
  );
  return found?.kind ?? 'public';
}

const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

const isMapped = (address: string): boolean => mapped.check(address, 'ipv6');
