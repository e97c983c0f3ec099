import type { GraphQLError } from 'graphql';
import { createHandler, type Response } from 'graphql-http';
import { asRefusal, Refusal, refuseByLimit } from '../base/refusal.js';
import { Spending } from './cost/cost-actual.js';
import { CostTable } from './cost/cost-table.js';
import { DocumentCache } from './document/documents.js';
import { closedError, codedError, DocumentRefusal, errorAt, refusalErrors } from './document/errors.js';
import type { GraphqlLimits, MeasurableLimit } from './document/limits.js';
import { Scale } from './document/scale.js';
import type { TrustedDocuments } from './document/trusted.js';
import type { SendRemote } from './graph/remote.js';
import { type Admission, type Admitted, admit, takesLong } from './run/admit.js';
import { answerInOrder, checkBatch, joinAnswers } from './run/batch.js';
import { costReport, type Settlement, settle, withRefusedCost } from './run/cost-report.js';
import { executeOperation } from './run/execute.js';
import type { CallField } from './run/field-call.js';
import { boundsOf, type GivenParams, type GraphqlRequest, givenParams, readRequest } from './run/params.js';
import { NOTHING_PERSISTED, type PersistedDocuments } from './run/persisted.js';
import type { PlannedSchema } from './run/root-plan.js';
import { empty, withStatus } from './run/status-answers.js';
import { type Sign, withSigns, withTexts } from './run/written-json.js';

/** What one generation answers GraphQL with. */
export interface GraphqlOptions {
  readonly built: PlannedSchema;
  readonly limits: GraphqlLimits;
  /** Limits that only count; none unless given. */
  readonly measured?: readonly MeasurableLimit[];
  readonly introspection: boolean;
  /** How many requests a batch may hold; without it there are no batches. */
  readonly batch?: number;
  /** Documents that requests may name; without it they cannot. */
  readonly persisted?: PersistedDocuments;
  readonly trusted?: TrustedDocuments | null;
}

/** What the one request that is being answered has to do with the rest of the gateway. */
export interface GraphqlContext extends Settlement {
  readonly callField: CallField;
  /** Needed where a service speaks GraphQL. */
  readonly sendRemote?: SendRemote | null;
  /** What the log calls the request: told with an error that is a bug of ours. */
  readonly id?: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Waits for the turn of what takes long; none unless given. */
  readonly turn?: (() => Promise<void>) | null;
  /** The operation is within the limits and about to run. Throws a `Refusal` where the client may not, or not now. */
  admitted?(admitted: Admitted): void;
  /** Charges the client for what is no operation; false, and no charge, where it cannot pay. */
  pay?(points: number): boolean;
  /** The same for a further operation of the request: each of a batch has one of its own. */
  another?(): GraphqlContext;
  /** Waits until it may run beside the others; the answer is called when it is over. */
  enter?(): Promise<(() => void) | undefined>;
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
export const admissionOf = ({ built, limits, measured, introspection, trusted = null }: GraphqlOptions): Admission => ({
  schema: built.schema,
  limits,
  measured: new Set(measured),
  introspection,
  documents: new DocumentCache(trusted?.documents, limits.planBytes),
  trusted,
  costs: new CostTable({ ...built, limits }),
});

/**
 * GraphQL over HTTP. `graphql-http` negotiates media types and status codes; what is asked, whether it may run and how
 * is ours. Rejects only if the client has gone, or with a bug.
 */
export function createGraphqlHandler(options: GraphqlOptions, admission = admissionOf(options)): GraphqlHandler {
  const { batch = 0 } = options;
  const scale = new Scale(options.limits, admission.measured);
  const most = (limit: MeasurableLimit): number => scale.most(limit);
  const given = { variableDepth: most('variableDepth'), variableKeys: most('variableKeys') };
  const bounds = boundsOf({ ...given, variableValues: most('variableValues') }, Math.max(1, batch));
  const handler = createHandler<GraphqlRequest, Turn>({
    parseRequestParams: async ({ raw, context: turn }) => {
      try {
        const given = turn.part === null ? await readRequest(raw, bounds) : turn.part.given;
        if (batch > 0 && Array.isArray(given)) {
          checkBatch(given, batch);
          turn.batch = given;
          return NO_ANSWER;
        }
        turn.asked = givenParams(given);
        return NO_PARAMS;
      } catch (caught) {
        const refusal = refuse(turn, caught);
        const { status } = refusal.kind;
        // These are no GraphQL requests: they are answered by the status alone.
        if (refusal.code.startsWith('HTTP_') && status !== undefined) return empty(status, refusal.code);
        throw refusal;
      }
    },
    onSubscribe: ({ method, context: turn }) => answer(turn, method, admission, options),
    formatError: (error) => (error instanceof Refusal ? requestError(error) : error),
  });
  const respond = async (raw: GraphqlRequest, context: GraphqlContext, part: Part | null): Promise<GraphqlResponse> => {
    const turn: Turn = { context, part, batch: null, asked: null, refusal: null, requestedCost: null, signs: [] };
    const headers = { accept: joined(raw.headers['accept']) };
    const { method, url } = raw;
    const [body, init] = await handler({ method, url, headers, body: null, raw, context: turn });
    if (turn.batch === null) {
      return { status: statusOf(init, turn), headers: { ...init.headers, ...NOSNIFF }, body: bodyOf(body, turn) };
    }
    const nextContext = contextsOf(context, admission);
    return joinAnswers(
      await answerInOrder(turn.batch, async (given, begin) => {
        const own = nextContext();
        let leave: (() => void) | undefined;
        const beginInTurn = async (isMutation: boolean): Promise<void> => {
          await begin(isMutation);
          leave = await own.enter?.();
        };
        try {
          return await respond(raw, own, { given, begin: beginInTurn });
        } finally {
          leave?.();
        }
      }),
    );
  };
  return (request, context) => respond(request, context, null);
}

/** A request on its way through graphql-http. */
interface Turn {
  readonly context: GraphqlContext;
  /** Null for a request that came alone. */
  readonly part: Part | null;
  /** The requests within it; null for a request of its own. */
  batch: readonly unknown[] | null;
  asked: GivenParams | null;
  refusal: Refusal | null;
  /** What was refused would have cost this; null where that is not known. */
  requestedCost: number | null;
  /** What stands in the answer for texts that were written before. */
  signs: readonly Sign[];
}

/** One request of a batch. */
interface Part {
  readonly given: unknown;
  begin(isMutation: boolean): Promise<void>;
}

const NOSNIFF = { 'x-content-type-options': 'nosniff' };

/** graphql-http wants parameters, or an answer: ours are made elsewhere. */
const NO_PARAMS = { query: '' };
const NO_ANSWER: Response = [null, { status: 200, statusText: '' }];

function refuse(turn: Turn, caught: unknown): Refusal {
  const refusal = asRefusal(caught);
  turn.refusal = refusal;
  turn.context.refused?.(refusal);
  return refusal;
}

/** Makes the contexts of the requests of a batch: together they may not cost more than one request. */
function contextsOf(context: GraphqlContext, { limits, measured }: Admission): () => GraphqlContext {
  let points = 0;
  return () => {
    const own = context.another?.() ?? context;
    return {
      ...own,
      admitted(admitted) {
        const sum = points + admitted.cost;
        if (sum > limits.cost && measured?.has('cost') !== true) {
          throw refuseByLimit('MAX_COST_LIMIT', 'limits.graphql.cost', limits.cost, sum, 'of a batch');
        }
        own.admitted?.(admitted);
        points = sum;
      },
    };
  };
}

/** graphql-http answers all that is refused alike: the status of a refusal counts where it says more. */
function statusOf({ status, headers }: Response[1], { refusal }: Turn): number {
  const isTyped = headers?.['content-type']?.startsWith('application/graphql-response+json') === true;
  return isTyped && status === 400 ? (refusal?.kind.status ?? status) : status;
}

type Answer = Response | readonly GraphQLError[] | Awaited<ReturnType<typeof executeOperation>>;

async function answer(turn: Turn, method: string, admission: Admission, options: GraphqlOptions): Promise<Answer> {
  const { context, asked } = turn;
  if (asked === null) throw new Error('a request is answered before it was read');
  const { built, limits, persisted = NOTHING_PERSISTED } = options;
  let admitted: Admitted | null = null;
  try {
    const params = await persisted.resolve(asked);
    if (takesLong(params, admission)) await context.turn?.();
    admitted = admit(params, admission);
    if (method === 'GET' && admitted.operation.operation !== 'query') throw new Refusal('HTTP_METHOD');
    if (admitted.operation.operation === 'subscription') throw new Refusal('SUBSCRIPTION_TRANSPORT');
    context.admitted?.(admitted);
    persisted.register(params, (points) => context.pay?.(points) ?? true);
  } catch (caught) {
    const refusal = refuse(turn, caught);
    turn.requestedCost = admitted?.cost ?? costOf(refusal);
    if (refusal.code === 'HTTP_METHOD') return withStatus(405, [codedError('HTTP_METHOD')], { allow: 'POST' });
    if (isMalformed(refusal)) return withStatus(400, malformed(refusal), {});
    if (refusal.kind.blame === 'us') return withStatus(500, traced(refusalErrors(refusal), context), {});
    if (refusal.kind.httpStatus !== undefined) return denied(refusal, refusal.kind.httpStatus, admitted, context);
    return refusalErrors(refusal);
  }
  await turn.part?.begin(admitted.operation.operation === 'mutation');
  const { result, signs } = withSigns(await runAdmitted(admitted, context, { built, limits }));
  turn.signs = signs;
  return result;
}

/** Runs what was admitted and paid for, over whatever transport it came. */
export async function runAdmitted(
  admitted: Admitted,
  context: GraphqlContext,
  { built, limits }: Pick<GraphqlOptions, 'built' | 'limits'>,
): Promise<Awaited<ReturnType<typeof executeOperation>>> {
  const { callField, sendRemote = null, signal } = context;
  const refused = (refusal: Refusal): void => context.refused?.(refusal);
  const spending = new Spending(limits);
  const ran = await executeOperation(admitted, { built, callField, sendRemote, signal, limits, refused, spending });
  const errors = admitted.isOpen ? ran.errors : ran.errors?.map(closedError);
  const result = errors === undefined ? ran : { ...ran, errors: traced(errors, context) };
  const cost = settle(admitted, spending, context);
  return { ...result, extensions: { cost } };
}

/** A bug of ours tells nothing but where the log has it. */
const traced = (errors: readonly GraphQLError[], { id }: GraphqlContext): readonly GraphQLError[] =>
  errors.map((error) => {
    const { message, nodes, path, extensions } = error;
    if (extensions['code'] !== 'INTERNAL' || id === undefined) return error;
    const place = { ...(nodes === undefined ? {} : { nodes }), ...(path === undefined ? {} : { path }) };
    return errorAt(message, place, { ...extensions, id });
  });

/** What a request that is too expensive would have cost; null where that is not known. */
const costOf = ({ code, found }: Refusal): number | null =>
  code === 'MAX_COST_LIMIT' && typeof found === 'number' ? found : null;

function bodyOf(body: string | null, { context, refusal, requestedCost, signs }: Turn): string | null {
  // What is too expensive is told what it would have cost.
  if (refusal?.code === 'MAX_COST_LIMIT' && requestedCost !== null)
    return withRefusedCost(body, requestedCost, context.throttle?.() ?? null);
  return body === null ? null : withTexts(body, signs);
}

/** Who may not call, or has nothing left to spend: the one answer that says so even to those who ask no further. */
function denied(refusal: Refusal, status: number, admitted: Admitted | null, context: GraphqlContext): Response {
  const { retryAfter } = refusal;
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
  const throttle = context.throttle?.() ?? null;
  const extensions = admitted === null ? {} : { cost: costReport(admitted.cost, 0, throttle) };
  return withStatus(status, refusalErrors(refusal), headers, extensions);
}

/** The variables are too much to be looked at: no more a request for GraphQL than what is no JSON. */
const isMalformed = (refusal: Refusal): boolean =>
  refusal.code === 'BAD_REQUEST' && (!(refusal instanceof DocumentRefusal) || refusal.limit !== null);

const malformed = (refusal: Refusal): readonly GraphQLError[] =>
  refusal instanceof DocumentRefusal && refusal.limit !== null ? refusal.errors : [requestError(refusal)];

/** What is wrong with the parameters helps the caller; `givenParams` says it without their values. */
const requestError = ({ code, kind, detail }: Refusal): GraphQLError =>
  codedError(code, {}, code === 'BAD_REQUEST' && detail !== null ? `${kind.text} ${detail}` : kind.text);

const joined = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value;
