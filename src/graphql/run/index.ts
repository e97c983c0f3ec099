/** Plans of operations, and how they run. */

export { argumentsOf } from './arguments.js';
export type { BatchPlace } from './batch.js';
export { costByField, type Throttle } from './cost-report.js';
export { callInputOf, eventAnswer, isWanted, noAnswer } from './event-answer.js';
export { withValues } from './fed-values.js';
export { type CallField, type CallToCheck, SharedCallFailure } from './field-call.js';
export { type LinkUse, linkUses } from './link-uses.js';
export { calledFields, useOf } from './operation-use.js';
export { type RootField, type RootPlan, rootPlanOf } from './root-plan.js';
export { selectedFields, selectedRules } from './selected-rules.js';
export { subschemaRequestOf } from './subschema-request.js';
