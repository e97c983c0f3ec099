/** Validity of content by its schema. */

export { FramePool } from './frame-pool.js';
export { VALIDITY_LIMITS, type ValidityLimits } from './limits.js';
export { FURTHER_ELEMENTS } from './misplaced.js';
export { SchemaRules } from './rules.js';
export { ContentValidator, type ValidatorOptions } from './validator.js';
export type { Violation } from './violation.js';
