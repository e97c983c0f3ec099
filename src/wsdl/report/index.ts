/** What a WSDL holds that cannot be called, or must be known. */

export { type UncallableOperation, warningsOfPorts } from '../model.js';
export { SELECT_HEADERS } from '../operations/operations.js';
export {
  remedyOfDemand,
  SECURITY_DEMANDS,
  type SecurityDemand,
} from '../operations/security-policy.js';
export { leftOut } from '../operations/services.js';
export { warningOfRule } from '../profile-rules.js';
export { reasonOf, reportRows } from '../report.js';
