import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  getArgumentValues,
  Kind,
} from 'graphql';
import { Refusal } from '../base/refusal.js';
import type { Decoded, ReplyPlan } from '../codec/plan.js';
import type { Admitted } from './admit.js';
import type { Maker } from './documents.js';
import { codedError, decodeError, fieldError, listed } from './errors.js';
import { collectFields, planReply } from './plan.js';
import type { BoundField, BuiltSchema } from './schema.js';

/** One field of the root that a backend answers. */
export interface FieldCall {
  readonly bound: BoundField;
  /** By argument name, coerced by the schema; the encoder checks them against the types on the wire. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The header blocks' argument, {} if not given. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly plan: ReplyPlan;
}

/** Answers a field, or rejects with a `Refusal`. The value is taken as it is: its plan has given it its shape. */
export type CallField = (call: FieldCall) => Promise<Decoded>;

export interface Execution {
  readonly built: Pick<BuiltSchema, 'schema' | 'fields'>;
  readonly callField: CallField;
  /** Aborted when nobody waits for the answer any more: then no further call is made and `CLIENT_GONE` thrown. */
  readonly signal: AbortSignal;
  /** Errors listed in the answer. */
  readonly maxErrors: number;
}

/**
 * Runs an admitted operation: fields of a query side by side, those of a mutation in order. Fields that a backend
 * answers are put into the response as their plan made them; introspection is executed by graphql-js.
 */
export async function executeOperation(admitted: Admitted, execution: Execution): Promise<ExecutionResult> {
  const { operation, document } = admitted;
  const root = execution.built.schema.getRootType(operation.operation);
  if (!root) throw new Error('admitted without a root type');
  const fields = document.remember(operation, ROOT, () => new RootPlan(planRoot(admitted, root, execution))).fields;
  const answers: Answer[] = [];
  if (operation.operation === 'mutation') {
    for (const field of fields) {
      const answer = await answerField(field, admitted, root, execution);
      answers.push(answer);
      // The whole result is null: nothing further may have an effect.
      if (answer.isFatal) break;
    }
  } else {
    answers.push(...(await Promise.all(fields.map((field) => answerField(field, admitted, root, execution)))));
  }
  const errors = answers.flatMap((answer) => answer.errors);
  const further = answers.reduce((sum, answer) => sum + answer.furtherErrors, 0);
  const data = answers.some((answer) => answer.isFatal)
    ? null
    : Object.fromEntries(answers.map((answer) => [answer.key, answer.value]));
  return errors.length === 0 ? { data } : { data, errors: listed(errors, execution.maxErrors, further) };
}

interface RootField {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly name: string;
  /** Null where no backend answers. */
  readonly bound: BoundField | null;
  readonly plan: ReplyPlan | null;
}

class RootPlan {
  readonly fields: readonly RootField[];

  constructor(fields: readonly RootField[]) {
    this.fields = fields;
  }
}

const ROOT: Maker<RootPlan> = { holds: (value): value is RootPlan => value instanceof RootPlan };

function planRoot(admitted: Admitted, root: GraphQLObjectType, { built }: Execution): readonly RootField[] {
  const { operation, variables } = admitted;
  const { fragments } = admitted.document;
  const isRoot = (condition: string): boolean => condition === root.name;
  const collected = collectFields([operation.selectionSet], isRoot, fragments, variables);
  return [...collected].map(([key, nodes]): RootField => {
    const name = nodes[0]?.name.value ?? '';
    const bound = built.fields.get(`${root.name}.${name}`) ?? null;
    return { key, nodes, name, bound, plan: bound && planReply(bound.reply, nodes, fragments, variables) };
  });
}

interface Answer {
  readonly key: string;
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
  readonly furtherErrors: number;
  /** The field is null and may not be. */
  readonly isFatal: boolean;
}

async function answerField(
  field: RootField,
  admitted: Admitted,
  root: GraphQLObjectType,
  execution: Execution,
): Promise<Answer> {
  const { key, nodes, bound, plan } = field;
  const answer = { key, furtherErrors: 0, isFatal: false };
  if (field.name === '__typename') return { ...answer, value: root.name, errors: [] };
  if (bound === null || plan === null) {
    const { data, errors = [] } = await executeHere(field, admitted, execution);
    return { ...answer, value: data?.[key] ?? null, errors };
  }
  if (execution.signal.aborted) throw new Refusal('CLIENT_GONE');
  const place = { nodes, path: [key] };
  const isNonNull = bound.reply.nonNull;
  try {
    const decoded = await execution.callField({ bound, plan, ...argumentsOf(bound, field, admitted, root) });
    const value = decoded.value ?? null;
    const errors = decoded.errors.map((error) => decodeError(error, place));
    return { ...answer, value, errors, furtherErrors: decoded.furtherErrors, isFatal: isNonNull && value === null };
  } catch (caught) {
    if (execution.signal.aborted) throw caught;
    return { ...answer, value: null, errors: [fieldError(caught, place)], isFatal: isNonNull };
  }
}

function argumentsOf(
  bound: BoundField,
  { nodes, name }: RootField,
  { variables }: Admitted,
  root: GraphQLObjectType,
): Pick<FieldCall, 'arguments' | 'headers'> {
  const definition = root.getFields()[name];
  const node = nodes[0];
  if (definition === undefined || node === undefined) throw new Error('admitted without a field');
  const given = argumentValues(definition, node, variables);
  if (bound.headersArgument === null) return { arguments: given, headers: {} };
  const { [bound.headersArgument]: headers, ...others } = given;
  return { arguments: others, headers: isRecord(headers) ? headers : {} };
}

/** graphql-js would tell the value back that a variable has put where it may not stand. */
function argumentValues(...given: Parameters<typeof getArgumentValues>): Record<string, unknown> {
  try {
    return getArgumentValues(...given);
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refusal('BAD_USER_INPUT', 'argument', { cause: error });
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** `__schema`, `__type` and fields that are always null. */
async function executeHere(
  { nodes }: RootField,
  { operation, document, params }: Admitted,
  { built }: Execution,
): Promise<ExecutionResult> {
  const narrowed: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } },
      ...document.fragments.values(),
    ],
  };
  const { schema } = built;
  const { data, errors = [] } = await execute({ schema, document: narrowed, variableValues: params.variables });
  const masked = errors.map((error) => codedError('INTERNAL', { nodes: error.nodes ?? [], path: error.path ?? [] }));
  return masked.length === 0 ? { data: data ?? null } : { data: data ?? null, errors: masked };
}
