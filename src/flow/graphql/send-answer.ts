import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { KIB } from '../../core/index.js';
import { compress, isCompressible } from '../../gateway/compress.js';
import type { GraphqlResponse } from '../../graphql/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { isKnownTag } from '../http/known-tag.js';
import { endLingering } from '../http/linger.js';
import { mayCompress } from '../http/may-compress.js';
import { refusalCost } from '../http/refusal-cost.js';
import { TEXT_FIELDS } from '../http/refuse.js';
import { type Accepted, acceptPost, sentenceOf } from '../http/sentence.js';
import { canBeTold } from './caller-caching.js';
import type { GraphqlEndpoint } from './endpoint.js';

/** Longest answer that is written as text. */
const TEXT_UNITS_MAX = 16 * KIB;

/** An answer as it is sent: text, or bytes as they are. */
export interface SentAnswer extends Omit<GraphqlResponse, 'body'> {
  readonly body: string | Buffer | null;
  /** The body is in the coding of gzip, for a client that may have it so. */
  readonly isGzipped?: boolean;
}

export interface AnswerOptions {
  /** What the address takes by POST. */
  readonly accepted: Accepted;
  /**
   * The Cache-Control of an answer whose caller caches can tell apart; `no-store` for others.
   * Absent: for all.
   */
  readonly control?: string;
  /** The time of the event loop that a refused request took. */
  workMillis(): number;
  /** Header fields of the request that the answer depends on, besides those of all answers. */
  readonly varying?: readonly string[];
  /** An answer that caches may keep has a tag, by which they ask whether it has changed. */
  readonly isTagged?: boolean;
}

/**
 * Sends the answer to an operation over HTTP, in one piece; a refusal of the caller after its
 * delay.
 */
export async function sendAnswer(
  endpoint: Pick<GraphqlEndpoint, 'callerCaching' | 'penaltyBox'>,
  asked: HttpExchange,
  answer: SentAnswer,
  {
    accepted,
    control: keptControl = 'no-store',
    workMillis,
    varying: more = [],
    isTagged = false,
  }: AnswerOptions,
): Promise<void> {
  const { caller, exchange, request, response } = asked;
  const { method = '', headers } = request;
  if (exchange.refusal !== null) {
    await penalise(endpoint, asked, workMillis);
  }
  const refused = answer.body === null && method !== 'HEAD' ? exchange.refusal : null;
  const sentence =
    refused !== null && exchange.explainsRefusals ? sentenceOf(refused, accepted) : null;
  const control = canBeTold(endpoint.callerCaching, caller.client, headers)
    ? keptControl
    : 'no-store';
  const body = answer.body ?? sentence ?? '';
  const tag = isTagged && control !== 'no-store' ? tagOf(body) : null;
  const isKnown = tag !== null && isKnownTag(headers['if-none-match'], tag);
  const bytes = Buffer.byteLength(body);
  const { isGzipped = false } = answer;
  const isToCompress = !isKnown && !isGzipped && isCompressible(bytes);
  const compressed =
    isToCompress && mayCompress(request, caller.client) ? await compress(Buffer.from(body)) : null;
  exchange.bytesOut = isKnown ? 0 : (compressed?.length ?? bytes);
  const fields: string[] = [];
  // It is weak, for it vouches for the bytes in either coding.
  if (tag !== null) {
    fields.push('etag', `W/${tag}`);
  }
  if (!isKnown) {
    for (const [name, value] of Object.entries(answer.headers)) {
      fields.push(name, value);
    }
  }
  // Fields that fail leave the status of the answer as it is.
  if (exchange.retryAfter !== null && answer.headers['retry-after'] === undefined) {
    fields.push('retry-after', exchange.retryAfter);
  }
  if (sentence !== null) {
    fields.push(...TEXT_FIELDS);
  }
  if (exchange.refusal !== null) {
    fields.push(...acceptPost(exchange.refusal, accepted));
  }
  fields.push('cache-control', control);
  if (control !== 'no-store') {
    const { fields: compared } = endpoint.callerCaching;
    fields.push('vary', varyOf(response, bytes, [...compared, ...more]));
  }
  if (isKnown) return endLingering(exchange, response, 304, fields, null);
  if (compressed !== null || isGzipped) {
    fields.push('content-encoding', 'gzip');
  }
  fields.push('content-length', String(exchange.bytesOut));
  // Node writes a text and the head as one text, which saves a buffer; a long one it would copy
  // once more.
  const isLong = typeof body === 'string' && body.length > TEXT_UNITS_MAX;
  endLingering(
    exchange,
    response,
    answer.status,
    fields,
    compressed ?? (isLong ? Buffer.from(body) : body),
  );
}

/** Delays the answer to a refused caller, and closes its connection after a refusal by HTTP. */
async function penalise(
  { penaltyBox }: Pick<GraphqlEndpoint, 'penaltyBox'>,
  { exchange, request, response }: HttpExchange,
  workMillis: () => number,
): Promise<void> {
  const { refusal } = exchange;
  // A refusal of the HTTP layer is the last answer on its connection (catalogue convention D2).
  if (refusal?.code.startsWith('HTTP_') === true) {
    response.shouldKeepAlive = false;
  }
  if (refusal?.isOfCaller !== true) return;
  const held = penaltyBox.penalise(
    request.socket,
    refusalCost(request, exchange, refusal, workMillis()),
  );
  if (held !== null) {
    await held;
  }
}

/** Vary: the header fields of the request that an answer of so many bytes depends on. */
function varyOf(
  response: HttpExchange['response'],
  bytes: number,
  names: readonly string[],
): string {
  const varying = ['accept', ...(isCompressible(bytes) ? ['accept-encoding'] : []), ...names];
  // A field set before is replaced by one of the same name.
  if (response.hasHeader('vary')) {
    varying.push('origin');
  }
  return [...new Set(varying)].join(', ');
}

/** The tag of an answer, by its bytes. */
const tagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARS)}"`;

/** 132 bits: two answers do not get one tag by chance. */
const TAG_CHARS = 22;
