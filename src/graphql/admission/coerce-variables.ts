import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { requestEncoding } from '../../codec/index.js';
import { codedError, DocumentRefusal, type InputProblem, tooManyErrors } from '../errors.js';
import type { RawVariables, Variables } from '../schema/output/reply-plan.js';
import { describeUnknownField, enumHint } from './hints.js';

export interface VariableErrors {
  /** Errors listed; one more announces that there were others. */
  readonly max: number;
  /** Whether messages may reveal the schema. */
  readonly isOpen: boolean;
}

/**
 * Coerces the variables of an operation (GraphQL section 6.1.2). Throws `BAD_USER_INPUT`; messages
 * name the path and, where the schema may be known, the type, never the value.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  raw: RawVariables,
  { max, isOpen }: VariableErrors,
): Variables {
  const values: Record<string, unknown> = Object.create(null);
  const found = new VariableErrorList(max);
  try {
    for (const definition of operation.variableDefinitions ?? []) {
      const name = definition.variable.name.value;
      const type = typeFromAST(schema, definition.type);
      if (!isInputType(type)) continue;
      if (!Object.hasOwn(raw, name)) {
        if (definition.defaultValue !== undefined) {
          values[name] = valueFromAST(definition.defaultValue, type);
        } else if (isNonNullType(type)) {
          found.add(definition, [], null, () => ({
            at: `of type "${type}" `,
            rule: 'has no value',
            expected: null,
          }));
        }
        continue;
      }
      const onInvalid = (path: readonly (string | number)[], invalid: unknown): void =>
        found.add(definition, path, invalid, () =>
          isOpen ? ruleAt(type, [name], path, invalid) : closedRule([name, ...path]),
        );
      values[name] = coerceInputValue(raw[name], type, onInvalid, true);
    }
  } catch (caught) {
    if (caught !== ENOUGH) throw caught;
  }
  if (found.errors.length > 0) {
    const { problems } = found;
    throw new DocumentRefusal('BAD_USER_INPUT', found.errors, { problems });
  }
  return values;
}

/** Thrown when the list of errors is full: the remaining variables are not coerced. */
const ENOUGH = new Error('enough');

/** Findings above the listed errors, such as more of the same object, before coercion stops. */
const FURTHER_MAX = 30;

/** A rule, and in words where it is broken; '' at the variable itself. */
interface BrokenRule extends Pick<InputProblem, 'rule' | 'expected'> {
  readonly at: string;
}

/** Collects the errors of the variables. */
class VariableErrorList {
  readonly errors: GraphQLError[] = [];
  readonly problems: InputProblem[] = [];
  readonly #max: number;
  #last: unknown = null;
  #found = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws `ENOUGH` where the list is full. */
  add(
    definition: VariableDefinitionNode,
    path: readonly (string | number)[],
    invalid: unknown,
    what: () => BrokenRule,
  ): void {
    const isLast = ++this.#found === this.#max + FURTHER_MAX;
    // An object that lacks several fields is reported for each, and each report lists all of them.
    if (!isLast && typeof invalid === 'object' && invalid !== null && invalid === this.#last) {
      return;
    }
    this.#last = invalid;
    const isFull = isLast || this.errors.length === this.#max;
    if (isFull) {
      this.errors.push(tooManyErrors());
      throw ENOUGH;
    }
    const { at, rule, expected } = what();
    this.errors.push(diagnostic(definition, `${at}${rule}`));
    this.problems.push({ path: [definition.variable.name.value, ...path], rule, expected });
  }
}

const diagnostic = (definition: VariableDefinitionNode, what: string): GraphQLError =>
  codedError(
    'BAD_USER_INPUT',
    { nodes: [definition] },
    `Variable "$${definition.variable.name.value}" ${what}${what.endsWith('?') ? '' : '.'}`,
  );

const closedRule = (path: readonly (string | number)[]): BrokenRule => ({
  at: '',
  rule:
    path.length === 1
      ? 'has no valid value'
      : `has no valid value at "${requestEncoding.printErrorPath(path)}"`,
  expected: null,
});

function ruleAt(
  type: GraphQLInputType,
  root: readonly string[],
  path: readonly (string | number)[],
  invalid: unknown,
): BrokenRule {
  const at = path.length === 0 ? '' : `at "${requestEncoding.printErrorPath([...root, ...path])}" `;
  const broken = (rule: string, expected: GraphQLInputType | null = null): BrokenRule => ({
    at,
    rule,
    expected,
  });
  const expected = typeAt(type, path);
  const nullable = getNullableType(expected);
  if (isInputObjectType(nullable) && typeof invalid === 'object' && invalid !== null) {
    const lacking = Object.values(nullable.getFields())
      .filter((field) => isRequiredInputField(field) && !Object.hasOwn(invalid, field.name))
      .map((field) => `"${field.name}"`);
    if (lacking.length > 0) return broken(`lacks the required ${lacking.join(', ')}`);
    const unknown = Object.keys(invalid).find((name) => nullable.getFields()[name] === undefined);
    if (unknown !== undefined) return broken(`has ${describeUnknownField(nullable, unknown)}`);
    if (nullable.isOneOf) {
      return broken(`must have exactly one of the fields of type "${nullable.name}"`);
    }
    return broken(`must be a value of type "${nullable.name}"`);
  }
  return broken(`must be a value of type "${expected}"${enumHint(expected, invalid)}`, expected);
}

/** The type that is expected below `type`; list items may stand for lists of one. */
function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  let at: GraphQLInputType = type;
  for (const step of path) {
    let nullable: GraphQLInputType = getNullableType(at);
    if (typeof step === 'string') {
      while (isListType(nullable)) {
        nullable = getNullableType(nullable.ofType);
      }
      const field = isInputObjectType(nullable) ? nullable.getFields()[step] : undefined;
      if (field === undefined) return nullable;
      at = field.type;
    } else if (isListType(nullable)) {
      at = nullable.ofType;
    }
  }
  return at;
}
