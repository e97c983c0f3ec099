import type { GraphQLError } from 'graphql';
import { Cancellation } from '../../base/cancellation.js';
import { isRecord } from '../../base/record.js';
import { asRefusal, Refusal } from '../../base/refusals/refusal.js';
import { boundsOf, isJson, parseJson, preventForgery } from '../../graphql/admission/params.js';
import type { DescribedCall, DescribedCalls, DescribedOutcome } from '../../graphql/described/described-call.js';
import { pointerOf } from '../../graphql/described/input-problems.js';
import type { GraphqlResponse } from '../../graphql/http.js';
import type { RawVariables } from '../../graphql/output/reply-plan.js';
import { AnswerLifetime } from '../calls/answer-lifetime.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { CallerHost } from '../graphql/host.js';
import { authorizeDescribed } from '../graphql/may-call.js';
import { readTextBody } from '../graphql/read-body.js';
import { sendAnswer } from '../graphql/send-answer.js';
import { recordOf } from '../http/connection-record.js';
import type { Accepted } from '../http/sentence.js';
import { problemOf, requestProblem } from './problem.js';
import { FIELDS, pathArguments, queryArguments } from './query-arguments.js';
import type { RestTarget } from './rest-target.js';

export const REST_ACCEPTED: Accepted = { mediaTypes: ['application/json'], protocol: 'JSON over HTTP' };

/** The header field that lists the parts of an answer which are null for an error. */
const ERRORS = 'soapstone-errors';

/** Errors that are listed. */
const ERRORS_MAX = 10;

/** Answers a request that calls one operation. Rejects with `CLIENT_GONE`, or with a bug. */
export async function answerRest(
  endpoint: GraphqlEndpoint,
  calls: DescribedCalls,
  asked: HttpExchange,
  target: RestTarget,
  query: string,
): Promise<void> {
  const { described } = target;
  const { caller, exchange, request, ending } = asked;
  const departure = new Cancellation();
  ending.onGone(() => departure.abort());
  const lifetime = new AnswerLifetime(endpoint.callerCaching.isPrivate);
  const host = new CallerHost(endpoint, caller, exchange, {
    signal: departure,
    headers: request.headers,
    connection: recordOf(request.socket),
    lifetime,
    protocol: 'rest',
  });
  let answer: GraphqlResponse;
  let isKeepable = false;
  try {
    authorizeDescribed(endpoint, caller.client, described);
    const call = await readCall(endpoint, asked, target, query, host);
    const outcome = await calls.call(call, host);
    isKeepable = outcome.kind === 'value' && outcome.errors.length === 0 && described.isRead;
    answer = answerOf(outcome, exchange);
  } catch (caught) {
    const refusal = asRefusal(caught);
    if (refusal.code === 'CLIENT_GONE') throw refusal;
    host.refused(refusal);
    answer = requestProblem(refusal, exchange.id, target.methods.join(', '));
  }
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  await sendAnswer(endpoint, asked, answer, {
    accepted: REST_ACCEPTED,
    control: isKeepable && request.method === 'GET' ? lifetime.field : 'no-store',
    workMillis: () => host.workMillis,
    varying: [],
  });
}

/** Reads what is called from a request. Throws a `Refusal` of the HTTP layer, `BAD_REQUEST` or `CSRF_PREVENTED`. */
async function readCall(
  { operations, bodyBytesMax, cors }: GraphqlEndpoint,
  { exchange, request, response }: HttpExchange,
  { described, methods, texts }: RestTarget,
  query: string,
  host: CallerHost,
): Promise<DescribedCall> {
  const { method = '', headers } = request;
  const parameters = new URLSearchParams(query);
  const [fields = null, ...others] = parameters.getAll(FIELDS);
  if (others.length > 0) throw new Refusal('BAD_REQUEST', 'The parameter fields must not be present twice.');
  if (!methods.includes(method)) throw new Refusal('HTTP_METHOD');
  const fixed = pathArguments(texts, described);
  if (method === 'GET') {
    preventForgery({ method, url: '', headers, isOfAllowedPage: cors?.isListed(request) === true, body: noBody });
    host.startWork();
    return { described, values: withFixed(queryArguments(parameters, described), fixed), fields };
  }
  const { 'content-type': type, 'content-encoding': coding = 'identity' } = headers;
  // A request without a body has all of its arguments in the path.
  if (method === 'DELETE' && type === undefined) {
    host.startWork();
    return { described, values: fixed, fields };
  }
  if (!isJson(type) || coding.trim().toLowerCase() !== 'identity') throw new Refusal('HTTP_MEDIA_TYPE');
  const text = await readTextBody(bodyBytesMax, exchange, request, response);
  host.startWork();
  const values = parseJson(text, boundsOf(operations.limits, 1));
  if (!isRecord(values)) throw new Refusal('BAD_REQUEST', 'It must be an object with the arguments.');
  return { described, values: withFixed(values, fixed), fields };
}

/** Throws `BAD_REQUEST` for an argument that the path has as well. */
function withFixed(values: RawVariables, fixed: RawVariables): RawVariables {
  for (const name of Object.keys(fixed))
    if (Object.hasOwn(values, name)) throw new Refusal('BAD_REQUEST', `The argument ${name} is in the path.`);
  return Object.assign(Object.create(null), values, fixed);
}

const noBody = (): Promise<string> => Promise.resolve('');

function answerOf(outcome: DescribedOutcome, exchange: Parameters<typeof problemOf>[1]): GraphqlResponse {
  if (outcome.kind !== 'value') return problemOf(outcome, exchange);
  const { value, errors } = outcome;
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  if (errors.length > 0) headers[ERRORS] = errors.slice(0, ERRORS_MAX).map(printError).join(', ');
  return { status: 200, headers, body: JSON.stringify(value) };
}

/** An item of a list of RFC 9651: names of the schema and indexes are ASCII, without quotes. */
const printError = ({ path = [], extensions }: GraphQLError): string =>
  `${String(extensions['code'])};pointer="${pointerOf(path.slice(1))}"`;
