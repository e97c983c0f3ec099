import { type JwtConfig, jwtIssuers } from '../clients/token-keys.js';
import type { ConfigChange, ValueComparison, Weakening } from './protection.js';

/**
 * Issuers of the same name whose tokens are verified less. Those that are new or gone let nothing
 * in that was refused.
 */
export function weakerTokens({ before, after }: ConfigChange): readonly Weakening[] {
  const known = new Map(
    jwtIssuers(before.clients?.jwt).map(({ issuer }) => [issuer.issuer, issuer]),
  );
  return jwtIssuers(after.clients?.jwt).flatMap(({ issuer, path }): readonly Weakening[] => {
    const earlier = known.get(issuer.issuer);
    if (earlier === undefined) return [];
    const at = ['clients', 'jwt', ...path];
    const algorithms = issuer.algorithms.filter((each) => !earlier.algorithms.includes(each));
    return [
      ...(algorithms.length === 0
        ? []
        : [{ path: [...at, 'algorithms'], what: `now has ${algorithms.join(', ')}` }]),
      ...(earlier.requireNotBefore && !issuer.requireNotBefore
        ? [{ path: [...at, 'requireNotBefore'], what: 'goes from `true` to `false`' }]
        : []),
      ...(earlier.audience === issuer.audience
        ? []
        : [{ path: [...at, 'audience'], what: 'is another one' }]),
      ...(['clientClaim', 'scopesClaim'] as const).flatMap((key) =>
        earlier[key] === issuer[key]
          ? []
          : [
              {
                path: [...at, key],
                what: `goes from \`${earlier[key]}\` to \`${issuer[key]}\``,
              },
            ],
      ),
      ...(issuer.toleranceMillis > earlier.toleranceMillis
        ? [
            {
              path: [...at, 'toleranceMillis'],
              what: `goes from \`${earlier.toleranceMillis}\` to \`${issuer.toleranceMillis}\``,
            },
          ]
        : []),
      ...(issuer.forward && !earlier.forward
        ? [{ path: [...at, 'forward'], what: 'goes from `false` to `true`' }]
        : []),
      ...weakerProofs(earlier, issuer).map(([key, what]) => ({ path: [...at, ...key], what })),
      ...(isPlain(issuer.jwksUrl) && !isPlain(earlier.jwksUrl)
        ? [{ path: [...at, 'jwksUrl'], what: 'goes from https to http' }]
        : []),
    ];
  });
}

/** Another demand lets in tokens that were refused, but for one in place of `either`. */
const isLessBound = (before: unknown, after: unknown): boolean =>
  before !== after && before !== 'none' && (before !== 'either' || after === 'none');

/** How tokens have to be bound to their clients; absent is `none`. */
export const proofDemand: ValueComparison = (before = 'none', after = 'none') =>
  isLessBound(before, after) ? `goes from \`${String(before)}\` to \`${String(after)}\`` : null;

/** Changes by which a token may be bound less to its client, or a proof be used for longer. */
function weakerProofs(
  { proof: before, dpop: earlier }: JwtConfig,
  { proof: after, dpop: later }: JwtConfig,
): readonly (readonly [readonly string[], string])[] {
  const goes = (one: unknown, other: unknown) => `goes from \`${one}\` to \`${other}\``;
  return [
    ...(isLessBound(before, after) ? [[['proof'], goes(before, after)] as const] : []),
    ...(earlier.nonce && !later.nonce ? [[['dpop', 'nonce'], goes(true, false)] as const] : []),
    ...(later.maxAgeMillis > earlier.maxAgeMillis
      ? [[['dpop', 'maxAgeMillis'], goes(earlier.maxAgeMillis, later.maxAgeMillis)] as const]
      : []),
  ];
}

const isPlain = (url: string | undefined): boolean => url !== undefined && /^http:/i.test(url);
