import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { addressesIn, balanceRules } from './balance-rules.js';
import { isGatewayField } from './gateway-fields.js';
import { loginRules } from './login-rules.js';
import { oauthRules } from './oauth2-rules.js';

/**
 * Rules between the keys of a service about its backend, whatever it speaks. `hasTokens`: callers
 * have tokens.
 */
export const upstreamRules = (
  service: Record<string, unknown>,
  hasTokens: boolean,
  path: ConfigPath,
): readonly Finding[] => [...routeRules(service, hasTokens, path), ...balanceRules(service, path)];

/** Rules between the keys of the way to a backend. */
export const routeRules = (
  service: Record<string, unknown>,
  hasTokens: boolean,
  path: ConfigPath,
): readonly Finding[] => [
  ...fieldRules(service, path),
  ...authRules(service, hasTokens, path),
  ...tlsRules(service, [...path, 'tls']),
];

function fieldRules(service: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const findings: Finding[] = [];
  const own = (name: string, at: ConfigPath, part: Finding['part']): void => {
    if (!isGatewayField(name)) return;
    const what =
      `${printPath(at)} names a header field that the gateway writes itself, or that ` +
      'concerns one connection.';
    findings.push({ path: at, part, what, remedy: 'Remove it.' });
  };
  const { headers, forwardHeaders } = service;
  const fixed = isRecord(headers) ? Object.keys(headers) : [];
  for (const name of fixed) {
    own(name, [...path, 'headers', name], 'key');
  }
  for (const [index, name] of Array.isArray(forwardHeaders) ? forwardHeaders.entries() : []) {
    const at = [...path, 'forwardHeaders', index];
    own(textAtKey(name), at, 'value');
    if (!fixed.some((each) => each.toLowerCase() === textAtKey(name).toLowerCase())) continue;
    const what = `${printPath(at)} is one of \`headers\` already.`;
    findings.push({ path: at, part: 'value', what, remedy: 'Keep one of them.' });
  }
  return findings;
}

/** Credentials write `Authorization`; so may nothing else. */
function authRules(
  { kind, auth, tls, cookies, headers, forwardHeaders, url, urls }: Record<string, unknown>,
  hasTokens: boolean,
  path: ConfigPath,
): readonly Finding[] {
  if (!isRecord(auth)) return [];
  const findings: Finding[] = [];
  const named: readonly (readonly [ConfigPath, Finding['part'], string])[] = [
    ...(isRecord(headers) ? Object.keys(headers) : []).map(
      (name) => [[...path, 'headers', name], 'key', name] as const,
    ),
    ...(Array.isArray(forwardHeaders) ? forwardHeaders : []).map(
      (name, index) => [[...path, 'forwardHeaders', index], 'value', textAtKey(name)] as const,
    ),
  ];
  for (const [at, part, name] of named) {
    if (name.toLowerCase() !== 'authorization') continue;
    const what = `${printPath(at)} is written by \`auth\`.`;
    findings.push({ path: at, part, what, remedy: 'Keep one of them.' });
  }
  findings.push(...connectionRules(auth, kind, [...path, 'auth']));
  const { basic } = auth;
  if (isRecord(basic) && typeof basic['username'] === 'string' && basic['username'].includes(':')) {
    const at = [...path, 'auth', 'basic', 'username'];
    const what = `${printPath(at)} has a colon, which HTTP Basic cannot send (RFC 7617 section 2).`;
    findings.push({
      path: at,
      part: 'value',
      what,
      remedy: 'Take another user, or another kind of `auth`.',
    });
  }
  const { digest, login, oauth2 } = auth;
  if (isRecord(oauth2)) {
    findings.push(
      ...oauthRules(oauth2, { kind, tls, url, urls }, hasTokens, [...path, 'auth', 'oauth2']),
    );
  }
  const addresses = addressesIn({ url, urls });
  if (isRecord(login) && login['place'] === 'cookie' && cookies === 'forward') {
    const what =
      `${printPath([...path, 'cookies'])} sends on the cookies of callers, ` +
      'and `auth.login` sends its own.';
    findings.push({
      path: [...path, 'cookies'],
      part: 'key',
      what,
      remedy: 'Remove it, or take another `place`.',
    });
  }
  if (isRecord(login)) {
    findings.push(...loginRules(login, kind, addresses.length, [...path, 'auth', 'login']));
  }
  const paths = new Set(addresses.flatMap((address) => pathOf(address['url'])));
  if (isRecord(digest) && paths.size > 1) {
    const what =
      `${printPath([...path, 'auth', 'digest'])} signs the path of a request, and the ` +
      'addresses have different ones.';
    findings.push({
      path: [...path, 'auth', 'digest'],
      part: 'key',
      what,
      remedy: 'Make a service of each path.',
    });
  }
  return findings;
}

/** Credentials that authenticate connections. */
function connectionRules(
  auth: Record<string, unknown>,
  kind: unknown,
  path: ConfigPath,
): readonly Finding[] {
  const findings: Finding[] = [];
  const { ntlm, passthrough } = auth;
  if (isRecord(ntlm) && ntlm['domain'] !== undefined && /[@\\]/.test(textAtKey(ntlm['username']))) {
    const what = `${printPath([...path, 'ntlm', 'username'])} names a domain, and \`domain\` another.`;
    findings.push({
      path: [...path, 'ntlm', 'domain'],
      part: 'key',
      what,
      remedy: 'Keep one of them.',
    });
  }
  if (passthrough !== undefined && kind === 'graphql') {
    const what = `${printPath([...path, 'passthrough'])} is for callers of SOAP services.`;
    const remedy = 'Name `authorization` in `forwardHeaders` of the service instead.';
    findings.push({ path: [...path, 'passthrough'], part: 'key', what, remedy });
  }
  return findings;
}

/** Path and query of an address; none for what is no URL. */
const pathOf = (address: unknown): readonly string[] => {
  if (typeof address !== 'string' || !URL.canParse(address)) return [];
  const { pathname, search } = new URL(address);
  return [pathname + search];
};

/** A certificate needs its key, and TLS an https address. */
function tlsRules(
  { tls, url, urls }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const findings = [...identityRules(tls, path)];
  const addresses = addressesIn({ url, urls }).map((address) => address['url']);
  const isPlain =
    addresses.length > 0 && addresses.every((address) => /^http:/i.test(textAtKey(address)));
  if (isRecord(tls) && isPlain) {
    const what = `${printPath(path)} has no effect: no address of the service begins with https.`;
    findings.push({ path, part: 'key', what, remedy: 'Write an https address.' });
  }
  return findings;
}

/** A certificate needs its key. */
export function identityRules(tls: unknown, path: ConfigPath): readonly Finding[] {
  if (!isRecord(tls)) return [];
  const findings: Finding[] = [];
  const at = (key: string, what: string, remedy: string): void => {
    findings.push({ path: [...path, key], part: 'key', what, remedy });
  };
  const has = (key: string): boolean => tls[key] !== undefined;
  const name = printPath(path);
  if (has('cert') && !has('key')) {
    at('cert', `${name} has a certificate without its key.`, 'Give `key`.');
  }
  if (has('key') && !has('cert')) {
    at('key', `${name} has a key without its certificate.`, 'Give `cert`.');
  }
  if (has('pfx') && has('cert')) {
    at('pfx', `${name} has both \`pfx\` and \`cert\`.`, 'Keep one of them.');
  }
  if (has('passphrase') && !has('pfx') && !has('key')) {
    at('passphrase', `${name} has a passphrase, and nothing that it opens.`, 'Remove it.');
  }
  return findings;
}
