import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  Kind,
} from 'graphql';
import type { Decoded, ReplyReceiver } from '../../codec/index.js';
import { type CancelSignal, Refusal } from '../../core/index.js';
import type { Admitted } from '../admission/admit.js';
import { argumentValueOf } from '../admission/cost/cost-slicing.js';
import type { Spending } from '../admission/cost/spending.js';
import { codedError, decodeError, type ErrorPlace, fieldError, listed } from '../errors.js';
import type { GraphqlLimits } from '../limits.js';
import { isSubschemaField, type SendToSubschema } from '../schema/fields/subschema.js';
import type { LinkAsk } from '../schema/links/link-plan.js';
import { visible } from '../schema/links/link-walk.js';
import { argumentsOf, type CallArguments, hasVariables } from './arguments.js';
import type { EntityPlan } from './entity-plan.js';
import { answerEntities } from './entity-run.js';
import { ErrorList } from './error-list.js';
import {
  type CallField,
  type CallToCheck,
  type FieldCall,
  type PageOwner,
  RequestCalls,
} from './field-call.js';
import { completeErrors } from './field-errors.js';
import { introspectionAnswers } from './introspection-answers.js';
import { LinkRun } from './link-run.js';
import {
  type PlannedSchema,
  type RootCall,
  type RootField,
  type RootPlan,
  rootPlanOf,
} from './root-plan.js';
import { SubschemaRun } from './subschema-run.js';
import { WrittenItems } from './written-items.js';

export interface Execution {
  readonly built: PlannedSchema;
  readonly callField: CallField;
  /** Throws a `Refusal` where the call cannot be written; absent: that shows when it is made. */
  checkCall?(call: CallToCheck): void;
  /**
   * Names the caller for cursors of a field, which are for it alone; null or absent: they are for
   * all callers. A caller with several names gets the one for which `isOf` finds the cursor.
   */
  pageOwner?: PageOwner;
  /** Needed where a service speaks GraphQL. */
  readonly sendToSubschema?: SendToSubschema | null;
  /** Aborted when the client has gone: then no further call is made and `CLIENT_GONE` thrown. */
  readonly signal: CancelSignal;
  readonly limits: GraphqlLimits;
  /** Adds up the cost of the run. */
  readonly spending?: Spending | null;
  /**
   * Gets parts of the answer of the one field, where they can be handed out; null or absent where
   * they are kept.
   */
  readonly receiver?: ReplyReceiver | null;
  /** The result is sent as JSON text: fields of `data` may be `WrittenJson`. */
  readonly isText?: boolean;
  /** Records that a part of the operation is over a limit. */
  refused?(refusal: Refusal): void;
}

/**
 * Runs an admitted operation: fields of a query side by side, those of a mutation in order, each
 * with its links before the next. Answers of backends are put into the response as their plan made
 * them; graphql-js executes introspection.
 */
export async function executeOperation(
  admitted: Admitted,
  execution: Execution,
): Promise<ExecutionResult> {
  const { limits, callField, signal, refused, spending = null } = execution;
  const plan = rootPlanOf(admitted, execution.built);
  const { fields } = plan;
  const calls = new RequestCalls(
    callField,
    signal,
    (refusal) => refused?.(refusal),
    limits,
    spending,
    (bound, isOf) => execution.pageOwner?.(bound, isOf) ?? null,
  );
  const context = new OperationRun(admitted, plan, execution, calls);
  let answers: readonly Answer[];
  if (admitted.introspection > 0) {
    spending?.answered(admitted.introspection);
  }
  // The whole result is null: nothing is called for it.
  const isNull = fields.some((field) => field.isForbidden && field.isNonNull);
  if (isNull) {
    answers = fields.filter((field) => field.isForbidden).map(forbiddenAnswer);
  } else if (admitted.operation.operation === 'mutation') {
    answers = await answerInTurn(fields, context);
  } else {
    const [first, ...others] = fields;
    const isAlone = first !== undefined && others.length === 0;
    answers = isAlone
      ? [await answerField(first, context)]
      : await Promise.all(fields.map((field) => answerField(field, context)));
  }
  const errors: GraphQLError[] = [];
  let further = 0;
  let isFatal = false;
  for (const answer of answers) {
    errors.push(...answer.errors);
    further += answer.furtherErrors;
    isFatal ||= answer.isFatal;
  }
  const data = isFatal
    ? null
    : Object.fromEntries(answers.map((answer) => [answer.key, answer.value]));
  if (errors.length === 0) return { data };
  const { schema } = execution.built;
  return { data, errors: completeErrors(listed(errors, limits.errors, further), admitted, schema) };
}

/**
 * Answers the fields of a mutation. Nothing is sent where the arguments of one field cannot be
 * written.
 */
async function answerInTurn(
  fields: readonly RootField[],
  context: OperationRun,
): Promise<readonly Answer[]> {
  const invalid = invalidFields(fields, context);
  if (invalid.size > 0) {
    return fields.map((field) => ({
      key: field.key,
      value: null,
      errors: [invalid.get(field) ?? codedError('BAD_USER_INPUT', placeOf(field), NOT_SENT)],
      furtherErrors: 0,
      isFatal: field.call === null ? field.isNonNull : isNonNull(field.call),
    }));
  }
  const answers: Answer[] = [];
  for (const field of fields) {
    context.forgetLinks();
    const answer = await answerField(field, context);
    answers.push(answer);
    // The whole result is null: nothing further may have an effect.
    if (answer.isFatal) break;
  }
  return answers;
}

const NOT_SENT = 'Nothing was sent: an argument of another field has no valid value.';

/** The fields whose arguments cannot be written. A single field sends nothing then anyway. */
function invalidFields(
  fields: readonly RootField[],
  context: OperationRun,
): ReadonlyMap<RootField, GraphQLError> {
  const invalid = new Map<RootField, GraphQLError>();
  if (fields.length === 1) return invalid;
  for (const field of fields) {
    const ask = field.call?.ask;
    if (ask?.kind !== 'soap') continue;
    try {
      context.execution.checkCall?.(fieldCall(field, ask, context, null));
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      invalid.set(field, fieldError(caught, placeOf(field)));
    }
  }
  return invalid;
}

const placeOf = ({ key, nodes }: RootField): ErrorPlace => ({ nodes, path: [key] });

const isNonNull = ({ bound }: RootCall): boolean =>
  isSubschemaField(bound) ? bound.isNonNull : bound.reply.nonNull && bound.paging == null;

const rejectSubschema: SendToSubschema = () =>
  Promise.reject(new Error('a subschema without sendToSubschema'));

/**
 * The state that the fields of an operation share. That of links and subschemas is made for the
 * first of them.
 */
class OperationRun {
  readonly admitted: Admitted;
  readonly execution: Execution;
  readonly calls: RequestCalls;
  readonly #plan: RootPlan;
  #links: LinkRun | null = null;
  #subschemas: SubschemaRun | null = null;

  constructor(admitted: Admitted, plan: RootPlan, execution: Execution, calls: RequestCalls) {
    this.admitted = admitted;
    this.execution = execution;
    this.calls = calls;
    this.#plan = plan;
  }

  get root(): GraphQLObjectType {
    return this.#plan.root;
  }

  get links(): LinkRun {
    const { limits } = this.execution;
    this.#links ??= new LinkRun(
      this.#plan.links,
      this.admitted.variables,
      this.calls,
      this.subschemas,
      limits,
    );
    return this.#links;
  }

  get subschemas(): SubschemaRun {
    const { document, variables, params } = this.admitted;
    this.#subschemas ??= new SubschemaRun(this.execution.sendToSubschema ?? rejectSubschema, {
      fragments: document.fragments,
      variables,
      rawVariables: params.variables,
      select: this.#plan.select,
      rights: this.admitted.rights,
      maxErrors: this.execution.limits.errors,
    });
    return this.#subschemas;
  }

  /** Forgets all answers of links: a mutation may have changed them. */
  forgetLinks(): void {
    this.#links?.forget();
  }
}

interface Answer {
  readonly key: string;
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
  readonly furtherErrors: number;
  /** The field is null and may not be. */
  readonly isFatal: boolean;
}

function forbiddenAnswer(field: RootField): Answer {
  const errors = [codedError('FORBIDDEN', placeOf(field))];
  return { key: field.key, value: null, errors, furtherErrors: 0, isFatal: field.isNonNull };
}

async function answerField(field: RootField, context: OperationRun): Promise<Answer> {
  if (field.isForbidden) return forbiddenAnswer(field);
  const { call, entities = null } = field;
  if (call !== null) return answerCall(field, call, context);
  return entities === null ? answerHere(field, context) : entitiesAnswer(field, entities, context);
}

/** The objects of `_entities`, each of which costs a point for its key. */
async function entitiesAnswer(
  field: RootField,
  plan: EntityPlan,
  context: OperationRun,
): Promise<Answer> {
  const { admitted, execution, root, links } = context;
  const { key, nodes, name } = field;
  const definition = root.getFields()[name];
  const [node] = nodes;
  if (definition === undefined || node === undefined) throw new Error('admitted without a field');
  const errors = new ErrorList(execution.limits.errors);
  const { representations } = argumentsOf(definition, node, admitted.variables, null).arguments;
  const asked: readonly unknown[] = Array.isArray(representations) ? representations : [];
  execution.spending?.answered(asked.length);
  const value = await answerEntities(asked, plan, links, { key, nodes }, errors);
  return { key, value, errors: errors.errors, furtherErrors: errors.further, isFatal: false };
}

async function answerHere(field: RootField, context: OperationRun): Promise<Answer> {
  const answer = { key: field.key, errors: [], furtherErrors: 0, isFatal: false };
  if (field.name === '__typename') return { ...answer, value: context.root.name };
  return { ...answer, ...(await executeHere(field, context)) };
}

async function answerCall(
  field: RootField,
  call: RootCall,
  context: OperationRun,
): Promise<Answer> {
  const { execution, calls } = context;
  const { key } = field;
  const { walk } = call;
  const place = placeOf(field);
  const errors = new ErrorList(execution.limits.errors);
  calls.throwIfGone();
  try {
    const receiver = receiverFor(call, execution);
    const decoded = await decodedAnswer(field, call.ask, context, receiver);
    const value =
      (receiver instanceof WrittenItems ? receiver.listFor(decoded.value) : decoded.value) ?? null;
    // First, so that it is listed: it tells that a list is not whole.
    if (decoded.restFailure !== undefined) {
      errors.add(() => fieldError(decoded.restFailure, place));
    }
    for (const error of decoded.errors) {
      errors.add(() => decodeError({ ...error, path: visible(error.path) }, place));
    }
    errors.addFurther(decoded.furtherErrors);
    if (walk !== null) {
      await context.links.fill(value, walk, { parent: null, step: key }, errors);
    }
    const isFatal = isNonNull(call) && value === null;
    return { key, value, errors: errors.errors, furtherErrors: errors.further, isFatal };
  } catch (caught) {
    if (execution.signal.aborted) throw caught;
    return {
      key,
      value: null,
      errors: [fieldError(caught, place)],
      furtherErrors: 0,
      isFatal: isNonNull(call),
    };
  }
}

function decodedAnswer(
  field: RootField,
  ask: LinkAsk,
  context: OperationRun,
  receiver: ReplyReceiver | null,
): Promise<Decoded> {
  const { nodes, name } = field;
  const { admitted, root, calls } = context;
  const definition = root.getFields()[name];
  const node = nodes[0];
  if (ask.kind === 'subschema') {
    const { subschemas } = context;
    const answer = (): Promise<Decoded> => subschemas.answer(ask.plan, {});
    return calls.counted(
      answer,
      ask.plan.field.cost,
      subschemaArguments(definition, node, admitted),
      () => subschemas.takeCalls(),
    );
  }
  return calls.call(fieldCall(field, ask, context, receiver));
}

/** What gets parts of the answer while it is read; null where it is kept whole. */
function receiverFor(
  { ask, walk }: RootCall,
  { receiver = null, isText = false }: Execution,
): ReplyReceiver | null {
  // Links are filled in when the whole list is there.
  if (walk !== null) return null;
  const isWritten =
    isText && ask.kind === 'soap' && ask.pages == null && WrittenItems.fit(ask.reply);
  return isWritten ? new WrittenItems() : receiver;
}

/** The call of a field, its arguments coerced. Throws `BAD_USER_INPUT`. */
function fieldCall(
  field: RootField,
  { bound, reply: plan, pages = null }: SoapAsk,
  { admitted, root }: OperationRun,
  receiver: ReplyReceiver | null,
): FieldCall {
  const definition = root.getFields()[field.name];
  const node = field.nodes[0];
  if (definition === undefined || node === undefined) throw new Error('admitted without a field');
  let input = FIXED_ARGUMENTS.get(field) ?? null;
  if (input === null) {
    input = argumentsOf(definition, node, admitted.variables, bound.headersArgument);
    if (!hasVariables(node)) {
      FIXED_ARGUMENTS.set(field, input);
    }
  }
  return {
    bound,
    plan,
    pages,
    key: field.key,
    arguments: input.arguments,
    headers: input.headers,
    receiver,
  };
}

type SoapAsk = Extract<LinkAsk, { readonly kind: 'soap' }>;

/** The coerced arguments of planned fields, where they depend on no variable. */
const FIXED_ARGUMENTS = new WeakMap<RootField, CallArguments>();

/** The arguments of a subschema's field, for their cost: the upstream coerces them itself. */
function subschemaArguments(
  definition: GraphQLField<unknown, unknown> | undefined,
  node: FieldNode | undefined,
  { variables }: Admitted,
): Readonly<Record<string, unknown>> {
  const values = (definition?.args ?? []).flatMap((argument): [string, unknown][] => {
    const { value, isPresent } =
      node === undefined ? ABSENT : argumentValueOf(argument, node, variables);
    return isPresent ? [[argument.name, value]] : [];
  });
  return Object.fromEntries(values);
}

const ABSENT = { value: undefined, isPresent: false } as const;

/** `__schema`, `__type` and fields that are always null. */
async function executeHere(
  { key, name, nodes }: RootField,
  context: OperationRun,
): Promise<Pick<Answer, 'value' | 'errors'>> {
  const { admitted, execution } = context;
  const { operation, document, params } = admitted;
  const { schema } = execution.built;
  const narrowed: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } },
      ...document.fragments.values(),
    ],
  };
  if (name === '__schema' || name === '__type') {
    const answer = await introspectionAnswers(schema).answer(
      key,
      narrowed,
      params.variables,
      execution.signal,
    );
    return { value: answer.value, errors: answer.errors.map(masked) };
  }
  const { data, errors = [] } = await execute({
    schema,
    document: narrowed,
    variableValues: params.variables,
  });
  return { value: data?.[key] ?? null, errors: errors.map(masked) };
}

const masked = ({ nodes = [], path = [] }: GraphQLError): GraphQLError =>
  codedError('INTERNAL', { nodes, path });
