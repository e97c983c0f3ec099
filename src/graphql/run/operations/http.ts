import type { ExecutionResult } from 'graphql';
import { asRefusal, Refusal, refusals, refuseByLimit } from '../../../core/index.js';
import { LimitChecker } from '../../admission/limit-checker.js';
import { boundsOf, type GraphqlRequest, readParams } from '../../admission/params.js';
import { DocumentRefusal } from '../../errors.js';
import {
  answerInOrder,
  type BatchPlace,
  batchRequests,
  checkBatch,
  type GraphqlResponse,
  joinAnswers,
} from '../batch.js';
import { writeResult } from '../written-json.js';
import {
  type AdmittedOperation,
  admitOperation,
  type GraphqlOptions,
  type OperationHost,
  type Operations,
  operationsOf,
  type RefusedOperation,
  refuseOperation,
} from './operation.js';

/** The host of an HTTP request. */
export interface RequestHost extends OperationHost {
  /** A host for one item of a batch; null: the only one, which is as any request. */
  item?(place: BatchPlace | null): ItemHost;
}

export interface ItemHost extends OperationHost {
  /** Waits for a permit to run beside the other items; the answer gives it back. */
  enter?(): Promise<(() => void) | undefined>;
}

/** Carries results as a stream, for clients that take one. */
export interface StreamCarrier {
  /** The client takes nothing but a stream. */
  readonly isOnly: boolean;
  /** Null: the operation is answered in one piece. Else it resolves when the stream has ended. */
  carry(operation: AdmittedOperation | Refusal): Promise<void> | null;
}

/**
 * Answers a request; `CARRIED` where the carrier took it. Rejects with `CLIENT_GONE` or with a bug.
 */
export type GraphqlHandler = (
  request: GraphqlRequest,
  host: RequestHost,
  streams?: StreamCarrier | null,
) => Promise<GraphqlResponse>;

/** The answer to an operation whose results went out as a stream. */
export const CARRIED: GraphqlResponse = { status: 200, headers: {}, body: null };

/**
 * The two media types of GraphQL over HTTP (section 4.1): the older one hides request errors behind
 * status 200.
 */
const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

type AnswerType = typeof JSON_TYPE | typeof GRAPHQL_TYPE;

/** GraphQL over HTTP, in one piece: media types, status codes and batches. */
export function createGraphqlHandler(
  options: GraphqlOptions,
  operations = operationsOf(options),
): GraphqlHandler {
  const { batch = 0 } = options;
  const { measured } = operations.admission;
  const checker = new LimitChecker(options.limits, measured);
  const ceilings = {
    variableDepth: checker.ceiling('variableDepth'),
    variableKeys: checker.ceiling('variableKeys'),
    variableValues: checker.ceiling('variableValues'),
  };
  const bounds = boundsOf(ceilings, Math.max(1, batch));
  return async (request, host, streams = null) => {
    const { method } = request;
    const type = streams?.isOnly === true ? GRAPHQL_TYPE : acceptedType(request.headers['accept']);
    if (type === null) return NOT_ACCEPTABLE;
    let raw: unknown;
    try {
      raw = await readParams(request, bounds);
      if (batch > 0 && Array.isArray(raw) && streams?.isOnly !== true) {
        checkBatch(raw, batch);
        return await answerBatch(raw, { operations, host, method, type });
      }
    } catch (caught) {
      return unreadAnswer(caught, host);
    }
    const admission = await admitOperation(raw, operations, host).catch(asRefusal);
    const carried = streams?.carry(admission) ?? null;
    if (carried === null) return perform(admission, host, { method, type });
    await carried;
    return CARRIED;
  };
}

interface Transport {
  readonly method: string;
  readonly type: AnswerType;
  /** Called with an operation that may be admitted beside others. Throws a `Refusal`. */
  check?(operation: AdmittedOperation): void;
  /** Awaited between charge and run. */
  begin?(operation: AdmittedOperation): Promise<void>;
}

/** Runs and answers an operation over HTTP once it is admitted, or refused. */
async function perform(
  admission: AdmittedOperation | Refusal,
  host: OperationHost,
  { method, type, check, begin }: Transport,
): Promise<GraphqlResponse> {
  if (admission instanceof Refusal) return refusedAnswer(refuseOperation(admission, host), type);
  let charged: ReturnType<AdmittedOperation['authorizeAndCharge']>;
  try {
    if (method === 'GET' && admission.type !== 'query') throw new Refusal('HTTP_METHOD');
    if (admission.type === 'subscription') throw new Refusal('SUBSCRIPTION_TRANSPORT');
    check?.(admission);
    charged = admission.authorizeAndCharge(host);
  } catch (caught) {
    return refusedAnswer(refuseOperation(caught, host, admission), type);
  }
  if (begin !== undefined) {
    await begin(admission);
  }
  return response(200, type, await charged.runForText());
}

interface Batch {
  readonly operations: Operations;
  readonly host: RequestHost;
  readonly method: string;
  readonly type: AnswerType;
}

/** Answers the requests of a batch: together they may not cost more than one request. */
async function answerBatch(items: readonly unknown[], batch: Batch): Promise<GraphqlResponse> {
  const { operations, host, method, type } = batch;
  const { limits, measured } = operations.admission;
  let points = 0;
  const requests = batchRequests(items);
  const answers = await answerInOrder(items, async (raw, at, beginInOrder) => {
    const own: ItemHost = host.item?.(items.length > 1 ? { at, requests } : null) ?? host;
    let leave: (() => void) | undefined;
    const transport: Transport = {
      method,
      type,
      check({ admitted }) {
        const sum = points + admitted.cost;
        if (sum <= limits.cost || measured?.has('cost') === true) return;
        throw refuseByLimit(
          'MAX_COST_LIMIT',
          'limits.graphql.cost',
          limits.cost,
          sum,
          'of a batch',
        );
      },
      async begin({ admitted, type: kind }) {
        points += admitted.cost;
        await beginInOrder(kind === 'mutation');
        leave = await own.enter?.();
      },
    };
    try {
      return await perform(
        await admitOperation(raw, operations, own).catch(asRefusal),
        own,
        transport,
      );
    } finally {
      leave?.();
    }
  });
  return joinAnswers(answers);
}

/**
 * A request that could not be read: a request that is none of GraphQL is answered by its status
 * alone.
 */
function unreadAnswer(caught: unknown, host: OperationHost): GraphqlResponse {
  const refused = refuseOperation(caught, host);
  const { code } = refused.refusal;
  if (code === 'CLIENT_GONE') throw refused.refusal;
  const status = refusals.wireStatus(refused.refusal, 'http');
  if (!code.startsWith('HTTP_')) return response(status, JSON_TYPE, refused.result);
  return { status, headers: code === 'HTTP_METHOD' ? { allow: 'GET, POST' } : {}, body: null };
}

/**
 * An operation that was refused. Errors with a status of their own have it for clients of either
 * media type.
 */
function refusedAnswer({ refusal, result }: RefusedOperation, type: AnswerType): GraphqlResponse {
  const { code, kind, retryAfter, isOfCaller } = refusal;
  if (isOfCaller && kind.httpStatus === undefined && !isMalformed(refusal)) {
    return response(
      refusals.wireStatus(refusal, type === JSON_TYPE ? 'graphql json' : 'http'),
      type,
      result,
    );
  }
  const fields: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
  if (code === 'HTTP_METHOD') {
    fields['allow'] = 'POST';
  }
  return response(refusals.wireStatus(refusal, 'http'), JSON_TYPE, result, fields);
}

/** Whether it is no well-formed GraphQL request, or has variables with too many parts. */
const isMalformed = (refusal: Refusal): boolean =>
  refusal.code === 'HTTP_METHOD' ||
  refusal.code === 'BATCHING_NOT_SUPPORTED' ||
  (refusal.code === 'BAD_REQUEST' &&
    (!(refusal instanceof DocumentRefusal) || refusal.limit !== null));

function response(
  status: number,
  type: AnswerType,
  result: ExecutionResult,
  more: Readonly<Record<string, string>> | null = null,
): GraphqlResponse {
  const fields = { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' };
  const headers = more === null ? fields : { ...fields, ...more };
  return { status, headers, body: writeResult(result), hasErrors: result.errors !== undefined };
}

const NOT_ACCEPTABLE: GraphqlResponse = {
  status: 406,
  headers: {
    accept: `${GRAPHQL_TYPE}; charset=utf-8, ${JSON_TYPE}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
  },
  body: null,
};

/**
 * The media type of the answer: the one of the two that Accept weighs most (RFC 9110 section
 * 12.5.1), the first of equals; null where neither is taken. Without Accept it is the older one, as
 * the draft wants of servers for now (section 6.1).
 */
function acceptedType(accept: string | readonly string[] | undefined): AnswerType | null {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_TYPE) {
    return JSON_TYPE;
  }
  const written = typeof accept === 'string' ? accept : accept.join(',');
  let accepted: AnswerType | null = null;
  let best = 0;
  for (const range of written.replaceAll(/\s/g, '').toLowerCase().split(',')) {
    const [type, ...parameters] = range.split(';');
    const charset =
      parameters.find((parameter) => parameter.startsWith('charset=')) ?? 'charset=utf-8';
    const weight = Number(
      parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1,
    );
    if (!/^charset="?utf-?8"?$/.test(charset) || !(weight > best)) continue;
    if (type === GRAPHQL_TYPE) {
      accepted = GRAPHQL_TYPE;
    } else if (type === JSON_TYPE || type === 'application/*' || type === '*/*') {
      accepted = JSON_TYPE;
    } else {
      continue;
    }
    best = weight;
  }
  return accepted;
}
