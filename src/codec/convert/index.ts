/** Texts of legacy backends as values: patterns of dates, time zones, numbers. */

export { CONVERSION_KINDS, type Conversion, type ConversionTarget } from '../plan/conversion.js';
export { convertedScalar } from './converted-scalar.js';
export { parseDatePattern } from './date-pattern.js';
export { type DatePatternKind, SUPPORTED_LETTERS } from './date-tokens.js';
export { timeZone } from './time-zone.js';
