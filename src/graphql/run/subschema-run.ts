import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, subscribe } from 'graphql';
import { Refusal } from '../../base/refusal.js';
import type { DecodeError } from '../../codec/plan/decode-error.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { subschemaPoints } from '../cost/cost-subschema.js';
import type { SendToSubschema, SubschemaPlan, SubschemaRequest } from '../fields/subschema.js';
import type { LinkSelect } from '../links/link-plan.js';
import type { Fragments, RawVariables, Variables } from '../output/reply-plan.js';
import { AnswerShaper } from '../subschema/answer-shaper.js';
import { batchAnswer, batchPath } from '../subschema/batch-answer.js';
import { readSubschemaReply, SUBSCHEMA_ERROR, type SubschemaResult } from '../subschema/read-reply.js';
import { isLost, type SubschemaSender } from '../subschema/wrap.js';

/** The request that a `SubschemaRun` answers. */
export interface SubschemaContext {
  readonly fragments: Fragments;
  readonly variables: Variables;
  /** Services coerce them again. */
  readonly rawVariables: RawVariables;
  readonly select: LinkSelect;
  readonly maxErrors: number;
}

/**
 * Asks services that speak GraphQL, for one request. It is the context that the wrapped schemas are executed with; what
 * fields of one service ask at the same time is sent as one operation.
 */
export class SubschemaRun {
  readonly #send: SendToSubschema;
  readonly #context: SubschemaContext;
  readonly #shaper: AnswerShaper;
  /** The response keys for which a service has answered null. */
  readonly #nulls = new Set<string>();
  /** By response key the list that a service has answered with; null where it has answered with several. */
  readonly #lists = new Map<string, readonly unknown[] | null>();
  #calls = 0;

  constructor(send: SendToSubschema, context: SubschemaContext) {
    this.#send = send;
    this.#context = context;
    this.#shaper = new AnswerShaper(context.fragments, context.variables, context.select);
  }

  /** Answers a field; `values` are its arguments that are not in the document. Rejects with a `Refusal`. */
  async answer(plan: SubschemaPlan, values: Readonly<Record<string, unknown>>): Promise<Decoded> {
    const { rawVariables, maxErrors } = this.#context;
    const variableValues: Record<string, unknown> = Object.create(null);
    for (const name of plan.variables) if (Object.hasOwn(rawVariables, name)) variableValues[name] = rawVariables[name];
    for (const [name, variable] of plan.argumentVariables) {
      if (Object.hasOwn(values, name)) variableValues[variable] = values[name];
    }
    const { wrapped, parent } = plan.field;
    const run = (contextValue: SubschemaSender): Promise<ExecutionResult> => {
      const args = { schema: wrapped, document: plan.document, variableValues, contextValue };
      return parent === 'Subscription' ? executeEvent(args) : Promise.resolve(execute(args));
    };
    const together = await run(this);
    const isAlone = together.errors?.some(isLostToOthers) === true;
    // Of another context: alone.
    const result = isAlone ? await run({ send: (request, keys) => this.send(request, keys) }) : together;
    const errors = (result.errors ?? []).flatMap((error) => errorsOf(error, plan));
    const value = this.#valueOf(result, plan);
    // What is of a type that the schema does not have is dropped without a word.
    const isLess = value === null ? !this.#nulls.has(plan.key) : this.#hasLostItems(value, plan);
    if (isLess && errors.length === 0) {
      errors.push({ code: 'UPSTREAM_SCHEMA_INVALID', path: [], rule: 'GraphQL' });
    }
    const listed = errors.slice(0, maxErrors);
    const points = subschemaPoints(plan, result.data?.[plan.key], this.#context.variables);
    const decoded = { value, errors: listed, furtherErrors: errors.length - listed.length, points };
    // An event has come by itself.
    return parent === 'Subscription' ? { ...decoded, calls: 0 } : decoded;
  }

  /** Calls that were made since it was asked last: what is asked together is one, of whoever is answered first. */
  takeCalls(): number {
    const calls = this.#calls;
    this.#calls = 0;
    return calls;
  }

  /** For the wrapped schemas. */
  async send(request: SubschemaRequest, keys: ReadonlySet<string>): Promise<SubschemaResult> {
    if (request.operation !== 'subscription') this.#calls++;
    const result = readSubschemaReply(await this.#send(request), keys, this.#context.maxErrors);
    if (result.data === null && request.operation === 'query' && keys.size > 1) return toldApart(result, keys);
    for (const key of keys) {
      const sent = result.data?.[key] ?? null;
      const own = key.replace(MERGED, '');
      if (sent === null) this.#nulls.add(own);
      if (Array.isArray(sent)) this.#lists.set(own, this.#lists.has(own) ? null : [...sent]);
    }
    return result;
  }

  #hasLostItems(value: unknown, { key, batch }: SubschemaPlan): boolean {
    return batch === null && Array.isArray(value) && isLost(this.#lists.get(key) ?? null, value);
  }

  #valueOf({ data }: ExecutionResult, plan: SubschemaPlan): unknown {
    const value = data?.[plan.key] ?? null;
    const { links, batch } = plan;
    const shaped = (part: unknown): unknown => (links === null ? part : this.#shaper.shape(part, links, plan));
    if (batch === null) return shaped(value);
    return batchAnswer(value, batch, (item) => {
      const { [batch.key]: _, ...visible } = item;
      return shaped(links === null ? visible : item);
    });
  }
}

/** Of a subscription one event is made into an answer: the stream that it is taken from has no other. */
async function executeEvent(args: ExecutionArgs): Promise<ExecutionResult> {
  const events = await subscribe(args);
  if (!(Symbol.asyncIterator in events)) return events;
  try {
    const event = await events.next();
    return event.done === true ? { data: null } : event.value;
  } catch (caught) {
    if (caught instanceof Refusal) throw caught;
    // What has not the shape of its type, as where fields are resolved.
    return { data: null, errors: [new GraphQLError('an event that is none', { originalError: asError(caught) })] };
  }
}

const asError = (caught: unknown): Error => (caught instanceof Error ? caught : new Error(String(caught)));

/** In front of the response keys of operations that were merged. */
const MERGED = /^_v\d+_/;

/**
 * One error takes the answers of all with it that were asked for in the same call, where its field may not be null: the
 * others are no errors of the service, they are asked for again.
 */
function toldApart(result: SubschemaResult, keys: ReadonlySet<string>): SubschemaResult {
  const { errors = [] } = result;
  const guilty = new Set(errors.flatMap(({ path }) => (path === undefined ? [] : [path[0]])));
  // The whole call failed.
  if (guilty.size === 0) return result;
  const lost = [...keys].filter((key) => !guilty.has(key));
  return { data: null, errors: [...errors.filter(({ path }) => path !== undefined), ...lost.map(lostToOthers)] };
}

const LOST_TO_OTHERS = 'LOST_TO_OTHERS';

const lostToOthers = (key: string): GraphQLError =>
  new GraphQLError('an answer that went with those of others', { path: [key], extensions: { code: LOST_TO_OTHERS } });

const isLostToOthers = (error: GraphQLError): boolean => hasCode(error, LOST_TO_OTHERS);

/** What went wrong at one place. A call that failed as a whole is thrown: there is nothing else to tell. */
function errorsOf(error: GraphQLError, plan: SubschemaPlan): readonly DecodeError[] {
  const refusal = refusalIn(error);
  if (refusal !== null) throw refusal;
  const path = batchPath(visibleIn(error.path?.slice(1) ?? [], plan), plan.batch);
  return partsOf(error).map((part): DecodeError => {
    if (hasCode(part, SUBSCHEMA_ERROR)) return { code: SUBSCHEMA_ERROR, path, rule: '', message: part.message };
    // What graphql-js says about values that break the schema tells them.
    return { code: 'UPSTREAM_SCHEMA_INVALID', path, rule: 'GraphQL' };
  });
}

/** Where several errors meet in one place they are told one by one. */
function partsOf(error: GraphQLError): readonly Error[] {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof AggregateError)) continue;
    const parts = cause.errors.filter((part) => part instanceof Error);
    if (parts.length > 0) return parts;
  }
  return [error];
}

/** What is asked for links only is no part of the response. */
function visibleIn(path: readonly (string | number)[], { links }: SubschemaPlan): readonly (string | number)[] {
  if (links === null) return path;
  const hidden = path.findIndex((step) => typeof step === 'string' && step.startsWith(links.prefix));
  return hidden === -1 ? path : path.slice(0, hidden);
}

const CAUSES_MAX = 8;

/** The errors that an error was made of, itself first. */
function* causesOf(error: unknown): Generator<unknown> {
  let at: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    yield at;
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : at instanceof GraphQLError && at.originalError;
    at = inner || at.cause;
  }
}

function refusalIn(error: GraphQLError): Refusal | null {
  for (const cause of causesOf(error)) if (cause instanceof Refusal) return cause;
  return null;
}

function hasCode(error: Error, code: string): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof GraphQLError && cause.extensions['code'] === code) return true;
  }
  return false;
}
