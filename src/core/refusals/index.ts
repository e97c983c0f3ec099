/** Refusals: their rows, kinds, statuses, facts and guides. */

export { type ExplainedField, type Explanation, explain, showsPlace } from './explanations.js';
export type { Facts, Place } from './facts.js';
export { refusalGuides } from './guides.js';
export { asUpstream, type ExceededLimit, type RefusalOptions, type ReplyFacts } from './refusal.js';
export { levelOf, type RefusalKind } from './refusal-kind.js';
export {
  CORE_REFUSALS,
  CREDENTIALS_MISSING,
  installRefusals,
  isRefusalCode,
  kindOf,
  type RefusalTable,
} from './refusals.js';
export { type FaultForm, faultStatus, hasFault, wireStatus } from './wire-status.js';
