import { STATUS_CODES } from 'node:http';
import { GraphQLError } from 'graphql';
import { createHandler, type Request, type Response } from 'graphql-http';
import { asRefusal, Refusal } from '../base/refusal.js';
import { type Admission, type Admitted, admit } from './admit.js';
import { costReport, type Throttle } from './cost-report.js';
import { DocumentCache } from './documents.js';
import { codedError, DocumentRefusal, refusalErrors } from './errors.js';
import { executeOperation } from './execute.js';
import type { CallField } from './field-call.js';
import type { GraphqlLimits, MeasurableLimit } from './limits.js';
import { type GraphqlRequest, readParams } from './params.js';
import { LimitRefusal } from './scale.js';
import type { BuiltSchema } from './schema.js';

/** What one generation answers GraphQL with. */
export interface GraphqlOptions {
  readonly built: Pick<BuiltSchema, 'schema' | 'fields' | 'links'>;
  readonly limits: GraphqlLimits;
  /** Limits that only count; none unless given. */
  readonly measured?: readonly MeasurableLimit[];
  readonly introspection: boolean;
}

/** What the one request that is being answered has to do with the rest of the gateway. */
export interface GraphqlContext {
  readonly callField: CallField;
  /** What the log calls the request: told with an error that is a bug of ours. */
  readonly id?: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** The operation is within the limits and about to run. Throws a `Refusal` where the client may not, or not now. */
  admitted?(admitted: Admitted): void;
  /** What the operation came to, in points: called once, after it ran. */
  settled?(actualCost: number): void;
  /** What the client has left to spend; null where it has no budget. */
  throttle?(): Throttle | null;
  /** Nothing was run, or a part was not because it is beyond a limit. */
  refused?(refusal: Refusal): void;
}

export interface GraphqlResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an empty body. */
  readonly body: string | null;
}

export type GraphqlHandler = (request: GraphqlRequest, context: GraphqlContext) => Promise<GraphqlResponse>;

/** What every request of one generation is held to, over whatever transport it comes. */
export const admissionOf = ({ built, limits, measured, introspection }: GraphqlOptions): Admission => ({
  schema: built.schema,
  links: built.links,
  limits,
  measured: new Set(measured),
  introspection,
  documents: new DocumentCache(),
});

/**
 * GraphQL over HTTP. `graphql-http` negotiates media types and status codes; what is asked, whether it may run and how
 * is ours. Rejects only if the client has gone, or with a bug.
 */
export function createGraphqlHandler(options: GraphqlOptions, admission = admissionOf(options)): GraphqlHandler {
  const handler = createHandler<GraphqlRequest, GraphqlContext>({
    parseRequestParams: async (request) => {
      try {
        const { query, operationName, variables } = await readParams(request.raw);
        return { query, operationName, variables: { ...variables } };
      } catch (caught) {
        const refusal = asRefusal(caught);
        request.context.refused?.(refusal);
        const { status } = refusal.kind;
        // These are no GraphQL requests: they are answered by the status alone.
        if (refusal.code.startsWith('HTTP_') && status !== undefined) return empty(status, refusal.code);
        throw refusal;
      }
    },
    onSubscribe: async (request, params) => {
      const { query, operationName = null, variables } = params;
      return answer({ query, operationName, variables: variables ?? {} }, request, admission, options);
    },
    formatError: (error) => (error instanceof Refusal ? requestError(error) : error),
  });
  return async (request, context) => {
    const headers = { accept: joined(request.headers['accept']) };
    const { method, url } = request;
    const [body, init] = await handler({ method, url, headers, body: null, raw: request, context });
    return { status: init.status, headers: { ...init.headers, 'x-content-type-options': 'nosniff' }, body };
  };
}

type Answer = Response | readonly GraphQLError[] | Awaited<ReturnType<typeof executeOperation>>;

async function answer(
  params: Parameters<typeof admit>[0],
  { method, context }: Request<GraphqlRequest, GraphqlContext>,
  admission: Admission,
  { built, limits }: GraphqlOptions,
): Promise<Answer> {
  let admitted: Admitted | null = null;
  try {
    admitted = admit(params, admission);
    if (method === 'GET' && admitted.operation.operation !== 'query') throw new Refusal('HTTP_METHOD');
    if (admitted.operation.operation === 'subscription') throw new Refusal('SUBSCRIPTION_TRANSPORT');
    context.admitted?.(admitted);
  } catch (caught) {
    const refusal = asRefusal(caught);
    context.refused?.(refusal);
    if (refusal.code === 'HTTP_METHOD') return withStatus(405, [codedError('HTTP_METHOD')], { allow: 'POST' });
    if (isMalformed(refusal)) return withStatus(400, malformed(refusal), {});
    if (refusal.kind.blame === 'us') return withStatus(500, traced(refusalErrors(refusal), context), {});
    if (refusal.kind.httpStatus !== undefined) return denied(refusal, refusal.kind.httpStatus, admitted, context);
    return refusalErrors(refusal);
  }
  const { callField, signal } = context;
  const refused = (refusal: Refusal): void => context.refused?.(refusal);
  const ran = await executeOperation(admitted, { built, callField, signal, limits, refused });
  const result = ran.errors === undefined ? ran : { ...ran, errors: traced(ran.errors, context) };
  const throttle = context.throttle?.() ?? null;
  return throttle === null
    ? result
    : { ...result, extensions: { cost: costReport(admitted.cost, admitted.cost, throttle) } };
}

/** A bug of ours tells nothing but where the log has it. */
const traced = (errors: readonly GraphQLError[], { id }: GraphqlContext): readonly GraphQLError[] =>
  errors.map((error) => {
    const { message, nodes, path, extensions } = error;
    if (extensions['code'] !== 'INTERNAL' || id === undefined) return error;
    return new GraphQLError(message, { nodes: nodes ?? null, path: path ?? null, extensions: { ...extensions, id } });
  });

/** Who may not call, or has nothing left to spend: the one answer that says so even to those who ask no further. */
function denied(refusal: Refusal, status: number, admitted: Admitted | null, context: GraphqlContext): Response {
  const { retryAfter } = refusal;
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
  const throttle = context.throttle?.() ?? null;
  const extensions = admitted === null || throttle === null ? {} : { cost: costReport(admitted.cost, 0, throttle) };
  return withStatus(status, refusalErrors(refusal), headers, extensions);
}

/** The variables are too much to be looked at: no more a request for GraphQL than what is no JSON. */
const isMalformed = (refusal: Refusal): boolean =>
  refusal.code === 'BAD_REQUEST' && (refusal instanceof LimitRefusal || !(refusal instanceof DocumentRefusal));

const malformed = (refusal: Refusal): readonly GraphQLError[] =>
  refusal instanceof LimitRefusal ? refusal.errors : [requestError(refusal)];

/** What is wrong with the parameters helps the caller; `readParams` says it without their values. */
const requestError = ({ code, kind, detail }: Refusal): GraphQLError =>
  codedError(code, {}, code === 'BAD_REQUEST' && detail !== null ? `${kind.text} ${detail}` : kind.text);

const empty = (status: number, code: Refusal['code']): Response => [
  null,
  {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: code === 'HTTP_METHOD' ? { allow: 'GET, POST' } : {},
  },
];

const withStatus = (
  status: number,
  errors: readonly GraphQLError[],
  headers: Readonly<Record<string, string>>,
  extensions: Readonly<Record<string, unknown>> = {},
): Response => [
  JSON.stringify(Object.keys(extensions).length === 0 ? { errors } : { errors, extensions }),
  {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  },
];

const joined = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value;
