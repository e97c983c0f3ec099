import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { type Refusal, refusals } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { reset } from '../../listen/peer-certificate.js';
import { endLingering, REQUEST_ID } from './linger.js';
import { type Accepted, acceptPost, sentenceOf } from './sentence.js';

/** The methods of most addresses. */
const METHODS = 'GET, POST';

/**
 * Answers a request that is for none of the endpoints, or whose endpoint failed before it could
 * speak its own language. `methods` are those of its address.
 */
export function refuseHttp(
  exchange: Exchange,
  response: ServerResponse,
  refusal: Refusal,
  accepted: Accepted | null = null,
  methods = METHODS,
): void {
  exchange.refuse(refusal);
  if (cutIfBegun(exchange, response, refusal)) return;
  answerStatus(
    exchange,
    response,
    refusal,
    refusals.wireStatus(refusal, 'http'),
    accepted,
    methods,
  );
}

/**
 * Answers a request that was refused before it was read, in the protocol of its endpoint: with a
 * body of this media type. `challenge`: further parameters of the challenge for tokens.
 */
export function refuseInForm(
  exchange: Exchange,
  response: ServerResponse,
  refusal: Refusal,
  mediaType: string,
  print: (status: number) => string,
  challenge = '',
): void {
  if (refusal.kind.isAbrupt === true) {
    refuseHttp(exchange, response, refusal);
    return;
  }
  exchange.refuse(refusal);
  if (cutIfBegun(exchange, response, refusal)) return;
  const status = refusals.wireStatus(refusal, 'http');
  const body = print(status);
  const bytes = Buffer.byteLength(body);
  if (refusal.code.startsWith('HTTP_')) {
    response.shouldKeepAlive = false;
  }
  exchange.bytesOut = bytes;
  const fields = [
    'content-type',
    mediaType,
    'x-content-type-options',
    'nosniff',
    'cache-control',
    'no-store',
  ];
  fields.push(...refusalFields(refusal, challenge), 'content-length', String(bytes));
  endLingering(exchange, response, status, fields, body);
}

/**
 * Cuts the connection where part of another answer is out, or the client is gone: a caller must
 * never take half an answer for a whole one.
 */
export function cutIfBegun(
  exchange: Exchange,
  response: ServerResponse,
  { code }: Refusal,
): boolean {
  if (!response.headersSent && code !== 'CLIENT_GONE') return false;
  exchange.outcome = 'aborted';
  // A reset, because to a caller of HTTP/1.0 an orderly end means that the answer is complete.
  if (response.socket !== null) {
    reset(response.socket);
  }
  response.destroy();
  return true;
}

/**
 * A refusal of the HTTP layer: a status and one sentence, the last answer on its connection
 * (catalogue convention D2). `accepted`: what the address takes; null where that is not known.
 */
export function answerStatus(
  exchange: Exchange,
  response: ServerResponse,
  refusal: Refusal,
  status: number,
  accepted: Accepted | null,
  methods = METHODS,
): void {
  response.shouldKeepAlive = false;
  const fields = [
    ...refusalFields(refusal),
    ...acceptPost(refusal, accepted),
    ...allow(status, methods),
  ];
  // HEAD has no content, and few clients of a kind that this meets know that.
  const isExplained = exchange.explainsRefusals && exchange.method !== 'HEAD';
  const text = isExplained ? sentenceOf(refusal, accepted) : null;
  if (text === null) {
    answerEmpty(exchange, response, status, fields);
    return;
  }
  exchange.bytesOut += text.length;
  const headers = [...TEXT_FIELDS, 'content-length', String(text.length), ...fields];
  endLingering(exchange, response, status, headers, text);
}

/** A sentence is ASCII. */
export const TEXT_FIELDS = [
  'content-type',
  'text/plain; charset=utf-8',
  'x-content-type-options',
  'nosniff',
] as const;

/** RFC 9110 section 15.5.6 wants the methods of the address with each 405. */
const allow = (status: number, methods: string): readonly string[] =>
  status === 405 ? ['allow', methods] : [];

/**
 * Answers with a status and no content, and closes the connection without reading anything more.
 */
export function answerAbruptly(exchange: Exchange, response: ServerResponse, status: number): void {
  exchange.status = status;
  const { socket } = response;
  socket?.pause();
  response.shouldKeepAlive = false;
  response
    .writeHead(status, ['content-length', '0', REQUEST_ID, exchange.id])
    .end(() => socket?.destroy());
}

/** Answers with a status and no content. */
export function answerEmpty(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  fields: readonly string[] = allow(status, METHODS),
): void {
  endLingering(exchange, response, status, ['content-length', '0', ...fields], null);
}

/**
 * The header fields of a refusal outside SOAP. `parameters`: further ones of the challenge for
 * tokens.
 */
const refusalFields = (refusal: Refusal, parameters = ''): readonly string[] => [
  ...challenge(refusal, parameters),
  ...retryAfter(refusal),
];

/** Clients that come again at once would keep an overloaded gateway where it is. */
export const retryAfter = ({ retryAfter: value }: Refusal): readonly string[] =>
  value === null ? [] : ['retry-after', value];

/** RFC 9110 section 11.6.1 wants one with each 401, whatever the client has to show in the end. */
function challenge(refusal: Refusal, parameters: string): readonly string[] {
  const { code, message, challenge: own, tokenChallenges } = refusal;
  if (code !== 'UNAUTHENTICATED') return [];
  const basic = own === null ? [] : ['www-authenticate', own];
  if (tokenChallenges !== null) return [...basic, ...printTokenChallenges(refusal, parameters)];
  // RFC 6750 section 3.1: without credentials no error is named.
  const error = message === refusals.CREDENTIALS_MISSING ? '' : ', error="invalid_token"';
  return [...basic, 'www-authenticate', `Bearer realm="soapstone"${error}${parameters}`];
}

/** The challenges of proofs, which answers of SOAP have too: a nonce comes with them. */
export const printTokenChallenges = (
  { tokenChallenges }: Refusal,
  parameters = '',
): readonly string[] =>
  (tokenChallenges ?? []).flatMap((each) => ['www-authenticate', `${each}${parameters}`]);
