import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { validateKeySet } from './key-set.js';

/** The issuers of `clients.jwt`, whether it is one or a list. */
export function jwtEntries(
  { jwt }: Record<string, unknown>,
  path: ConfigPath,
): readonly { readonly entry: Record<string, unknown>; readonly path: ConfigPath }[] {
  const at: ConfigPath = [...path, 'jwt'];
  if (isRecord(jwt)) return [{ entry: jwt, path: at }];
  if (!Array.isArray(jwt)) return [];
  return jwt.flatMap((entry: unknown, index) =>
    isRecord(entry) ? [{ entry, path: [...at, index] }] : [],
  );
}

/** Rules about tokens: issuers have keys and a name of their own, and some client gets a class. */
export function tokenRules(clients: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const issuers = jwtEntries(clients, path);
  const { introspection } = clients;
  return [
    ...issuers.flatMap(({ entry, path: at }) => [...keySet(entry, at), ...classOf(entry, at)]),
    ...issuers.flatMap(({ entry: { issuer }, path: at }, index): readonly Finding[] => {
      if (issuers.findIndex(({ entry }) => entry['issuer'] === issuer) === index) return [];
      const what =
        `${printPath([...at, 'issuer'])} is listed twice: ` +
        'the issuer of a token chooses its rules.';
      return [{ path: [...at, 'issuer'], part: 'value', what, remedy: 'Keep one of them.' }];
    }),
    ...(isRecord(introspection)
      ? [
          ...classOf(introspection, [...path, 'introspection']),
          ...audienceOf(introspection, [...path, 'introspection']),
        ]
      : []),
  ];
}

/**
 * A server that others are sent to makes tokens for many: those for others must not be good here.
 */
function audienceOf(
  { issuer, audience }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  if (issuer === undefined || audience !== undefined) return [];
  const what =
    `${printPath([...path, 'issuer'])} sends clients there, whose tokens for ` +
    'others would be good here.';
  return [
    { path: [...path, 'issuer'], part: 'key', what, remedy: 'Give the `audience` of the gateway.' },
  ];
}

function classOf(tokens: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  if (tokens['class'] !== undefined || tokens['classClaim'] !== undefined) return [];
  const what = `${printPath(path)} gives no client a class.`;
  return [{ path, part: 'key', what, remedy: 'Give a `class`, a `classClaim`, or both.' }];
}

function keySet(
  { jwks, jwksUrl, algorithms }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const at: ConfigPath = [...path, 'jwks'];
  if ((jwks === undefined) === (jwksUrl === undefined)) {
    const what = `${printPath(path)} needs the keys of the issuer: one of \`jwks\` and \`jwksUrl\`.`;
    const key = jwks === undefined ? path : [...path, 'jwksUrl'];
    return [{ path: key, part: 'key', what, remedy: 'Give one of them.' }];
  }
  if (typeof jwks !== 'string' || !Array.isArray(algorithms)) return [];
  const fault = validateKeySet(jwks, algorithms.map(String));
  if (fault === null) return [];
  return [
    { path: at, part: 'value', what: `${printPath(at)} ${fault.what}`, remedy: fault.remedy },
  ];
}
