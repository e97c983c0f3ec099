/** GraphQL: the schema from the model, documents that are admitted, operations that run. */

export { type Admitted, readDocument } from './admission/admit.js';
export {
  AdmittedDocument,
  MemoryPersistedStore,
  type PersistedStore,
} from './admission/document-cache.js';
export { depthOf } from './admission/document-shape.js';
export {
  introspectionPoints,
  prepareWholeCount,
  wholeSchemaFields,
} from './admission/introspection-cost.js';
export { limitOf } from './admission/limit-checker.js';
export {
  boundsOf,
  checkJsonType,
  checkNoCoding,
  parseJson,
  preventForgery,
  readParams,
} from './admission/params.js';
export { PersistedDocuments } from './admission/persisted.js';
export { PERSISTED_LIMITS } from './admission/persisted-limits.js';
export { decodeText, readText } from './admission/read-text.js';
export {
  type ManifestEntry,
  readManifest,
  type TrustedDocuments,
} from './admission/trusted-documents.js';
export { validating } from './assemble-schema.js';
export { printWithCosts } from './cost/cost-print.js';
export { costRefusal } from './cost/cost-refusal.js';
export type { CostLimits } from './cost/cost-table.js';
export { Spending } from './cost/spending.js';
export { fieldTypes } from './described/chosen-fields.js';
export {
  type DescribedCall,
  DescribedCalls,
  type DescribedFault,
  type DescribedOutcome,
} from './described/described-call.js';
export {
  type DescribedOperation,
  describedOperations,
  isBinaryAnswer,
  isListAnswer,
} from './described/described-operation.js';
export type { JsonSchema } from './described/facets.js';
export {
  asSentence,
  type PrintedProblem,
  pointerOf,
  problemSentence,
} from './described/input-problems.js';
export { REST_LIMITS } from './described/rest-limits.js';
export { type ReferredType, SchemaDescriber } from './described/schema-describer.js';
export { entriesOf, pagesOf } from './docs/docs-pages.js';
export { exampleOfOperation, validArguments } from './docs/example-arguments.js';
export type { DocsPage, InlineText, PageBlock, PageEntry } from './docs/page-block.js';
export { URL_DIRECTIVE } from './downloads/url-directive.js';
export { codedError, fieldError, MORE_ERRORS, refusalErrors, withId } from './errors.js';
export type { EntryError } from './feeds/entry-error.js';
export type { FieldFeed } from './feeds/feed.js';
export { selfSlot } from './feeds/hidden-slots.js';
export type { BoundField } from './fields/bound-field.js';
export { costsOfSdl, withSdlCosts } from './fields/cost-sdl.js';
export { isDoubtful, type OperationMapping, type RootType } from './fields/exposure.js';
export { readSdlOperations } from './fields/sdl-operations.js';
export type { SdlOperation } from './fields/sdl-types.js';
export {
  isSubschemaField,
  type SendToSubschema,
  type Subschema,
  type SubschemaCosts,
  type SubschemaPlan,
  type SubschemaReply,
  type SubschemaRequest,
  type SubschemaTextLimits,
} from './fields/subschema.js';
export {
  CARRIED,
  createGraphqlHandler,
  type GraphqlHandler,
  type ItemHost,
  type RequestHost,
  type StreamCarrier,
} from './http.js';
export {
  type BlockMappings,
  blockMappings,
  NO_BLOCKS,
  type RequestMapping,
  stepName,
} from './input/block-mapping.js';
export {
  type FilledArgument,
  type InputMappings,
  inputMappings,
  withFilled,
} from './input/input-mapping.js';
export { GRAPHQL_LIMITS, type GraphqlLimits, MEASURABLE_LIMITS } from './limits.js';
export type { LinkMapping, LinkTable } from './links/link.js';
export {
  AdmittedOperation,
  admitOperation,
  ChargedOperation,
  type Operations,
  operationsOf,
  refuseOperation,
} from './operation.js';
export { type RawVariables, responseKey } from './output/reply-plan.js';
export { type Asset, assetsPath, readAssets } from './page/assets.js';
export { copyFiles } from './page/copy-files.js';
export { EXAMPLE_TEXTS, exampleCalls, exampleQuery } from './page/example.js';
export { PAGE_POLICY, type Page, printLinks, readPage } from './page/page.js';
export { type PageFile, SCRIPT, STYLE } from './page/page-files.js';
export { GRAPHQL_REFUSALS } from './refusals.js';
export { FieldRights } from './rights/field-rights.js';
export { bothRules, FieldRule, MASKS, type Mask, ruleOf, STRENGTH } from './rights/field-rule.js';
export { Masker } from './rights/mask.js';
export { argumentsOf } from './run/arguments.js';
export type { BatchPlace, GraphqlResponse } from './run/batch.js';
export { costByField, type Throttle } from './run/cost-report.js';
export { callInputOf, eventAnswer, isWanted, noAnswer } from './run/event-answer.js';
export { withValues } from './run/fed-values.js';
export {
  type CallField,
  type CallInput,
  type CallToCheck,
  type FieldCall,
  SharedCallFailure,
} from './run/field-call.js';
export { type LinkUse, linkUses } from './run/link-uses.js';
export { calledFields, useOf } from './run/operation-use.js';
export { type RootField, type RootPlan, rootPlanOf } from './run/root-plan.js';
export { selectedFields, selectedRules } from './run/selected-rules.js';
export { subschemaRequestOf } from './run/subschema-request.js';
export { type BuiltSchema, buildingSchema, buildSchema } from './schema.js';
export { loadWrap } from './subschema/load-wrap.js';
export { parseSubschemaText, readSubschemaReply } from './subschema/read-reply.js';
export { hasPart, partName } from './subschema/schema-parts.js';
export { NO_COSTS, takeCosts } from './subschema/sdl-costs.js';
export { removeInaccessible } from './subschema/sdl-inaccessible.js';
export { resolveLinks } from './subschema/sdl-links.js';
export { takeRights } from './subschema/sdl-rights.js';
export { SUBSCHEMA_LIMITS } from './subschema/subschema-limits.js';
export { planOf, valuesRead } from './subscription/event-values.js';
export type {
  EventMapping,
  EventSource,
  EventTopic,
  PolledSource,
  Subscription,
  SubscriptionMapping,
  ValueReading,
} from './subscription/subscription.js';
export { boundValue } from './tools/bound-value.js';
export { MCP_LIMITS } from './tools/mcp-limits.js';
export { FIELDS_ARGUMENT, isWrapped, type Tool, takesFields, toolOf } from './tools/tool.js';
export { type DescribedTool, describeParts, describeType } from './tools/tool-parts.js';
export {
  FOUND_MAX,
  findTools,
  LISTED_MAX,
  READING_TOOL,
  SEARCH_TOOL,
  searchTools,
  WRITING_TOOL,
} from './tools/tool-search.js';
export { type CostOrigin, FieldCost, type ListSize } from './types/cost-rules.js';
export {
  type FieldConversion,
  type FieldMapping,
  type MappingFinding,
  TYPES_PATH,
  type TypeMappings,
} from './types/mapping.js';
export { fieldName, NameScope, type Naming, pascalName, typeName } from './types/naming.js';
export type { PagesMapping } from './types/paging.js';
export { RETYPE_TARGETS } from './types/retype.js';
export { rootTypes } from './types/roots.js';
