import { DIALECT_NAMES, DIALECTS, type Dialect } from '../../../soap/index.js';

const ENVELOPE_PREFIXES: ReadonlySet<string> = new Set([
  's',
  'env',
  'soap',
  'soap12',
  'soapenv',
  'soap-env',
]);
const ENCODING_PREFIXES: ReadonlySet<string> = new Set([
  'enc',
  'soapenc',
  'soap-enc',
  'soap-env-enc',
]);
const SECURITY = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity';

/** What stacks declare under these prefixes in every message. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['xsi', 'http://www.w3.org/2001/XMLSchema-instance'],
  ['xsd', 'http://www.w3.org/2001/XMLSchema'],
  ['xs', 'http://www.w3.org/2001/XMLSchema'],
  ['wsa', 'http://www.w3.org/2005/08/addressing'],
  ['wsse', `${SECURITY}-secext-1.0.xsd`],
  ['wsu', `${SECURITY}-utility-1.0.xsd`],
  ['xop', 'http://www.w3.org/2004/08/xop/include'],
]);

/**
 * The namespace that an undeclared prefix of a message is known for; null for any other. The prefix
 * of the document element is that of the envelope, in the version that the message declares, else
 * in 1.1.
 */
export function knownNamespace(
  prefix: string,
  isRoot: boolean,
  isDeclared: (uri: string) => boolean,
): string | null {
  const name = prefix.toLowerCase();
  if (isRoot || ENVELOPE_PREFIXES.has(name)) return dialectOf(isDeclared).envelopeUri;
  if (ENCODING_PREFIXES.has(name)) return dialectOf(isDeclared).encodingUri;
  return OTHERS.get(name) ?? null;
}

const dialectOf = (isDeclared: (uri: string) => boolean): Dialect => {
  const found = DIALECT_NAMES.find((name) => isDeclared(DIALECTS[name].envelopeUri));
  return DIALECTS[found ?? '1.1'];
};
