import type { QName, StartTag } from './events.js';

/** The start tag of an element that stands nowhere in a message: without attributes, prefixes and places. */
export const plainTag = ({ uri, local }: QName, depth: number): StartTag => ({
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
