import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { isGatewayField } from './gateway-fields.js';

/** Reports a problem at a key of `oauth2`. */
type Report = (key: string, part: Finding['part'], what: string, remedy: string) => void;

/** Rules of tokens that are bound to a key, which calls to so many origins carry. */
function proofRules(
  { place, renewOn, grant }: Record<string, unknown>,
  origins: number,
  at: Report,
): void {
  const remedy = 'Remove it: a token with a proof is sent as `Authorization: DPoP`.';
  if (place !== undefined) {
    at('place', 'key', 'cannot be combined with `dpop`.', remedy);
  }
  if (Array.isArray(renewOn) && renewOn.length > 0) {
    at('renewOn', 'key', 'cannot be combined with `dpop`: status 401 renews the token.', remedy);
  }
  if (grant === 'tokenExchange') {
    at('dpop', 'key', 'cannot be combined with `grant: tokenExchange`.', 'Remove one of them.');
  }
  if (origins > 1) {
    at('dpop', 'key', 'needs one origin of all addresses: a proof names it.', 'Keep one origin.');
  }
}

const originsIn = (addresses: readonly unknown[]): ReadonlySet<string> =>
  new Set(
    addresses.flatMap((address: unknown) => {
      const text = textAtKey(isRecord(address) ? address['url'] : address);
      return URL.canParse(text) ? [new URL(text).origin] : [];
    }),
  );

/**
 * Rules between the keys of `auth.oauth2` of a service of this kind, with its `tls`. `hasTokens`:
 * callers have tokens.
 */
export function oauthRules(
  oauth: Record<string, unknown>,
  { kind, tls, url, urls }: Record<string, unknown>,
  hasTokens: boolean,
  path: ConfigPath,
): readonly Finding[] {
  const findings: Finding[] = [];
  const at: Report = (key, part, what, remedy) => {
    const named = oauth[key] === undefined ? path : [...path, key];
    findings.push({ path: named, part, what: `${printPath([...path, key])} ${what}`, remedy });
  };
  const { grant, clientAuth, clientSecret, key, assertion, place, renewOn } = oauth;
  const isBearer = grant === 'jwtBearer';
  const isSigned = isBearer || clientAuth === 'privateKeyJwt';
  if (isBearer && assertion === undefined) {
    at(
      'assertion',
      'key',
      'is missing: `grant: jwtBearer` asks by it.',
      'Write `assertion: { subject: user }`.',
    );
  }
  if (!isBearer && assertion !== undefined) {
    at(
      'assertion',
      'key',
      'has no effect: only `grant: jwtBearer` asks by it.',
      'Remove it, or write the grant.',
    );
  }
  if (isSigned && key === undefined) {
    at('key', 'key', 'is missing: assertions are signed by it.', 'Write `key: { file: k.pem }`.');
  }
  if (!isSigned && key !== undefined) {
    at(
      'key',
      'key',
      'signs nothing.',
      'Write `grant: jwtBearer` or `clientAuth: privateKeyJwt`, or remove it.',
    );
  }
  const usesSecret =
    clientAuth === 'basic' || clientAuth === 'post' || (clientAuth === undefined && !isBearer);
  if (usesSecret && clientSecret === undefined) {
    at('clientSecret', 'key', 'is missing.', 'Write it, or `clientAuth: privateKeyJwt` or `tls`.');
  }
  if (clientSecret !== undefined && (clientAuth === 'privateKeyJwt' || clientAuth === 'tls')) {
    at(
      'clientSecret',
      'key',
      `has no effect with \`clientAuth: ${clientAuth}\`.`,
      'Remove one of them.',
    );
  }
  if (
    clientAuth === 'tls' &&
    !(isRecord(tls) && (tls['cert'] !== undefined || tls['pfx'] !== undefined))
  ) {
    at(
      'clientAuth',
      'value',
      'needs the certificate of `tls` of the service.',
      'Write `tls: { cert, key }`.',
    );
  }
  const field = /^http:(.*)$/.exec(textAtKey(place))?.[1];
  if (field !== undefined && field.toLowerCase() !== 'authorization' && isGatewayField(field)) {
    at(
      'place',
      'value',
      'names a header field that the gateway writes itself.',
      'Name another one.',
    );
  }
  if (grant === 'tokenExchange' && !hasTokens) {
    at(
      'grant',
      'value',
      'needs the tokens of callers.',
      'Configure `clients.jwt` or `clients.introspection`.',
    );
  }
  if (oauth['dpop'] === true) {
    proofRules(oauth, originsIn([url, urls].flat()).size, at);
  }
  if (kind !== 'graphql') return findings;
  if (grant === 'tokenExchange') {
    at(
      'grant',
      'value',
      'is for services that speak SOAP.',
      'Name `authorization` in `forwardHeaders` of the service.',
    );
  }
  if (place !== undefined && field === undefined) {
    at('place', 'value', 'is a header block of SOAP.', 'Write http:field-name, or remove it.');
  }
  if (Array.isArray(renewOn) && renewOn.length > 0) {
    at('renewOn', 'key', 'names Faults of SOAP.', 'Remove it: status 401 renews the token.');
  }
  return findings;
}
