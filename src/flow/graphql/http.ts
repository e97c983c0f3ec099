import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Cancellation } from '../../base/cancellation.js';
import { compress, isCompressible } from '../../base/compress.js';
import type { Exchange } from '../../base/exchange.js';
import { KIB } from '../../base/limit.js';
import { Refusal } from '../../base/refusals/refusal.js';
import { SHORT_MESSAGE_BYTES } from '../../base/short-message.js';
import { decodeText, readText } from '../../graphql/admission/read-text.js';
import { CARRIED, type GraphqlResponse, type StreamCarrier } from '../../graphql/http.js';
import { AnswerLifetime } from '../calls/answer-lifetime.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { recordOf } from '../http/connection-record.js';
import { fairScheduler, waitForTimeSlice } from '../http/fair-scheduler.js';
import { type BodyTaker, Incoming } from '../http/incoming-request.js';
import { invite } from '../http/invite-body.js';
import { endLingering } from '../http/linger.js';
import { mayCompress } from '../http/may-compress.js';
import { refusalCost } from '../http/refusal-cost.js';
import { TEXT_FIELDS } from '../http/refuse.js';
import { acceptPost, GRAPHQL_ACCEPTED, sentenceOf } from '../http/sentence.js';
import { canBeTold } from './caller-caching.js';
import type { GraphqlEndpoint } from './endpoint.js';
import { BREAKDOWN, CallerHost, maySeeBreakdown } from './host.js';

/** Makes the carrier of a client that takes a stream. */
type MakeStreams = (host: CallerHost, departure: Cancellation) => StreamCarrier;

/** Longest answer that is written as text. */
const TEXT_UNITS_MAX = 16 * KIB;

/** Answers one GraphQL request over HTTP. Rejects when the client has gone, or with a bug. */
export async function answerGraphql(
  endpoint: GraphqlEndpoint,
  { caller, exchange, request, response, ending }: HttpExchange,
  makeStreams: MakeStreams | null = null,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  exchange.route = 'graphql';
  const departure = new Cancellation();
  ending.onGone(() => departure.abort());
  const lifetime = new AnswerLifetime(endpoint.callerCaching.isPrivate);
  const host = new CallerHost(endpoint, caller, exchange, {
    signal: departure,
    headers,
    connection: recordOf(request.socket),
    lifetime,
  });
  const body = async (): Promise<string> => {
    const text = await readBody(endpoint.bodyBytesMax, exchange, request, response);
    host.startWork();
    return text;
  };
  const streams = makeStreams?.(host, departure) ?? null;
  const isOfAllowedPage = endpoint.cors?.isListed(request) === true;
  const answer = await endpoint.handler({ method, url, headers, isOfAllowedPage, body }, host, streams);
  if (answer === CARRIED) return;
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  // A refusal of the HTTP layer is the last answer on its connection (catalogue convention D2).
  if (exchange.refusal?.code.startsWith('HTTP_') === true) response.shouldKeepAlive = false;
  if (exchange.refusal?.isOfCaller === true) {
    const held = endpoint.penaltyBox.penalise(
      request.socket,
      refusalCost(request, exchange, exchange.refusal, host.workMillis),
    );
    if (held !== null) await held;
  }
  const refused = answer.body === null && method !== 'HEAD' ? exchange.refusal : null;
  const sentence = refused !== null && exchange.explainsRefusals ? sentenceOf(refused, GRAPHQL_ACCEPTED) : null;
  const text = answer.body ?? sentence ?? '';
  const bytes = Buffer.byteLength(text);
  const compressed =
    isCompressible(bytes) && mayCompress(request, caller.client) ? await compress(Buffer.from(text)) : null;
  exchange.status = answer.status;
  exchange.bytesOut = compressed?.length ?? bytes;
  const fields: string[] = [];
  for (const [name, value] of Object.entries(answer.headers)) fields.push(name, value);
  if (sentence !== null) fields.push(...TEXT_FIELDS);
  if (exchange.refusal !== null) fields.push(...acceptPost(exchange.refusal, GRAPHQL_ACCEPTED));
  const isToldApart = canBeTold(endpoint.callerCaching, caller.client, headers);
  const control = isToldApart ? cacheControl(answer, exchange, lifetime) : 'no-store';
  fields.push('cache-control', control);
  // Header fields of the request that the answer depends on.
  if (control !== 'no-store') {
    const varying = new Set(['accept', ...(isCompressible(bytes) ? ['accept-encoding'] : [])]);
    for (const name of endpoint.callerCaching.fields) varying.add(name);
    if (maySeeBreakdown(endpoint, caller.client)) varying.add(BREAKDOWN);
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

/** An answer may be kept only if nothing went wrong, and nothing was changed. */
function cacheControl(
  { status, body }: GraphqlResponse,
  { operation, refusal }: Exchange,
  lifetime: AnswerLifetime,
): string {
  const isGood = status === 200 && operation === 'query' && refusal === null && body?.includes('"errors":') === false;
  return isGood ? lifetime.field : 'no-store';
}

/** The body of a request as text. Rejects with a refusal of the HTTP layer, or `BAD_REQUEST`. */
async function readBody(
  bytesMax: number,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  invite(request, response);
  const length = request.headers['content-length'];
  const declaredBytes = length === undefined ? null : Number(length);
  const isShort = declaredBytes !== null && declaredBytes <= Math.min(SHORT_MESSAGE_BYTES, bytesMax);
  const short = isShort && request instanceof Incoming ? takeShort(request) : null;
  if (short !== null) {
    const bytes = await short;
    exchange.bytesIn = bytes.length;
    fairScheduler.addShortMessage();
    return decodeText(bytes);
  }
  const turn = (): Promise<void> => waitForTimeSlice(recordOf(request.socket));
  const text = await readText(request, bytesMax, declaredBytes, turn);
  exchange.bytesIn = Buffer.byteLength(text);
  // Parsing is a turn of its own: a dozen long bodies at once would delay all other requests.
  if (exchange.bytesIn > SHORT_MESSAGE_BYTES) await turn();
  else fairScheduler.addShortMessage();
  return text;
}

/** Takes a body from the parser, without a stream between; null where part of it is in the stream already. */
function takeShort(request: Incoming): Promise<Buffer> | null {
  const body = new ShortBody();
  if (!request.giveBody(body)) return null;
  return new Promise((resolve, reject) => {
    body.resolve = resolve;
    const failed = (error: Error | null): void => {
      request.leaveBody();
      reject(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
    };
    request.once('error', failed);
    // The client may have left before.
    if (request.destroyed) failed(null);
  });
}

class ShortBody implements BodyTaker {
  resolve: (bytes: Buffer) => void = () => {};
  readonly #pieces: Buffer[] = [];

  piece(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  ended(): void {
    const [first = EMPTY] = this.#pieces;
    this.resolve(this.#pieces.length <= 1 ? first : Buffer.concat(this.#pieces));
  }
}

const EMPTY = Buffer.alloc(0);
