import { type Cancellation, type jsonValues, Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { type GraphqlResponse, lifecycle } from '../../graphql/index.js';
import { AnswerLifetime } from '../calls/answer-lifetime.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { GRAPHQL_ACCEPTED } from '../http/sentence.js';
import type { GraphqlEndpoint } from './endpoint.js';
import { BREAKDOWN, type CallerHost, hostOfRequest, maySeeBreakdown } from './host.js';
import { readTextBody } from './read-body.js';
import { sendAnswer } from './send-answer.js';
import { takeUploads } from './uploads/take-uploads.js';

/** Makes the carrier of a client that takes a stream. */
type MakeStreams = (host: CallerHost, departure: Cancellation) => lifecycle.StreamCarrier;

/** Answers one GraphQL request over HTTP. Rejects when the client has gone, or with a bug. */
export async function answerGraphql(
  endpoint: GraphqlEndpoint,
  asked: HttpExchange,
  makeStreams: MakeStreams | null = null,
): Promise<void> {
  const { caller, exchange, request } = asked;
  const { method = '', url = '', headers } = request;
  exchange.route = 'graphql';
  const lifetime = new AnswerLifetime(endpoint.callerCaching.isPrivate);
  const { host, departure } = hostOfRequest(endpoint, asked, lifetime, null);
  const body = async (): Promise<string> => {
    const text = await readTextBody(endpoint.bodyBytesMax, asked);
    host.startWork();
    return text;
  };
  const { uploadLimits } = endpoint;
  const uploads = uploadLimits === null ? null : takeUploads(uploadLimits, asked);
  const form =
    uploads === null
      ? null
      : (bounds: jsonValues.JsonBounds): Promise<unknown> =>
          uploads.read(bounds).finally(() => host.startWork());
  // What comes with files is answered in one piece: a subscription would need them again for each
  // event.
  const streams = uploads === null ? (makeStreams?.(host, departure) ?? null) : null;
  const isOfAllowedPage = endpoint.cors?.isListed(request) === true;
  const answer = await endpoint
    .handler({ method, url, headers, isOfAllowedPage, body, form }, host, streams)
    .finally(() => uploads?.close());
  if (answer === lifecycle.CARRIED) return;
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  const control = isKeepable(answer, exchange) ? lifetime.field : 'no-store';
  await sendAnswer(endpoint, asked, answer, {
    accepted: GRAPHQL_ACCEPTED,
    control,
    workMillis: () => host.workMillis,
    varying: maySeeBreakdown(endpoint, caller.client) ? [BREAKDOWN] : [],
  });
}

/** An answer may be kept only if nothing went wrong, and nothing was changed. */
const isKeepable = (
  { status, hasErrors }: GraphqlResponse,
  { operation, refusal }: Exchange,
): boolean => status === 200 && operation === 'query' && refusal === null && hasErrors === false;
