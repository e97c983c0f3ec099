import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  Kind,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import { isRecord } from '../../../core/index.js';
import { DocumentRefusal, documentRefusal } from '../../errors.js';
import type { Variables } from '../../schema/output/reply-plan.js';
import type { ListSize } from '../../schema/types/cost-rules.js';
import type { ArgumentPrice } from './cost-table.js';

export interface SlicingRules {
  /** The most that a slicing argument may ask for. */
  readonly sliceItems: number;
}

/**
 * The length of a list by its slicing arguments: the largest of those in the document, in variables
 * or by default. Null without any. Throws `BAD_USER_INPUT` for a number that is not from 1 to
 * `sliceItems`, and where exactly one must be provided and is not.
 */
export function sliceOf(
  { slicingArguments, requireOneSlicingArgument }: ListSize,
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  { sliceItems }: SlicingRules,
): number | null {
  let largest: number | null = null;
  let count = 0;
  // An argument that a link fills is known only when it is called.
  let isRequired = requireOneSlicingArgument && slicingArguments.length > 0;
  for (const path of slicingArguments) {
    const [name = '', ...rest] = path.split('.');
    const argument = definition.args.find((each) => each.name === name);
    if (argument === undefined) {
      isRequired = false;
      continue;
    }
    const { value, isPresent } = argumentValueOf(argument, node, variables);
    const asked = amountsIn(value, rest);
    if (asked.length === 0) continue;
    if (isPresent) {
      count++;
    }
    for (const amount of asked) {
      if (amount === null || amount < 1 || amount > sliceItems) {
        throw inputError(node, `"${path}" must be a number from 1 to ${sliceItems}.`);
      }
      largest = Math.max(largest ?? 0, Math.ceil(amount));
    }
  }
  if (isRequired && (count > 1 || largest === null)) {
    const names = slicingArguments.map((path) => `"${path}"`).join(', ');
    const isMore = count > 1;
    const { code, errors } = inputError(
      node,
      isMore ? `Only one of ${names} can be provided.` : `One of ${names} must be provided.`,
    );
    const closed = inputError(
      node,
      isMore
        ? 'Only one argument can set the length of the list.'
        : 'One argument must set the length of the list.',
    );
    throw new DocumentRefusal(code, errors, {}, closed);
  }
  return largest;
}

/**
 * The rows that a paged field is asked for; null where it is one page. Throws `BAD_USER_INPUT` for
 * fewer than 0, and `MAX_PAGES_LIMIT` for more than so many pages hold.
 */
export function rowsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  pageSize: number,
  pagesMax: number,
): number | null {
  const argument = definition.args.find(({ name }) => name === 'first');
  const { value } =
    argument === undefined ? { value: null } : argumentValueOf(argument, node, variables);
  if (typeof value !== 'number') return null;
  if (value < 0) throw inputError(node, '"first" must not be negative.');
  if (value > pageSize * pagesMax) {
    const message =
      `"first" must be at most ${pageSize * pagesMax}: ` + `${pagesMax} pages of ${pageSize}.`;
    throw documentRefusal('MAX_PAGES_LIMIT', message, { nodes: [node] });
  }
  return value;
}

/** The variables that the arguments of a field take, whole or in parts. */
export function variablesIn(node: FieldNode): ReadonlySet<string> {
  const names = new Set<string>();
  const stack: ValueNode[] = (node.arguments ?? []).map(({ value }) => value);
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (value.kind === Kind.VARIABLE) {
      names.add(value.name.value);
    } else if (value.kind === Kind.LIST) {
      stack.push(...value.values);
    } else if (value.kind === Kind.OBJECT) {
      stack.push(...value.fields.map((field) => field.value));
    }
  }
  return names;
}

interface ArgumentValue {
  /** Undefined for an argument without a value. */
  readonly value: unknown;
  /** True if the client gives the value: it is not the default of the schema. */
  readonly isPresent: boolean;
}

/** The coerced value of an argument, as it will be sent. */
export function argumentValueOf(
  argument: GraphQLArgument,
  node: FieldNode,
  variables: Variables,
): ArgumentValue {
  const raw = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
  const isAbsent =
    raw === undefined || (raw.kind === Kind.VARIABLE && !Object.hasOwn(variables, raw.name.value));
  if (isAbsent) return { value: argument.defaultValue, isPresent: false };
  return { value: valueFromAST(raw, argument.type, variables), isPresent: true };
}

/** The cost of the arguments of a field, in points. */
export function argumentPoints(
  prices: readonly ArgumentPrice[],
  { args }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
): number {
  let points = 0;
  for (const { path, weight } of prices) {
    const [name, ...rest] = path;
    const argument = args.find((candidate) => candidate.name === name);
    const found = argument === undefined ? null : argumentValueOf(argument, node, variables);
    if (found?.isPresent === true) {
      points += weight * valuesAt(found.value, rest).length;
    }
  }
  return points;
}

/**
 * The numbers at a path in a value, through lists; null for what is no number. Null values are
 * none.
 */
function amountsIn(value: unknown, path: readonly string[]): readonly (number | null)[] {
  return valuesAt(value, path).map((found) => {
    const amount =
      typeof found === 'number' || typeof found === 'string' ? Number(found) : Number.NaN;
    return Number.isFinite(amount) ? amount : null;
  });
}

/** The values at a path, through lists, but no nulls. */
export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  let values = itemsOf(value);
  for (const step of path) {
    values = values.flatMap((holder) =>
      isRecord(holder) && Object.hasOwn(holder, step) ? itemsOf(holder[step]) : [],
    );
  }
  return values;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value)
    ? value.flat(10).filter((item) => item !== null && item !== undefined)
    : [value];
}

const inputError = (node: FieldNode, message: string): DocumentRefusal =>
  documentRefusal('BAD_USER_INPUT', message, { nodes: [node] });
