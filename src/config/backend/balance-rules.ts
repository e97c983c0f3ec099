import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';

/** The addresses of a service as maps, whose values may be of any kind. */
export const addressesIn = ({
  url,
  urls,
}: Record<string, unknown>): readonly Record<string, unknown>[] =>
  [...(url === undefined ? [] : [url]), ...(Array.isArray(urls) ? urls : [])].map((address) =>
    isRecord(address) ? address : { url: address },
  );

/** Addresses that are never called, and a choice among one. */
export function balanceRules(
  service: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const findings: Finding[] = [];
  const name = printPath(path);
  const addresses = addressesIn(service);
  const at = (key: string, what: string, remedy: string): void => {
    findings.push({ path: [...path, key], part: 'key', what, remedy });
  };
  if (addresses.length > 0 && addresses.every(({ weight }) => weight === 0)) {
    at(
      'urls',
      `${name} has no address with a weight above 0.`,
      'Give one a weight, or remove the weights.',
    );
  } else if (
    addresses.length > 0 &&
    addresses.every(({ backup, weight }) => backup === true || weight === 0)
  ) {
    at(
      'urls',
      `${name} has only addresses that are \`backup\`.`,
      'Remove `backup` where calls should go first.',
    );
  }
  const seen = new Set<unknown>();
  for (const [index, { url }] of addresses.entries()) {
    if (seen.has(url)) {
      const remedy = 'Give one of them a `weight`, and remove the other.';
      findings.push({
        path: [...path, 'urls', index],
        part: 'value',
        what: `${name} has an address twice.`,
        remedy,
      });
    }
    seen.add(url);
  }
  for (const key of ['balance', 'sticky', 'zone']) {
    if (addresses.length !== 1 || service[key] === undefined) continue;
    // A cookie may name the backend of `canary` too.
    if (key === 'sticky' && service['canary'] !== undefined) continue;
    at(key, `${name} has \`${key}\` and one address.`, 'Give several as `urls`, or remove it.');
  }
  const { zone, health, balance, kind } = service;
  if (kind === 'graphql' && isRecord(balance) && textAtKey(balance['hash']).startsWith('path:')) {
    at(
      'balance',
      `${name} has a path in \`balance\`, and its requests have no elements.`,
      'Take `client`, `header` or `claim`.',
    );
  }
  if (isRecord(health)) {
    findings.push(...healthRules(health, [...path, 'health']));
  }
  if (
    typeof zone === 'string' &&
    addresses.length > 1 &&
    !addresses.some((address) => address['zone'] === zone)
  ) {
    at('zone', `${name} has no address in its zone.`, 'Give addresses a `zone`, or remove it.');
  }
  return findings;
}

/** One kind of check, and no keys of another. */
function healthRules(health: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const kinds = ['path', 'operation', 'tcp', 'wsdl'].filter(
    (key) => health[key] !== undefined && health[key] !== false,
  );
  const findings: Finding[] = [];
  if (kinds.length !== 1) {
    const what =
      `${printPath(path)} needs \`path\`, \`operation\`, \`wsdl: true\` or \`tcp: ` +
      'true`, and one of them.';
    findings.push({ path, part: 'key', what, remedy: 'Name what is checked.' });
  }
  for (const key of ['arguments', 'expect', 'faults']) {
    if (health[key] === undefined || health['operation'] !== undefined) continue;
    const what = `${printPath([...path, key])} is for checks by an \`operation\`.`;
    findings.push({
      path: [...path, key],
      part: 'key',
      what,
      remedy: 'Name the operation, or remove it.',
    });
  }
  return findings;
}
