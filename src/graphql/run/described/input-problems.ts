import {
  coerceInputValue,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
} from 'graphql';
import { InputError } from '../../../codec/index.js';
import { isRecord, spelling } from '../../../core/index.js';
import { readDocument } from '../../admission/admit.js';
import { coerceVariables } from '../../admission/coerce-variables.js';
import { DocumentRefusal, type InputProblem } from '../../errors.js';
import type { RawVariables } from '../../schema/output/reply-plan.js';
import { contractValue } from '../../schema/types/contract-value.js';
import type { OperationHost, Operations } from '../operations/operation.js';
import type { DescribedOperation } from './described-operation.js';

/** A problem as callers see it. */
export interface PrintedProblem {
  /** RFC 6901. */
  readonly pointer: string;
  readonly detail: string;
}

/** The arguments of a call, and the document that takes them as variables. */
export interface CheckedInput {
  readonly described: DescribedOperation;
  readonly values: RawVariables;
  readonly query: string;
}

/** Whether an argument is given that the operation has not. */
export const hasUnknownArguments = ({ field }: DescribedOperation, values: RawVariables): boolean =>
  Object.keys(values).some((name) => !field.args.some((argument) => argument.name === name));

/**
 * Finds all that is wrong with the arguments of a call: names, types, and what the types on the
 * wire demand of those arguments whose values are of the right type. Sends nothing.
 */
export function inputProblems(
  input: CheckedInput,
  operations: Operations,
  host: Pick<OperationHost, 'checkCall'>,
): readonly PrintedProblem[] {
  const { errors: max } = operations.limits;
  const isOpen = operations.admission.introspection;
  const problems = [
    ...unknownArguments(input),
    ...typeProblems(input, operations),
    ...writeProblems(input, host),
  ];
  if (isOpen) return problems.slice(0, max).map(printProblem);
  // Callers who may not know the schema are told of the arguments that they gave.
  const given = problems.map(({ path: [name = ''] }) =>
    Object.hasOwn(input.values, name) ? [name] : [],
  );
  const pointers = [...new Set(given.map(pointerOf))].slice(0, max);
  return pointers.map((pointer) => ({ pointer, detail: 'has no valid value' }));
}

function unknownArguments({ described, values }: CheckedInput): readonly InputProblem[] {
  const names = described.field.args.map(({ name }) => name);
  return Object.keys(values)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = spelling.nearest(name, names);
      const hint = near === null ? '' : `: did you mean "${near}"?`;
      return { path: [name], rule: `is no argument of the operation${hint}`, expected: null };
    });
}

function typeProblems(
  { values, query }: CheckedInput,
  { built, limits, ownAdmission }: Operations,
): readonly InputProblem[] {
  const [operation] = readDocument(query, ownAdmission).document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [];
  try {
    coerceVariables(built.schema, operation, values, { max: limits.errors, isOpen: true });
    return [];
  } catch (caught) {
    if (caught instanceof DocumentRefusal) return caught.problems;
    throw caught;
  }
}

/**
 * What the types on the wire demand. Where arguments are left out for their types, what is about
 * these is not reported.
 */
function writeProblems(
  { described, values }: CheckedInput,
  host: Pick<OperationHost, 'checkCall'>,
): readonly InputProblem[] {
  const { field, bound } = described;
  const { headersArgument } = bound;
  const coerced: Record<string, unknown> = Object.create(null);
  const invalid = new Set<string | number | undefined>();
  for (const { name, type, defaultValue } of field.args) {
    if (!Object.hasOwn(values, name)) {
      if (defaultValue !== undefined) {
        coerced[name] = defaultValue;
      } else if (isNonNullType(type)) {
        invalid.add(name);
      }
      continue;
    }
    coerced[name] = coerceInputValue(values[name], type, () => invalid.add(name));
  }
  for (const name of invalid) {
    delete coerced[String(name)];
  }
  const headers = headersArgument === null ? {} : coerced[headersArgument];
  if (headersArgument !== null) {
    delete coerced[headersArgument];
  }
  try {
    host.checkCall?.({ bound, arguments: coerced, headers: isRecord(headers) ? headers : {} });
    return [];
  } catch (caught) {
    if (!(caught instanceof InputError)) throw caught;
    const problems = [caught, ...caught.further].map((error): InputProblem => {
      const isHeader = error.path[0] === 'headers' && headersArgument !== null;
      const path = isHeader ? [headersArgument, ...error.path.slice(1)] : error.path.slice(1);
      return { path, rule: error.rule, expected: null };
    });
    return problems.filter(
      ({ path }) => invalid.size === 0 || (path.length > 0 && !invalid.has(path[0])),
    );
  }
}

const printProblem = ({ path, rule, expected }: InputProblem): PrintedProblem => ({
  pointer: pointerOf(path),
  detail: expected === null ? rule : `must be ${expectedInWords(expected)}`,
});

export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Values of an enumeration that are listed. */
const VALUES_SHOWN = 20;

function expectedInWords(type: GraphQLInputType): string {
  if (isNonNullType(type)) return expectedInWords(type.ofType);
  if (isListType(type)) {
    return `a list, each ${expectedInWords(type.ofType).replace(/^an? /, 'item ')}`;
  }
  if (isInputObjectType(type)) return 'an object';
  if (!isEnumType(type)) return WORDS.get(type.name) ?? `a value of type ${type.name}`;
  const names = type.getValues().map(contractValue);
  const listed = names.slice(0, VALUES_SHOWN).join(', ');
  return `one of ${listed}${names.length > VALUES_SHOWN ? ' and others' : ''}`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['Int', 'a whole number of 32 bits'],
  ['Float', 'a number'],
  ['String', 'a string'],
  ['ID', 'a string'],
  ['Boolean', 'true or false'],
]);

/** A problem as a sentence. Some rules have a subject of their own: `exactly one must be ...`. */
export function problemSentence({ pointer, detail }: PrintedProblem, owner: string): string {
  if (/^(?:must|is|has|may) /.test(detail)) {
    return asSentence(`${pointer === '' ? owner : pointer} ${detail}`);
  }
  return asSentence(
    pointer === '' ? detail.charAt(0).toUpperCase() + detail.slice(1) : `${pointer}: ${detail}`,
  );
}

/** Some texts end with a question. */
export const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`);
