import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { addressesIn } from './balance-rules.js';
import { routeRules } from './upstream-rules.js';

/** Rules between the keys of a second backend, and with those of its service. */
export function secondBackendRules(
  service: Record<string, unknown>,
  key: 'canary' | 'shadow',
  hasTokens: boolean,
  path: ConfigPath,
): readonly Finding[] {
  const second = service[key];
  if (!isRecord(second)) return [];
  const at = [...path, key];
  const name = printPath(at);
  const findings: Finding[] = [...routeRules(second, hasTokens, at)];
  const find = (below: ConfigPath, what: string, remedy: string): void => {
    findings.push({ path: [...at, ...below], part: 'key', what: `${name} ${what}`, remedy });
  };
  const url = textAtKey(second['url']);
  const addresses = addressesIn(service).map((address) => textAtKey(address['url']));
  if (addresses.includes(url)) {
    find(['url'], 'has an address of the service itself.', 'Give that of another backend.');
  }
  const { auth, security } = service;
  if (isRecord(auth) && auth['passthrough'] === true) {
    find(
      [],
      'is called over other connections, and `auth.passthrough` binds those of a caller.',
      `Remove \`passthrough\`, or \`${key}\`.`,
    );
  }
  const { auth: own, security: made } = second;
  const oauth2 = isRecord(own) ? own['oauth2'] : undefined;
  if (
    isRecord(oauth2) &&
    (oauth2['grant'] === 'tokenExchange' || textAtKey(oauth2['place']).startsWith('header:'))
  ) {
    find(
      ['auth', 'oauth2'],
      'cannot have tokens of its own for each caller, or in a header block.',
      'Take the grant of a client, with a token in a header field.',
    );
  }
  const isMade = isRecord(security) && security['make'] !== undefined;
  if (isMade && made === undefined && !addresses.some((address) => sameOrigin(address, url))) {
    find(
      [],
      'is another server, and `security.make` writes credentials of the service into messages.',
      'Write `security: same` to send them there too, or `security: none`.',
    );
  }
  return findings;
}

/** Whether two addresses have one scheme, host and port (RFC 6454). */
export const sameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
