/** JSON: values of any type, canonical texts, parsing within bounds. */

export { canonical, parsedJson, readMember, recordEntries } from './json.js';
export { type JsonBounds, JsonBoundsError, parseStrictJson } from './strict-json.js';
