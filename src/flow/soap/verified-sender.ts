import type { MessageSender } from '../../access/client.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type refusals, type sharedState } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { CLOCKS_MILLIS, type OnceMemory } from '../../gateway/shared/once-memory.js';
import { MessageVerifier, type VerifiedMessage } from '../../wss/index.js';
import type { XmlHandler } from '../../xml/index.js';

/**
 * Verifies a message of a service before `handler` sees its events; null where the service verifies
 * none.
 */
export const verifierOf = (
  { verification, heldBytes }: SoapService,
  handler: XmlHandler,
  isPackage: boolean,
): MessageVerifier | null =>
  verification === null
    ? null
    : new MessageVerifier(handler, verification.rules, Date.now(), isPackage, null, heldBytes);

/**
 * The sender of a message for the log: of what is signed, then of the tokens; null where it says
 * none.
 */
export function senderOf({ signature, user, assertion }: VerifiedMessage): string | null {
  const names = [
    signature === null ? null : `certificate:${signature.signer.subject}`,
    user === null ? null : `user:${user.name}`,
    assertion === null || assertion.subject === null ? null : `saml:${assertion.subject}`,
  ].filter((name) => name !== null);
  return names.length === 0 ? null : names.join(' ');
}

/**
 * The client that a message proves: of its assertion, else of its UsernameToken, else of its
 * signature; null for none.
 */
export function messageSenderOf({
  signature,
  user,
  assertion,
}: VerifiedMessage): MessageSender | null {
  if (assertion !== null && assertion.subject !== null) {
    const { issuer, subject, attributes } = assertion;
    return { by: 'saml', issuer, name: subject, attributes };
  }
  if (user !== null) return { by: 'user', name: user.name, attributes: NO_ATTRIBUTES };
  return signature === null
    ? null
    : { by: 'certificate', name: signature.signer.subject, attributes: NO_ATTRIBUTES };
}

const NO_ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map();

/** A decision point is still to be asked about the user of a message. */
export const isUserUnverified = ({ user }: VerifiedMessage): boolean =>
  user !== null && user.password !== null;

/**
 * What of the message may come once, and is new to this process. Other processes are still to be
 * asked. Throws `wsse:FailedAuthentication`, `wsse:MessageExpired` where its time ended while it
 * came, and `OVERLOADED` where no more can be remembered.
 */
export function takeOnce(
  { verification }: SoapService,
  { user, signature, goodUntilMillis }: VerifiedMessage,
): readonly sharedState.NonceClaim[] {
  if (verification === null) return [];
  const { rules, memory } = verification;
  const nowMillis = Date.now();
  const claims: { key: string; untilMillis: number }[] = [];
  if (user !== null && user.nonce !== null) {
    claims.push({ ...user.nonce, key: `verified nonce ${user.nonce.key}` });
  }
  if (rules.once && signature !== null && goodUntilMillis !== null) {
    claims.push({ key: `verified message ${signature.digest()}`, untilMillis: goodUntilMillis });
  }
  return claims.map(({ key, untilMillis }) => {
    // What came before is forgotten by now: a sender that is slow enough could bring it again.
    if (untilMillis <= nowMillis) {
      throw new Refusal('wsse:MessageExpired', 'its time ended while it came');
    }
    const taken = memory.take(key, untilMillis, nowMillis);
    if (taken === 'seen') {
      throw new Refusal('wsse:FailedAuthentication', 'the nonce or the message came before');
    }
    if (taken === 'full') {
      throw new Refusal(
        'OVERLOADED',
        'no further nonce or message can be remembered',
        fullOptions(memory, nowMillis),
      );
    }
    const keptMillis = untilMillis - nowMillis + CLOCKS_MILLIS;
    return { nonce: { key, equivalentKeys: [] }, keptMillis };
  });
}

/** A short wait: entries expire one by one. */
const RETRY_SECONDS_MAX = 60;

const fullOptions = (memory: OnceMemory, nowMillis: number): refusals.RefusalOptions => ({
  limit: { key: 'limits.soap.nonces', value: memory.max },
  retryAfter: String(
    Math.min(RETRY_SECONDS_MAX, Math.ceil(memory.nextExpiryMillis(nowMillis) / 1000) || 1),
  ),
});

/** Verifies a password that is not known here. Rejects as `TokenUsers.verify`. */
export async function verifyTokenUser(
  { verification }: SoapService,
  verified: VerifiedMessage | null,
  exchange: Exchange,
): Promise<void> {
  const user = verified?.user ?? null;
  if (user === null || user.password === null) return;
  await verification?.users?.verify({ name: user.name, password: user.password }, exchange.client);
}
