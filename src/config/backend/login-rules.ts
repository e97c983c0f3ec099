import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { isGatewayField } from './gateway-fields.js';

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/i;

/** Rules between the keys of `auth.login` of a service of this kind with so many addresses. */
export function loginRules(
  login: Record<string, unknown>,
  kind: unknown,
  addresses: number,
  path: ConfigPath,
): readonly Finding[] {
  const findings: Finding[] = [];
  const at = (key: string, part: Finding['part'], what: string, remedy: string): void => {
    findings.push({
      path: [...path, key],
      part,
      what: `${printPath([...path, key])} ${what}`,
      remedy,
    });
  };
  const { operation, place, scheme, token, renewOn, url, urlsAllowed } = login;
  const allowed = Array.isArray(urlsAllowed) ? urlsAllowed.map(textAtKey) : [];
  const field = /^http:(.*)$/.exec(textAtKey(place))?.[1];
  if (field !== undefined && isGatewayField(field)) {
    at(
      'place',
      'value',
      'names a header field that the gateway writes itself.',
      'Name another one; for cookies write `cookie`.',
    );
  }
  if (scheme !== undefined && field === undefined) {
    at(
      'scheme',
      'key',
      'is for a token in a field of HTTP.',
      'Write `place: http:authorization`, or remove it.',
    );
  }
  if (url !== undefined && addresses > 1) {
    at('url', 'key', 'is for a service with one address.', 'Give it one `url`.');
  }
  if (url !== undefined && allowed.length === 0) {
    at(
      'url',
      'key',
      'needs `urlsAllowed`: the token goes wherever the reply says.',
      'Write `urlsAllowed: ["https://*.my.example.com"]`.',
    );
  }
  if (url === undefined && allowed.length > 0) {
    at('urlsAllowed', 'key', 'has no effect without `url`.', 'Remove it.');
  }
  for (const [index, each] of allowed.entries()) {
    if (!/^http:/i.test(each) || LOOPBACK.test(each)) continue;
    const at = [...path, 'urlsAllowed', index];
    const what = `${printPath(at)} would send the token without TLS.`;
    findings.push({ path: at, part: 'value', what, remedy: 'Write https.' });
  }
  if (kind !== 'graphql') return findings;
  if (!textAtKey(operation).includes('.')) {
    at(
      'operation',
      'value',
      'is called at a service that speaks SOAP.',
      'Write service.Operation.',
    );
  }
  if (/^header:/.test(textAtKey(place))) {
    at('place', 'value', 'is a header block of SOAP.', 'Write http:authorization, or cookie.');
  } else if (place !== 'cookie' && token === undefined) {
    at('place', 'value', 'needs `token`.', 'Write reply.sessionId.');
  }
  if (Array.isArray(renewOn) && renewOn.length > 0) {
    at('renewOn', 'key', 'names Faults of SOAP.', 'Remove it: status 401 renews the token.');
  }
  return findings;
}
