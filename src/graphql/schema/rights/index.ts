/** Rules of fields, and masks. */

export { FieldRights } from './field-rights.js';
export { bothRules, FieldRule, MASKS, type Mask, ruleOf, STRENGTH } from './field-rule.js';
export { Masker } from './mask.js';
