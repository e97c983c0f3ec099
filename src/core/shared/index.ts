/** State that processes share: nonces, slots of calls, suspicions. */

export type { Nonce, NonceClaim, NonceStore } from './nonce-store.js';
export { GUARD_MILLIS, type Rate, SlotClock, type SlotSupply, slotClockMillis } from './slots.js';
export {
  type AnswerSource,
  isAnswerSource,
  isSuspicion,
  REACH_MILLIS,
  SUSPENDED_MILLIS_MAX,
  type Suspicion,
  type SuspicionChannel,
  Suspicions,
} from './suspicions.js';
