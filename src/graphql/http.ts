import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { createHandler, type Request, type Response } from 'graphql-http';
import { asRefusal, Refusal } from '../base/refusal.js';
import { type Admission, type Admitted, admit } from './admit.js';
import { DocumentCache } from './documents.js';
import { codedError, refusalErrors } from './errors.js';
import { executeOperation } from './execute.js';
import type { CallField } from './field-call.js';
import type { GraphqlLimits } from './limits.js';
import { type GraphqlRequest, readParams } from './params.js';
import type { BuiltSchema } from './schema.js';

/** What one generation answers GraphQL with. */
export interface GraphqlOptions {
  readonly built: Pick<BuiltSchema, 'schema' | 'fields' | 'links'>;
  readonly limits: GraphqlLimits;
  readonly introspection: boolean;
}

/** What the one request that is being answered has to do with the rest of the gateway. */
export interface GraphqlContext {
  readonly callField: CallField;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** The operation may run and is about to. */
  admitted?(admitted: Admitted): void;
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

/**
 * GraphQL over HTTP. `graphql-http` negotiates media types and status codes; what is asked, whether it may run and how
 * is ours. Rejects only if the client has gone, or with a bug.
 */
export function createGraphqlHandler(options: GraphqlOptions): GraphqlHandler {
  const { built, limits, introspection } = options;
  const admission: Admission = {
    schema: built.schema,
    links: built.links,
    limits,
    introspection,
    documents: new DocumentCache(),
  };
  const handler = createHandler<GraphqlRequest, GraphqlContext>({
    parseRequestParams: async (request) => {
      try {
        const { query, operationName, variables } = await readParams(request.raw, limits);
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
  let admitted: Admitted;
  try {
    admitted = admit(params, admission);
    if (method === 'GET' && admitted.operation.operation !== 'query') throw new Refusal('HTTP_METHOD');
  } catch (caught) {
    const refusal = asRefusal(caught);
    context.refused?.(refusal);
    if (refusal.code === 'HTTP_METHOD') return withStatus(405, [codedError('HTTP_METHOD')], { allow: 'POST' });
    if (refusal.kind.blame === 'us') return withStatus(500, refusalErrors(refusal), {});
    return refusalErrors(refusal);
  }
  context.admitted?.(admitted);
  const { callField, signal } = context;
  const refused = (refusal: Refusal): void => context.refused?.(refusal);
  return executeOperation(admitted, { built, callField, signal, limits, refused });
}

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
): Response => [
  JSON.stringify({ errors }),
  {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  },
];

const joined = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value;
