/** The schema: made from the models of services, and its names. */

export { validating } from './assemble-schema.js';
export { URL_DIRECTIVE } from './downloads/url-directive.js';
export type { EntryError } from './feeds/entry-error.js';
export type { FieldFeed } from './feeds/feed.js';
export { selfSlot } from './feeds/hidden-slots.js';
export { isDoubtful, isReading } from './fields/exposure.js';
export { readSdlOperations } from './fields/sdl-operations.js';
export type { SdlOperation } from './fields/sdl-types.js';
export type { LinkTable } from './links/link.js';
export { responseKey } from './output/reply-plan.js';
export { type BuiltSchema, buildingSchema, buildSchema } from './schema.js';
export { FieldCost } from './types/cost-rules.js';
export { fieldName, NameScope, type Naming, pascalName, typeName } from './types/naming.js';
export { RETYPE_TARGETS } from './types/retype.js';
export { rootTypes } from './types/roots.js';
