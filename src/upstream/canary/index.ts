/** A new backend that gets a share of the calls of a service. */

export { type CallCounts, NO_CALLS } from './call-window.js';
export {
  type BackCause,
  type CallEnd,
  type CanaryOptions,
  CanaryShare,
} from './canary-share.js';
