import type { Refusal, RefusalCode } from '../../core/index.js';

/** What an address takes by POST. */
export interface Accepted {
  readonly mediaTypes: readonly string[];
  /** The protocol by name: `SOAP 1.1`. */
  readonly protocol: string;
}

/** The body of a GraphQL request (GraphQL over HTTP section 5). */
export const GRAPHQL_ACCEPTED: Accepted = { mediaTypes: ['application/json'], protocol: 'GraphQL' };

/**
 * The sentence in the body of a refusal of the HTTP layer, for people: the text of the code, the
 * rule or the limit, and the remedy. It holds no part of the request. Null for other refusals:
 * their answers have the status alone.
 */
export function sentenceOf(refusal: Refusal, accepted: Accepted | null): string | null {
  const { code, rule, limit, message } = refusal;
  if (!code.startsWith('HTTP_')) return null;
  if (code === 'HTTP_MEDIA_TYPE' && rule === 'no content type') {
    return `Content-Type is missing. ${mediaRemedy(accepted, message)}\n`;
  }
  if (code === 'HTTP_MEDIA_TYPE') {
    return `${MEDIA_REMEDIES.get(rule ?? '') ?? mediaRemedy(accepted, message)}\n`;
  }
  const facts: string[] = [];
  // Other rules are names of the parser's errors, or tell of rights.
  if (code === 'HTTP_BAD_REQUEST' && rule !== null && !rule.startsWith('HPE_')) {
    facts.push(rule);
  }
  if (limit !== null) {
    facts.push(`${limit.key} is ${limit.value}`);
  }
  const text = facts.length === 0 ? message : `${message.replace(/\.$/, '')}: ${facts.join(', ')}.`;
  const remedy = code === 'HTTP_METHOD' ? methodRemedy(accepted) : (REMEDIES.get(code) ?? null);
  return `${remedy === null ? text : `${text} ${remedy}`}\n`;
}

/**
 * The header fields of a refusal by method or media type: what the address takes by POST (W3C LDP
 * section 7.1).
 */
export function acceptPost({ code }: Refusal, accepted: Accepted | null): readonly string[] {
  if (accepted === null || (code !== 'HTTP_METHOD' && code !== 'HTTP_MEDIA_TYPE')) return [];
  return ['accept-post', accepted.mediaTypes.join(', ')];
}

const mediaRemedy = (accepted: Accepted | null, message: string): string =>
  accepted === null
    ? message
    : `Send ${EITHER.format(accepted.mediaTypes)}; this service speaks ${accepted.protocol}.`;

const methodRemedy = (accepted: Accepted | null): string | null =>
  accepted === null ? null : `Send POST; this service speaks ${accepted.protocol}.`;

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** Sentences for refused fields of a Content-Type or Content-Encoding, by the rule. */
const MEDIA_REMEDIES: ReadonlyMap<string, string> = new Map([
  ['charset', 'The charset is not accepted. Send UTF-8, with charset=utf-8 in the Content-Type.'],
  [
    'content coding',
    'The content coding is not accepted. Send the body as it is, or with Content-Encoding: gzip.',
  ],
  [
    'content coding of JSON',
    'The content coding is not accepted here. Send the body without Content-Encoding.',
  ],
  [
    'content type parameter twice',
    'A parameter of the Content-Type comes twice. Send it once: charset=utf-8.',
  ],
  ['two content types', 'The Content-Type has two values, or a comma. Send one value.'],
  [
    'content type parameters',
    'The parameters of the Content-Type cannot be read. Write each as ; ' +
      'name=value, such as ; charset=utf-8.',
  ],
  ['content coding twice', 'Content-Encoding comes twice. Send it once.'],
  ['multipart', 'Packages of parts are not accepted here. Send the envelope alone.'],
]);

const REMEDIES: ReadonlyMap<RefusalCode, string> = new Map([
  ['HTTP_NOT_FOUND', 'Check the path: it is compared exactly.'],
  ['HTTP_LENGTH_REQUIRED', 'Send Content-Length, not chunks.'],
  ['HTTP_TOO_LARGE', 'Send less in one request.'],
  ['HTTP_URI_TOO_LONG', 'Use POST.'],
  ['HTTP_HEADER_LIMIT', 'Send fewer and shorter header fields.'],
  ['HTTP_TIMEOUT', 'Send the request faster.'],
  ['HTTP_CONNECTIONS', 'Close connections, or use those that are open.'],
]);
