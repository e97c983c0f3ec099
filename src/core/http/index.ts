/** Header fields of HTTP: the case of their names, the class of responses. */

export {
  FIELD_CASES,
  type FieldCase,
  type FieldSpellings,
  spellingIn,
  spellNames,
  usualName,
} from './field-names.js';
export { responseClass, writePassedHead } from './response-class.js';
