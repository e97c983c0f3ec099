import { Buffer } from 'node:buffer';
import { compress, isCompressible } from '../../base/compress.js';
import { KIB } from '../../base/limit.js';
import type { GraphqlResponse } from '../../graphql/http.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { endLingering } from '../http/linger.js';
import { mayCompress } from '../http/may-compress.js';
import { refusalCost } from '../http/refusal-cost.js';
import { TEXT_FIELDS } from '../http/refuse.js';
import { type Accepted, acceptPost, sentenceOf } from '../http/sentence.js';
import { canBeTold } from './caller-caching.js';
import type { GraphqlEndpoint } from './endpoint.js';

/** Longest answer that is written as text. */
const TEXT_UNITS_MAX = 16 * KIB;

export interface AnswerOptions {
  /** What the address takes by POST. */
  readonly accepted: Accepted;
  /** The Cache-Control of an answer whose caller caches can tell apart; `no-store` for others. */
  readonly control: string;
  /** The time of the event loop that a refused request took. */
  workMillis(): number;
  /** Header fields of the request that the answer depends on, besides those of all answers. */
  readonly varying: readonly string[];
}

/** Sends the answer to an operation over HTTP, in one piece; a refusal of the caller after its delay. */
export async function sendAnswer(
  endpoint: Pick<GraphqlEndpoint, 'callerCaching' | 'penaltyBox'>,
  { caller, exchange, request, response }: HttpExchange,
  answer: GraphqlResponse,
  { accepted, control: keptControl, workMillis, varying: more }: AnswerOptions,
): Promise<void> {
  const { method = '', headers } = request;
  // A refusal of the HTTP layer is the last answer on its connection (catalogue convention D2).
  if (exchange.refusal?.code.startsWith('HTTP_') === true) response.shouldKeepAlive = false;
  if (exchange.refusal?.isOfCaller === true) {
    const held = endpoint.penaltyBox.penalise(
      request.socket,
      refusalCost(request, exchange, exchange.refusal, workMillis()),
    );
    if (held !== null) await held;
  }
  const refused = answer.body === null && method !== 'HEAD' ? exchange.refusal : null;
  const sentence = refused !== null && exchange.explainsRefusals ? sentenceOf(refused, accepted) : null;
  const text = answer.body ?? sentence ?? '';
  const bytes = Buffer.byteLength(text);
  const compressed =
    isCompressible(bytes) && mayCompress(request, caller.client) ? await compress(Buffer.from(text)) : null;
  exchange.status = answer.status;
  exchange.bytesOut = compressed?.length ?? bytes;
  const fields: string[] = [];
  for (const [name, value] of Object.entries(answer.headers)) fields.push(name, value);
  if (sentence !== null) fields.push(...TEXT_FIELDS);
  if (exchange.refusal !== null) fields.push(...acceptPost(exchange.refusal, accepted));
  const control = canBeTold(endpoint.callerCaching, caller.client, headers) ? keptControl : 'no-store';
  fields.push('cache-control', control);
  // Header fields of the request that the answer depends on.
  if (control !== 'no-store') {
    const varying = new Set(['accept', ...(isCompressible(bytes) ? ['accept-encoding'] : [])]);
    for (const name of endpoint.callerCaching.fields) varying.add(name);
    for (const name of more) varying.add(name);
    // A field set before is replaced by one of the same name.
    if (response.hasHeader('vary')) varying.add('origin');
    fields.push('vary', [...varying].join(', '));
  }
  if (compressed !== null) fields.push('content-encoding', 'gzip');
  fields.push('content-length', String(exchange.bytesOut));
  // Node writes a text and the head as one text, which saves a buffer; a long one it would copy once more.
  const content = compressed ?? (text.length > TEXT_UNITS_MAX ? Buffer.from(text) : text);
  endLingering(exchange, response, answer.status, fields, content);
}
