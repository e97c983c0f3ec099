import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type sharedState } from '../../core/index.js';

/**
 * Asks the other processes for nonces that are new to this one. While they cannot be asked, a
 * message with a nonce is refused, unless `noncesWithoutRedis` allows it: it may be a replay, and
 * an attacker that makes the store fail must not be able to replay. In monitor mode it is only
 * reported. Rejects with `wsse:FailedAuthentication` or `OVERLOADED`.
 */
export async function claimNonces(
  store: sharedState.NonceStore | null,
  { name, acceptsUncomparedNonces }: SoapService,
  nonces: readonly sharedState.NonceClaim[],
  onViolation: ((refusal: Refusal) => void) | null = null,
): Promise<void> {
  if (store === null) return;
  const claims = await Promise.all(
    nonces.map(({ nonce, keptMillis }) => store.claim(name, nonce, keptMillis)),
  );
  const refusal = claims.includes('seen')
    ? new Refusal('wsse:FailedAuthentication', 'nonce came before, elsewhere')
    : claims.includes('unknown') && !acceptsUncomparedNonces
      ? new Refusal('OVERLOADED', 'nonces cannot be compared')
      : null;
  if (refusal === null) return;
  if (onViolation === null) throw refusal;
  onViolation(refusal);
}
