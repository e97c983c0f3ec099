/** Texts of legacy backends as values: patterns of dates, time zones, numbers. */

export { CONVERSION_KINDS, type Conversion, type ConversionTarget } from '../plan/conversion.js';
export { convertedScalar } from './converted-scalar.js';
export { type DatePatternKind, parseDatePattern, SUPPORTED_LETTERS } from './date-pattern.js';
export { timeZone } from './time-zone.js';
