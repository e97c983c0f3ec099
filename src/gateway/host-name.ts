import { isIP } from 'node:net';

/** The host of a Host field without its port; null for what is no host. */
const HOST = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::\d{1,5})?$/;

const normalForm = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Host names as `isHostAllowed` looks them up. */
export const hostNames = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map(normalForm));

/**
 * Whether a Host field names an IP address, localhost or one of `names`, made by `hostNames`. A
 * page whose own name was made to lead here (DNS rebinding) names that. Requests without Host are
 * no browser's.
 */
export function isHostAllowed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = nameInHost(host);
  if (name === null) return false;
  return isIP(name) !== 0 || name === 'localhost' || names.has(name);
}

/** The name in a Host field without its port, as `hostNames` has it; null for what is no host. */
export function nameInHost(host: string): string | null {
  const match = HOST.exec(host);
  return match === null ? null : normalForm(match[1] ?? match[2] ?? '');
}
