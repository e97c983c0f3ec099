import { isIP } from 'node:net';

/** The host of a Host field without its port; null for what is no host. */
const HOST = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::\d{1,5})?$/;

/**
 * Whether a Host field names an IP address, localhost or one of `names` (lower case). A page whose own name was made to
 * lead here (DNS rebinding) names that. Requests without Host are no browser's.
 */
export function isHostAllowed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const match = HOST.exec(host);
  if (match === null) return false;
  const name = (match[1] ?? match[2] ?? '').toLowerCase().replace(/\.$/, '');
  return isIP(name) !== 0 || name === 'localhost' || names.has(name);
}
