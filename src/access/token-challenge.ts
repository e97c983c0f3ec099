import { Refusal } from '../core/index.js';
import type { Client } from './client.js';
import { PROOF_ALGORITHMS } from './proof-algorithms.js';

/** The schemes (RFC 9110 section 11.1) by which tokens are accepted. */
export interface TokenSchemes {
  readonly bearer: boolean;
  readonly dpop: boolean;
}

/** The error codes of RFC 6750 section 3.1 and RFC 9449 sections 7.1 and 9. */
export type TokenError = 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce';

const BEARER = 'Bearer realm="soapstone"';
const DPOP = `DPoP algs="${PROOF_ALGORITHMS.join(' ')}"`;

/** The challenges of a request without credentials; null: those for bearer tokens alone. */
export const tokenChallengesOf = ({ bearer, dpop }: TokenSchemes): readonly string[] | null =>
  dpop ? [DPOP, ...(bearer ? [BEARER] : [])] : null;

/** Refuses a token by a challenge of the DPoP scheme. Callers see `rule`, which is a constant. */
export function dpopRefusal(error: TokenError, rule: string): Refusal {
  const described = error === 'invalid_token' ? '' : `, error_description="${rule}"`;
  return new Refusal('UNAUTHENTICATED', rule, {
    tokenChallenges: [`${DPOP}, error="${error}"${described}`],
  });
}

/** Identifies by a token, and challenges by its scheme where it is refused. */
export function challengedByScheme<Found extends Client | null>(
  scheme: 'bearer' | 'dpop',
  schemes: TokenSchemes,
  identify: () => Found | Promise<Client>,
): Found | Promise<Client> {
  if (scheme === 'bearer' && schemes.bearer) return identify();
  const challenge = (caught: unknown): never => {
    const isPlain =
      caught instanceof Refusal &&
      caught.code === 'UNAUTHENTICATED' &&
      caught.tokenChallenges === null;
    throw isPlain ? dpopRefusal('invalid_token', caught.rule ?? 'token') : caught;
  };
  try {
    const found = identify();
    return found instanceof Promise ? found.catch(challenge) : found;
  } catch (caught) {
    return challenge(caught);
  }
}
