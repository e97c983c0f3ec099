/** Faults: read from replies, printed for callers. */

export { type DetailObserver, FaultReader, type FaultReason, SoapFaultError } from './fault.js';
export { prepareFault, type Repair } from './fault-answer.js';
export { FaultNames } from './fault-names.js';
export { type DetailRules, EXCEPTION_DETAIL, FAULT_DETAIL_POLICIES } from './fault-policy.js';
export { faultCodeOf, printFault } from './print-fault.js';
