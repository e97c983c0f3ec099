import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import { meaningOfField } from '../keys/field-meanings.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';

/** Rules about the identification of clients: each kind must be able to identify some. */
export const credentialRules = (
  clients: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] => [
  ...behindAddress(clients, path),
  ...takenHeaders(clients, path),
  ...sharedHeader(clients, path),
];

/** The keys of `clients` by the names that its `order` has for them. */
export const SECTIONS: Readonly<Record<string, string>> = {
  apiKey: 'apiKeys',
  basic: 'basic',
  jwt: 'jwt',
  introspection: 'introspection',
  certificate: 'certificate',
  wsSecurity: 'wsSecurity',
  network: 'networks',
  address: 'address',
};

/** Every client has an address: kinds of identification behind it in the order are never used. */
function behindAddress(clients: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const { order, address } = clients;
  if (!Array.isArray(order) || address === undefined) return [];
  const ways = order.map(textAtKey);
  const index = ways.indexOf('address');
  const behind =
    index < 0
      ? []
      : ways.slice(index + 1).filter((way) => clients[SECTIONS[way] ?? ''] !== undefined);
  if (behind.length === 0) return [];
  const at: ConfigPath = [...path, 'order', index];
  const names = behind.map((way) => `\`${way}\``).join(', ');
  const what =
    `${printPath(at)}: every client has an address, so what follows it ` +
    `is never used: ${names}.`;
  return [{ path: at, part: 'value', what, remedy: 'Put `address` last.' }];
}

/** Fields that have a meaning of their own reach the backend, or are not what they seem. */
function takenHeaders(clients: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  return ['apiKeys', 'certificate'].flatMap((section): readonly Finding[] => {
    const way = clients[section];
    if (!isRecord(way) || typeof way['header'] !== 'string') return [];
    if (meaningOfField(way['header'].toLowerCase()) === null) return [];
    const at: ConfigPath = [...path, section, 'header'];
    const what = `${printPath(at)} names a header field that has a meaning of its own.`;
    return [
      {
        path: at,
        part: 'value',
        what,
        remedy: 'Name one that nothing else reads, such as x-api-key.',
      },
    ];
  });
}

/** A client that sends the field is identified, or refused, by the first of the two. */
function sharedHeader(
  { apiKeys, certificate }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const nameIn = (way: unknown): string | null =>
    isRecord(way) && typeof way['header'] === 'string' ? way['header'].toLowerCase() : null;
  if (nameIn(certificate) === null || nameIn(apiKeys) !== nameIn(certificate)) return [];
  const at: ConfigPath = [...path, 'certificate', 'header'];
  const what =
    `${printPath(at)} is the same header field as ` +
    `${printPath([...path, 'apiKeys', 'header'])}.`;
  return [{ path: at, part: 'value', what, remedy: 'Give each its own.' }];
}
