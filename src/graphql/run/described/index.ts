/** Operations by their names: their documents, arguments and JSON Schema. */

export { fieldTypes } from './chosen-fields.js';
export {
  type DescribedCall,
  DescribedCalls,
  type DescribedFault,
  type DescribedOutcome,
} from './described-call.js';
export { describedOperations, isBinaryAnswer, isListAnswer } from './described-operation.js';
export type { JsonSchema } from './facets.js';
export { asSentence, type PrintedProblem, pointerOf, problemSentence } from './input-problems.js';
export { ownerTypeOf } from './owner-type.js';
export { type ReferredType, SchemaDescriber } from './schema-describer.js';
