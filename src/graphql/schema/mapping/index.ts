/** What the configuration says of operations, types, arguments, links and events. */

export { costsOfSdl, withSdlCosts } from '../fields/cost-sdl.js';
export type { OperationMapping, RootType } from '../fields/exposure.js';
export {
  type BlockMappings,
  blockMappings,
  NO_BLOCKS,
  type RequestMapping,
  stepName,
} from '../input/block-mapping.js';
export {
  type FilledArgument,
  type InputMappings,
  inputMappings,
  withFilled,
} from '../input/input-mapping.js';
export type { LinkMapping } from '../links/link.js';
export type { EventMapping, SubscriptionMapping } from '../subscription/subscription.js';
export type { CostOrigin, ListSize } from '../types/cost-rules.js';
export {
  type FieldConversion,
  type FieldMapping,
  type MappingFinding,
  TYPES_PATH,
  type TypeMappings,
} from '../types/mapping.js';
export type { PagesMapping } from '../types/paging.js';
