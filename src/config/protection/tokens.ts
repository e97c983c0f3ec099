import { jwtIssuers } from '../clients/token-keys.js';
import type { ConfigChange, Weakening } from './protection.js';

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
      ...(isPlain(issuer.jwksUrl) && !isPlain(earlier.jwksUrl)
        ? [{ path: [...at, 'jwksUrl'], what: 'goes from https to http' }]
        : []),
    ];
  });
}

const isPlain = (url: string | undefined): boolean => url !== undefined && /^http:/i.test(url);
