import type { SeenName } from './facts.js';
import type { Refusal } from './refusal.js';
import type { RefusalCode } from './refusals.js';

/** The kinds of facts that a caller may be told about its own message. */
type Fact = 'rule' | 'place' | 'elements' | 'action' | 'expected' | 'limit' | 'retryAfter';

/** What a caller is told of a refusal, besides its code and its public text. */
export interface ExplanationRule {
  readonly tells: readonly Fact[];
  /** What the caller can do, in whole sentences; null where the text says it. */
  readonly remedy: string | null;
}

/**
 * The closed table of explanations of SOAP Faults. A fact is told only where the row of its code
 * names it; a code without a row tells nothing, as those of backends, rights and credentials.
 */
export const EXPLANATIONS: Readonly<Partial<Record<RefusalCode, ExplanationRule>>> = {
  XML_NOT_WELLFORMED: {
    tells: ['rule', 'expected', 'place'],
    remedy: 'Close every element, and write &amp; and &lt; for & and < in text.',
  },
  XML_DTD_FORBIDDEN: { tells: ['place'], remedy: 'Remove the DOCTYPE.' },
  XML_PI_FORBIDDEN: {
    tells: ['place'],
    remedy: 'Remove it; only the XML declaration at the beginning is allowed.',
  },
  XML_VERSION: {
    tells: ['place'],
    remedy: 'Declare version 1.0, or leave the XML declaration out.',
  },
  XML_ENCODING: {
    tells: ['rule', 'place'],
    remedy:
      'Send UTF-8, and name the same encoding in the Content-Type and in the XML declaration.',
  },
  XML_NS_ERROR: {
    tells: ['rule', 'place'],
    remedy: 'Declare every prefix, and write no attribute twice.',
  },
  XML_DEPTH_LIMIT: { tells: ['limit', 'place'], remedy: 'Nest fewer elements.' },
  XML_CHILD_LIMIT: { tells: ['limit', 'place'], remedy: 'Send the list in parts.' },
  XML_ELEMENT_LIMIT: { tells: ['limit', 'place'], remedy: 'Send less in one message.' },
  XML_ATTR_LIMIT: { tells: ['limit', 'place'], remedy: 'Send fewer attributes.' },
  XML_ATTR_VALUE_LIMIT: { tells: ['limit', 'place'], remedy: 'Send a shorter value.' },
  XML_NAME_LIMIT: { tells: ['limit', 'place'], remedy: 'Use a shorter name.' },
  XML_NS_LIMIT: { tells: ['limit', 'place'], remedy: 'Declare namespaces once, on the Envelope.' },
  XML_TEXT_LIMIT: { tells: ['limit', 'place'], remedy: 'Send a shorter text.' },
  XML_COMMENT_LIMIT: { tells: ['limit', 'place'], remedy: 'Remove the comment.' },
  XML_IDENTITY_LIMIT: { tells: ['limit', 'place'], remedy: 'Send less in one message.' },
  XML_MESSAGE_LIMIT: { tells: ['limit'], remedy: 'Send less in one message.' },

  SOAP_NOT_ENVELOPE: { tells: ['elements', 'expected', 'place'], remedy: 'Send a SOAP envelope.' },
  SOAP_STRUCTURE: {
    tells: ['rule', 'elements', 'place'],
    remedy: 'Send an Envelope that has one Header at most, then one Body, and nothing else.',
  },
  SOAP_HEADER_LIMIT: {
    tells: ['rule', 'limit', 'place'],
    remedy: 'Send fewer or shorter header blocks.',
  },
  SOAP_MULTI_BODY: {
    tells: ['rule', 'elements', 'place'],
    remedy: 'Send one operation in a message, with the elements that the WSDL declares.',
  },
  SOAP_ENCODING_NAMESPACE: {
    tells: ['expected'],
    remedy: 'Declare the namespace on the Envelope, or name it in encodingStyle.',
  },
  VERSION_MISMATCH: {
    tells: ['rule', 'elements', 'expected', 'place'],
    remedy:
      'Send the envelope of a SOAP version that the service speaks, under the ' +
      'media type of that version.',
  },
  MUST_UNDERSTAND: {
    tells: ['elements'],
    remedy: 'Remove the header block, or its mustUnderstand.',
  },
  RESERVED_HEADER: { tells: ['elements', 'place'], remedy: 'Remove the header block.' },
  DATA_ENCODING_UNKNOWN: { tells: ['elements', 'place'], remedy: 'Remove encodingStyle.' },
  UNKNOWN_OPERATION: {
    tells: ['rule', 'elements', 'place'],
    remedy:
      'Send the request element of an operation in Body, in the namespace that the WSDL gives it.',
  },
  ACTION_MISMATCH: {
    tells: ['rule', 'action', 'expected', 'elements'],
    remedy: 'Send the action that the WSDL gives the operation.',
  },
  SCHEMA_INVALID: {
    tells: ['rule', 'place'],
    remedy: 'Send what the schema of the WSDL declares there.',
  },
  SOAP_ARRAY_LIMIT: { tells: ['limit', 'place'], remedy: 'Send the array in parts.' },
  'wsa:OnlyAnonymousAddressSupported': {
    tells: [],
    remedy: 'Leave ReplyTo and FaultTo out, or send the anonymous address in them.',
  },
  WSA_DESTINATION: { tells: [], remedy: 'Send the address that you call in To, or leave it out.' },
  WSSE_STRUCTURE: {
    tells: ['rule', 'limit', 'place'],
    remedy: 'Send one Security header as WS-Security describes it.',
  },
  WSSE_DUPLICATE_ID: { tells: ['place'], remedy: 'Give each element an Id of its own.' },
  'wsse:MessageExpired': {
    tells: ['rule', 'limit'],
    remedy: 'Make Created and Expires anew for each message, and set the clock of the sender.',
  },
  'wsse:InvalidSecurity': {
    tells: ['rule'],
    remedy: 'Send a Security header with what the service demands, signed as its description says.',
  },
  'wsse:InvalidSecurityToken': {
    tells: ['rule'],
    remedy: 'Send an X.509 certificate, encoded as DER in base64.',
  },
  'wsse:UnsupportedAlgorithm': {
    tells: ['rule'],
    remedy:
      'Sign with RSA, RSA-PSS, ECDSA or Ed25519 with SHA-256, and by exclusive canonicalization.',
  },
  'wsse:UnsupportedSecurityToken': {
    tells: ['rule'],
    remedy: 'Send a token of a kind that the service takes.',
  },
  'wsse:SecurityTokenUnavailable': {
    tells: ['rule'],
    remedy: 'Send the token with the message, and refer to its Id.',
  },

  MTOM_STRUCTURE: {
    tells: ['rule', 'limit'],
    remedy: 'Send a multipart/related package (RFC 2387) whose first part is the envelope.',
  },
  MTOM_EXTERNAL_HREF: {
    tells: ['rule', 'place'],
    remedy: 'Name the Content-ID of a part of the same message in href, by cid:, once.',
  },
  DECOMPRESSION_LIMIT: {
    tells: ['limit'],
    remedy: 'Send the message without compression, or in parts.',
  },
  ENCODING_CORRUPT: { tells: ['rule'], remedy: 'Send whole gzip data, or no Content-Encoding.' },
  RATE_LIMITED: { tells: ['retryAfter'], remedy: 'Send fewer requests at once.' },
  OVERLOADED: { tells: ['retryAfter'], remedy: 'Send the request again later.' },
  AUDIT_UNAVAILABLE: { tells: ['retryAfter'], remedy: 'Send the request again later.' },
  IDEMPOTENCY_UNAVAILABLE: {
    tells: ['retryAfter'],
    remedy: 'Send the request again under the same key.',
  },
  IDEMPOTENCY_LIMIT: {
    tells: ['retryAfter'],
    remedy: 'Send the request again later, under the same key.',
  },
};

/** Whether callers are told where in their message it was found. */
export const tellsPlace = (code: RefusalCode): boolean =>
  EXPLANATIONS[code]?.tells.includes('place') === true;

/** One fact by name, as text for machines. */
export type ExplainedField = readonly [name: string, value: string];

/** What a caller is told of a refusal. */
export interface Explanation {
  /** Names and values that the caller's program can read. */
  readonly fields: readonly ExplainedField[];
  /** The public text of the refusal with the facts, and the remedy. */
  readonly text: string;
}

/**
 * Explains a refusal to its caller, as far as the table allows. Null where there is nothing to
 * tell.
 */
export function explain(refusal: Refusal): Explanation | null {
  const rule = EXPLANATIONS[refusal.code];
  if (rule === undefined) return null;
  const fields: ExplainedField[] = [];
  const phrases: string[] = [];
  for (const fact of ORDER) {
    if (!rule.tells.includes(fact)) continue;
    const told = TELLERS[fact](refusal);
    if (told === null) continue;
    fields.push(...told.fields);
    phrases.push(told.phrase);
  }
  return { fields, text: sentence(refusal.message, phrases, rule.remedy) };
}

/** Joins a public text, the facts and the remedy. */
function sentence(text: string, phrases: readonly string[], remedy: string | null): string {
  const told = phrases.length === 0 ? text : `${text.replace(/\.$/, '')}: ${phrases.join(', ')}.`;
  return remedy === null ? told : `${told} ${remedy}`;
}

interface Told {
  readonly fields: readonly ExplainedField[];
  readonly phrase: string;
}

const ORDER: readonly Fact[] = [
  'rule',
  'elements',
  'action',
  'expected',
  'limit',
  'place',
  'retryAfter',
];

const TELLERS: Readonly<Record<Fact, (refusal: Refusal) => Told | null>> = {
  rule: ({ rule, facts: { path } }) => {
    if (rule === null) return null;
    if (path === undefined) return { fields: [['rule', rule]], phrase: rule };
    const fields: ExplainedField[] = [
      ['rule', rule],
      ['path', path],
    ];
    return { fields, phrase: `${path} ${rule}` };
  },
  elements: ({ facts: { elements = [] } }) => {
    if (elements.length === 0) return null;
    const names = elements.map(
      ({ uri, local }): SeenName => ({ uri: shorten(uri), local: shorten(local) }),
    );
    const shown = names.map(({ uri, local }) =>
      uri === '' ? `${local} in no namespace` : `{${uri}}${local}`,
    );
    return {
      fields: names.map(({ uri, local }) => ['element', `{${uri}}${local}`]),
      phrase: shown.join(' and '),
    };
  },
  action: ({ facts: { action } }) => {
    if (action === undefined) return null;
    const shown = shorten(action);
    return { fields: [['action', shown]], phrase: `the message has the action "${shown}"` };
  },
  expected: ({ facts: { expected = [] } }) => {
    if (expected.length === 0) return null;
    const names = expected.slice(0, EXPECTED_MAX).map(shorten);
    return {
      fields: names.map((name) => ['expected', name]),
      phrase: `expected is ${EITHER.format(names)}`,
    };
  },
  limit: ({ limit, found }) => {
    if (limit === null) return null;
    const count = typeof found === 'number' ? ` and the message has ${found}` : '';
    const fields: ExplainedField[] = [
      ['limit', limit.key],
      ['max', String(limit.value)],
    ];
    return { fields, phrase: `${limit.key} is ${limit.value}${count}` };
  },
  place: ({ place }) => {
    if (place === null) return null;
    const byte: ExplainedField = ['byte', String(place.byte)];
    if (place.line === null) return { fields: [byte], phrase: `at byte ${place.byte}` };
    return {
      fields: [['line', String(place.line)], byte],
      phrase: `at line ${place.line}, byte ${place.byte}`,
    };
  },
  retryAfter: ({ retryAfter }) => {
    if (retryAfter === null || !/^[0-9]+$/.test(retryAfter)) return null;
    return { fields: [['retryAfter', retryAfter]], phrase: `it is worth a try in ${retryAfter} s` };
  },
};

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** Expected names that one text lists. */
const EXPECTED_MAX = 4;

/** Characters of one name that are shown. */
const NAME_CHARS_MAX = 128;

/**
 * Cuts a name of the message to 128 characters, and replaces control and formatting characters,
 * which could hide others.
 */
function shorten(name: string): string {
  // No more than 128 characters have more code units; the rest is not looked at.
  const characters = [...name.slice(0, 2 * NAME_CHARS_MAX + 2)].map((each) =>
    /[\p{C}\p{Zl}\p{Zp}]/u.test(each) ? '?' : each,
  );
  if (characters.length <= NAME_CHARS_MAX) return characters.join('');
  return `${characters.slice(0, NAME_CHARS_MAX - 3).join('')}...`;
}
