/** Services that speak GraphQL. */

export {
  isSubschemaField,
  type SendToSubschema,
  type Subschema,
  type SubschemaCosts,
  type SubschemaPlan,
  type SubschemaReply,
  type SubschemaRequest,
  type SubschemaTextLimits,
} from '../fields/subschema.js';
export { loadWrap } from './load-wrap.js';
export { parseSubschemaText, readSubschemaReply } from './read-reply.js';
export { hasPart, partName } from './schema-parts.js';
export { NO_COSTS, takeCosts } from './sdl-costs.js';
export { removeInaccessible } from './sdl-inaccessible.js';
export { resolveLinks } from './sdl-links.js';
export { takeRights } from './sdl-rights.js';
export { SUBSCHEMA_LIMITS } from './subschema-limits.js';
