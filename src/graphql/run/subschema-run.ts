import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  subscribe,
} from 'graphql';
import type { Decoded, replyPlans } from '../../codec/index.js';
import { Refusal } from '../../core/index.js';
import { subschemaPoints } from '../admission/cost/cost-subschema.js';
import type {
  SendToSubschema,
  SubschemaPlan,
  SubschemaRequest,
} from '../schema/fields/subschema.js';
import type { RawVariables } from '../schema/output/reply-plan.js';
import type { FieldRights } from '../schema/rights/field-rights.js';
import {
  AnswerShaper,
  batchAnswer,
  batchPath,
  isLost,
  type ShaperContext,
} from '../schema/subschema/answer-shaper.js';
import { FORBIDDEN } from '../schema/subschema/enforce-rules.js';
import {
  readSubschemaReply,
  SUBSCHEMA_ERROR,
  type SubschemaResult,
  upstreamRefusal,
} from '../schema/subschema/read-reply.js';
import { SentValue } from '../schema/subschema/sent-value.js';
import type { SubschemaSender } from '../schema/subschema/wrap.js';

/** The request that a `SubschemaRun` answers. */
export interface SubschemaContext extends ShaperContext {
  /** Services coerce them again. */
  readonly rawVariables: RawVariables;
  /** Null where all callers have the same. */
  readonly rights: FieldRights | null;
  readonly maxErrors: number;
}

/**
 * Sends the operations of one request to subschemas. It is the context that wrapped schemas are
 * executed with; fields of one service that are requested at the same time are sent as one
 * operation.
 */
export class SubschemaRun {
  readonly #send: SendToSubschema;
  readonly #context: SubschemaContext;
  readonly #shaper: AnswerShaper;
  #calls = 0;
  #hiddenPrefix: string | null = null;

  constructor(send: SendToSubschema, context: SubschemaContext) {
    this.#send = send;
    this.#context = context;
    this.#shaper = new AnswerShaper(context);
  }

  get rights(): FieldRights | null {
    return this.#context.rights;
  }

  get hiddenPrefix(): string | null {
    return this.#hiddenPrefix;
  }

  /**
   * Answers a field; `values` are its arguments that are not in the document. Rejects with a
   * `Refusal`.
   */
  async answer(plan: SubschemaPlan, values: Readonly<Record<string, unknown>>): Promise<Decoded> {
    const { rawVariables, maxErrors } = this.#context;
    const variableValues: Record<string, unknown> = Object.create(null);
    for (const name of plan.variables) {
      if (Object.hasOwn(rawVariables, name)) {
        variableValues[name] = rawVariables[name];
      }
    }
    for (const [name, variable] of plan.argumentVariables) {
      if (Object.hasOwn(values, name)) {
        variableValues[variable] = values[name];
      }
    }
    const { wrapped, parent } = plan.field;
    // Plans of one document have one prefix.
    if (plan.links !== null) {
      this.#hiddenPrefix = plan.links.prefix;
    }
    const rootValue = new SentValue();
    const run = (contextValue: SubschemaSender): Promise<ExecutionResult> => {
      const args = {
        schema: wrapped,
        document: plan.document,
        rootValue,
        variableValues,
        contextValue,
      };
      return parent === 'Subscription' ? executeEvent(args) : Promise.resolve(execute(args));
    };
    const together = await run(this);
    const isAlone = together.errors?.some(isLostAnswer) === true;
    // With a context of its own the field is sent alone.
    const result = isAlone ? await run(this.#alone()) : together;
    const errors = (result.errors ?? []).flatMap((error) => errorsOf(error, plan));
    const value = this.#valueOf(result, plan);
    // Wrapped schemas drop a value of an unknown type without an error.
    const sent = rootValue.value;
    const isLess =
      value === null
        ? sent !== null
        : plan.batch === null && Array.isArray(value) && isLost(sent, value);
    if (isLess && errors.length === 0) {
      errors.push({ code: 'UPSTREAM_SCHEMA_INVALID', path: [], rule: 'GraphQL' });
    }
    const listed = errors.slice(0, maxErrors);
    const points = subschemaPoints(plan, result.data?.[plan.key], this.#context.variables);
    const decoded = { value, errors: listed, furtherErrors: errors.length - listed.length, points };
    // An event is no call.
    return parent === 'Subscription' ? { ...decoded, calls: 0 } : decoded;
  }

  #alone(): SubschemaSender {
    const { rights, hiddenPrefix } = this;
    return { rights, hiddenPrefix, send: (request, keys) => this.send(request, keys) };
  }

  /**
   * Returns the calls since the last time: one for fields that were sent together, counted for the
   * first answer.
   */
  takeCalls(): number {
    const calls = this.#calls;
    this.#calls = 0;
    return calls;
  }

  /** For the wrapped schemas. */
  async send(request: SubschemaRequest, keys: ReadonlySet<string>): Promise<SubschemaResult> {
    if (request.operation !== 'subscription') {
      this.#calls++;
    }
    const result = readSubschemaReply(await this.#send(request), keys, this.#context.maxErrors);
    const hasLost = result.data === null && request.operation === 'query' && keys.size > 1;
    return hasLost ? withoutLost(result, keys) : result;
  }

  #valueOf({ data }: ExecutionResult, plan: SubschemaPlan): unknown {
    const value = data?.[plan.key] ?? null;
    const { links, batch } = plan;
    const shaped = (part: unknown): unknown =>
      links === null ? part : this.#shaper.shape(part, links, plan);
    if (batch === null) return shaped(value);
    return batchAnswer(value, batch, (item) => {
      const { [batch.key]: _, ...visible } = item;
      return shaped(links === null ? visible : item);
    });
  }
}

/** Makes one event of a subscription into an answer: its stream has no other. */
async function executeEvent(args: ExecutionArgs): Promise<ExecutionResult> {
  const events = await subscribe(args);
  if (!(Symbol.asyncIterator in events)) return events;
  try {
    const event = await events.next();
    return event.done === true ? { data: null } : event.value;
  } catch (caught) {
    if (caught instanceof Refusal) throw caught;
    // The event does not have the shape of its type.
    return {
      data: null,
      errors: [new GraphQLError('an invalid event', { originalError: asError(caught) })],
    };
  }
}

const asError = (caught: unknown): Error =>
  caught instanceof Error ? caught : new Error(String(caught));

/**
 * An error at a non-null field makes the whole data null, and fields of the same call lose their
 * answers: these are marked, to be sent again.
 */
function withoutLost(result: SubschemaResult, keys: ReadonlySet<string>): SubschemaResult {
  const { errors = [] } = result;
  const failed = new Set(errors.flatMap(({ path }) => (path === undefined ? [] : [path[0]])));
  // The whole call failed.
  if (failed.size === 0) return result;
  const lost = [...keys].filter((key) => !failed.has(key));
  return {
    data: null,
    errors: [...errors.filter(({ path }) => path !== undefined), ...lost.map(lostAnswer)],
  };
}

const LOST = 'LOST';

const lostAnswer = (key: string): GraphQLError =>
  new GraphQLError('lost with another field of the call', {
    path: [key],
    extensions: { code: LOST },
  });

const isLostAnswer = (error: GraphQLError): boolean => hasCode(error, LOST);

/** The errors at one place. Throws the refusal of a call that failed as a whole. */
function errorsOf(error: GraphQLError, plan: SubschemaPlan): readonly replyPlans.DecodeError[] {
  const refusal = refusalIn(error);
  if (refusal !== null) throw refusal;
  return partsOf(error).map((part): replyPlans.DecodeError => {
    // Errors that one null is for may be at different places below it.
    const own = part instanceof GraphQLError ? part.path : undefined;
    const path = batchPath(visibleIn((own ?? error.path)?.slice(1) ?? [], plan), plan.batch);
    if (hasCode(part, SUBSCHEMA_ERROR)) {
      const upstream = part instanceof GraphQLError ? part.extensions['upstream'] : null;
      const refusal = upstreamRefusal(upstream);
      const { message } = part;
      const found = { code: SUBSCHEMA_ERROR, path, rule: '', message } as const;
      return refusal === null ? found : { ...found, upstream: refusal };
    }
    if (hasCode(part, FORBIDDEN)) return { code: FORBIDDEN, path, rule: 'withheld' };
    // Messages of graphql-js about values that break the schema contain them.
    return { code: 'UPSTREAM_SCHEMA_INVALID', path, rule: 'GraphQL' };
  });
}

/** Separates several errors of one place. */
function partsOf(error: GraphQLError): readonly Error[] {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof AggregateError)) continue;
    const parts = cause.errors.filter((part) => part instanceof Error);
    if (parts.length > 0) return parts;
  }
  return [error];
}

/** The path without its end that was selected for links only. */
function visibleIn(
  path: readonly (string | number)[],
  { links }: SubschemaPlan,
): readonly (string | number)[] {
  if (links === null) return path;
  const hidden = path.findIndex(
    (step) => typeof step === 'string' && step.startsWith(links.prefix),
  );
  return hidden === -1 ? path : path.slice(0, hidden);
}

const CAUSES_MAX = 8;

/** The error and its causes, outermost first. */
function* causesOf(error: unknown): Generator<unknown> {
  let at: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    yield at;
    const inner: unknown =
      at instanceof AggregateError ? at.errors[0] : at instanceof GraphQLError && at.originalError;
    at = inner || at.cause;
  }
}

function refusalIn(error: GraphQLError): Refusal | null {
  for (const cause of causesOf(error)) {
    if (cause instanceof Refusal) return cause;
  }
  return null;
}

function hasCode(error: Error, code: string): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof GraphQLError && cause.extensions['code'] === code) return true;
  }
  return false;
}
