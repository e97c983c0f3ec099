import type { GraphQLResolveInfo } from 'graphql';

/** A field of Query or Mutation that another copy of `graphql` asks for. */
export interface AskedField {
  /** The response key. */
  readonly key: string;
  /** As that copy has coerced them: values of scalars are as the caller wrote them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly info: GraphQLResolveInfo;
}

/** The variables of an operation as that copy has coerced them. */
export function coercedVariables({
  variableValues,
}: GraphQLResolveInfo): Readonly<Record<string, unknown>> {
  const { coerced } = variableValues;
  // graphql 17 has them beside their sources. A variable of that name is no object of variables.
  return isNested(variableValues) && isObject(coerced) ? coerced : variableValues;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isNested = (values: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(values).length === 2 && isObject(values['sources']) && isObject(values['coerced']);
