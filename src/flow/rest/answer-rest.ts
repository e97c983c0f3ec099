import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { asRefusal, type Cancellation, isRecord, Refusal } from '../../core/index.js';
import { admission, namedOperations, type RawVariables } from '../../graphql/index.js';
import { AnswerLifetime } from '../calls/answer-lifetime.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { type CallerHost, hostOfRequest } from '../graphql/host.js';
import { authorizeDescribed } from '../graphql/may-call.js';
import { readJsonText } from '../graphql/read-body.js';
import { type SentAnswer, sendAnswer } from '../graphql/send-answer.js';
import type { Accepted } from '../http/sentence.js';
import { ItemLines } from './item-lines.js';
import { problemOf, requestProblem } from './problem.js';
import { FIELDS, pathArguments, queryArguments } from './query-arguments.js';
import { ERRORS, formOf, MEDIA_TYPES, type RestForm } from './rest-form.js';
import type { RestTarget } from './rest-target.js';

export const REST_ACCEPTED: Accepted = {
  mediaTypes: ['application/json'],
  protocol: 'JSON over HTTP',
};

/** Errors that are listed. */
const ERRORS_MAX = 10;

/** Answers a request that calls one operation. Rejects with `CLIENT_GONE`, or with a bug. */
export async function answerRest(
  endpoint: GraphqlEndpoint,
  calls: namedOperations.DescribedCalls,
  asked: HttpExchange,
  target: RestTarget,
  query: string,
): Promise<void> {
  const { described } = target;
  const { caller, exchange, request } = asked;
  const lifetime = new AnswerLifetime(endpoint.callerCaching.isPrivate);
  const { host, departure } = hostOfRequest(endpoint, asked, lifetime, 'rest');
  let answer: SentAnswer;
  let isKeepable = false;
  const form = formOf(described, request.headers.accept);
  const lines = form === 'lines' ? new ItemLines(asked) : null;
  try {
    authorizeDescribed(endpoint, caller.client, described);
    const call = await readCall(endpoint, asked, target, query, host);
    const outcome = await calls.call(lines === null ? call : { ...call, receiver: lines }, host);
    if (lines?.hasBegun === true) return endLines(lines, outcome, asked, departure);
    isKeepable = outcome.kind === 'value' && outcome.errors.length === 0 && described.isRead;
    answer = answerOf(outcome, exchange, form, lines?.held ?? '');
  } catch (caught) {
    const refusal = asRefusal(caught);
    if (refusal.code === 'CLIENT_GONE') throw refusal;
    host.refused(refusal);
    answer = requestProblem(refusal, exchange.id, target.methods.join(', '));
    if (lines?.hasBegun === true) return lines.fail(String(answer.body));
  }
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  await sendAnswer(endpoint, asked, answer, {
    accepted: REST_ACCEPTED,
    control: isKeepable && request.method === 'GET' ? lifetime.field : 'no-store',
    workMillis: () => host.workMillis,
    isTagged: true,
  });
}

/**
 * Reads what is called from a request. Throws a `Refusal` of the HTTP layer, `BAD_REQUEST` or
 * `CSRF_PREVENTED`.
 */
async function readCall(
  { operations, bodyBytesMax, cors }: GraphqlEndpoint,
  asked: HttpExchange,
  { described, methods, texts }: RestTarget,
  query: string,
  host: CallerHost,
): Promise<namedOperations.DescribedCall> {
  const { method = '', headers } = asked.request;
  const parameters = new URLSearchParams(query);
  const [fields = null, ...others] = parameters.getAll(FIELDS);
  if (others.length > 0) {
    throw new Refusal('BAD_REQUEST', 'The parameter fields must not be present twice.');
  }
  if (fields === '') throw new Refusal('BAD_REQUEST', 'The parameter fields must name a field.');
  if (!methods.includes(method)) throw new Refusal('HTTP_METHOD');
  const fixed = pathArguments(texts, described);
  if (method === 'GET') {
    admission.preventForgery({
      method,
      url: '',
      headers,
      isOfAllowedPage: cors?.isListed(asked.request) === true,
      body: noBody,
    });
  }
  // No body of DELETE comes this far: `checkHead` refuses it.
  if (method === 'GET' || method === 'DELETE') {
    host.startWork();
    return { described, values: withFixed(queryArguments(parameters, described), fixed), fields };
  }
  if ([...parameters.keys()].some((name) => name !== FIELDS)) {
    throw new Refusal('BAD_REQUEST', 'The arguments must be in the body.');
  }
  const text = await readJsonText(bodyBytesMax, asked);
  host.startWork();
  const values = admission.parseJson(text, admission.boundsOf(operations.limits, 1));
  if (!isRecord(values)) {
    throw new Refusal('BAD_REQUEST', 'It must be an object with the arguments.');
  }
  return { described, values: withFixed(values, fixed), fields };
}

/** Throws `BAD_REQUEST` for an argument that the path has as well. */
function withFixed(values: RawVariables, fixed: RawVariables): RawVariables {
  for (const name of Object.keys(fixed)) {
    if (Object.hasOwn(values, name)) {
      throw new Refusal('BAD_REQUEST', `The argument ${name} is in the path.`);
    }
  }
  return Object.assign(Object.create(null), values, fixed);
}

const noBody = (): Promise<string> => Promise.resolve('');

function answerOf(
  outcome: namedOperations.DescribedOutcome,
  exchange: Parameters<typeof problemOf>[1],
  form: RestForm,
  held: string,
): SentAnswer {
  if (outcome.kind !== 'value') return problemOf(outcome, exchange);
  const { value, errors, areCut } = outcome;
  const bytes = form === 'bytes' && typeof value === 'string' ? Buffer.from(value, 'base64') : null;
  // Bytes that are absent are not the same as none.
  if (form === 'bytes' && bytes === null) return { status: 204, headers: {}, body: null };
  const headers: Record<string, string> = {
    'content-type': MEDIA_TYPES[form],
    'x-content-type-options': 'nosniff',
  };
  if (errors.length > 0) {
    headers[ERRORS] = printErrors(errors, areCut);
  }
  if (form === 'lines') return { status: 200, headers, body: held + printLines(value) };
  return { status: 200, headers, body: bytes ?? JSON.stringify(value) };
}

/**
 * The items that were kept, as they are where a list cannot be handed out one by one; of pages the
 * nodes.
 */
function printLines(value: unknown): string {
  const list = isRecord(value) ? value[NODES] : value;
  return Array.isArray(list) ? list.map((item) => `${JSON.stringify(item)}\n`).join('') : '';
}

const NODES = 'nodes';

/** Ends an answer whose first lines are out. */
function endLines(
  lines: ItemLines,
  outcome: namedOperations.DescribedOutcome,
  { exchange }: HttpExchange,
  { aborted }: Cancellation,
): void {
  if (aborted) throw new Refusal('CLIENT_GONE');
  if (outcome.kind === 'value') {
    lines.end(outcome.errors.length === 0 ? null : printErrors(outcome.errors, outcome.areCut));
  } else {
    // A value that may not be missing is no refusal of an answer in one piece, whose status tells.
    if (outcome.kind === 'failed' && exchange.refusal === null) {
      exchange.refuse(new Refusal(outcome.code));
    }
    lines.fail(String(problemOf(outcome, exchange).body));
  }
}

/** The first errors, and an item without a pointer where there are more. */
function printErrors(errors: readonly GraphQLError[], areCut: boolean): string {
  const items = errors.slice(0, ERRORS_MAX).map(printError);
  return [...items, ...(areCut || errors.length > ERRORS_MAX ? ['TOO_MANY_ERRORS'] : [])].join(
    ', ',
  );
}

/** An item of a list of RFC 9651: names of the schema and indexes are ASCII, without quotes. */
const printError = ({ path = [], extensions }: GraphQLError): string =>
  `${String(extensions['code'])};pointer="${namedOperations.pointerOf(path.slice(1))}"`;
