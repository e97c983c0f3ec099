/** GraphQL: the schema from the model, documents that are admitted, operations that run. */

export * as costs from './admission/cost/index.js';
export * as admission from './admission/index.js';
export { PERSISTED_LIMITS } from './admission/persisted-limits.js';
export { GRAPHQL_LIMITS, type GraphqlLimits, MEASURABLE_LIMITS } from './limits.js';
export * as pages from './page/index.js';
export { GRAPHQL_REFUSALS } from './refusals.js';
export type { GraphqlResponse } from './run/batch.js';
export type { DescribedOperation } from './run/described/described-operation.js';
export * as namedOperations from './run/described/index.js';
export type { CallInput, FieldCall } from './run/field-call.js';
export * as run from './run/index.js';
export * as lifecycle from './run/operations/index.js';
export * as schemaDocs from './schema/docs/index.js';
export type { BoundField } from './schema/fields/bound-field.js';
export * as graphqlSchema from './schema/index.js';
export * as schemaMapping from './schema/mapping/index.js';
export type { RawVariables } from './schema/output/reply-plan.js';
export * as fieldRights from './schema/rights/index.js';
export * as subschemas from './schema/subschema/index.js';
export * as subscriptions from './schema/subscription/index.js';
