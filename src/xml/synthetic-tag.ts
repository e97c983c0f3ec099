import type { QName, StartTag } from './events.js';

/**
 * Makes the start tag of an element that is in no message: without attributes, prefixes and
 * offsets.
 */
export const syntheticTag = ({ uri, local }: QName, depth: number): StartTag => ({
  uri,
  local,
  prefix: '',
  depth,
  offsetBytes: 0,
  contentBytes: 0,
  attributeCount: 0,
  attributeUri: () => '',
  attributeLocal: () => '',
  attributeValue: () => '',
  attribute: () => null,
  namespace: (prefix) => (prefix === '' ? '' : null),
  declares: () => false,
});
