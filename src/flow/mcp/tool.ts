import {
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql';
import { type DescribedOperation, namedOperations } from '../../graphql/index.js';

/** A tool as agents see it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: namedOperations.JsonSchema;
  readonly outputSchema?: namedOperations.JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The argument that selects fields, where the operation has none of that name. */
export const FIELDS_ARGUMENT = 'fields';

/** A longer schema of answers is left out: agents pay for each word of it. */
const OUTPUT_SCHEMA_CHARS_MAX = 8192;

const PREFIX = '#/$defs/';

/** The fields of its answer can be selected by an argument. */
export const takesFields = ({ field }: DescribedOperation): boolean =>
  isCompositeType(getNamedType(field.type)) &&
  !field.args.some(({ name }) => name === FIELDS_ARGUMENT);

/** Answers that are no objects are the member `result` of one. */
export const isWrapped = ({ field }: DescribedOperation): boolean =>
  isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type));

/** What a tool is, without its schemas. `isIdempotent`: calling it twice does no harm. */
export function toolHead(
  { field, service, name, isRead }: DescribedOperation,
  isIdempotent: boolean,
): Omit<Tool, 'inputSchema' | 'outputSchema'> {
  return {
    name: field.name,
    title: name,
    description: field.description ?? `${name} of ${service}.`,
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      idempotentHint: isRead || isIdempotent,
      openWorldHint: false,
    },
  };
}

/** Describes an operation as a tool, whole. */
export function toolOf(
  described: DescribedOperation,
  schema: GraphQLSchema,
  isIdempotent: boolean,
): Tool {
  const output = outputSchema(described, schema);
  const describer = inputDescriber(schema);
  return {
    ...toolHead(described, isIdempotent),
    inputSchema: withDefinitions(argumentsSchema(described, describer), describer),
    ...(JSON.stringify(output).length > OUTPUT_SCHEMA_CHARS_MAX ? {} : { outputSchema: output }),
  };
}

/** Describes arguments of tools, and the types of them. */
export const inputDescriber = (schema: GraphQLSchema): namedOperations.SchemaDescriber =>
  new namedOperations.SchemaDescriber(schema, PREFIX, { isExact: false });

/** The object of the arguments of a tool. */
export function argumentsSchema(
  described: DescribedOperation,
  describer: namedOperations.SchemaDescriber,
): namedOperations.JsonSchema {
  const { properties, ...object } = describer.arguments(described);
  const fields = takesFields(described) ? { [FIELDS_ARGUMENT]: FIELDS_SCHEMA } : {};
  return { ...object, properties: { ...Object(properties), ...fields } };
}

const FIELDS_SCHEMA: namedOperations.JsonSchema = {
  type: 'string',
  description:
    'The fields of the answer that are wanted, such as id,address/city. ' +
    'By default all but the deepest.',
};

function outputSchema(
  described: DescribedOperation,
  schema: GraphQLSchema,
): namedOperations.JsonSchema {
  const describer = new namedOperations.SchemaDescriber(schema, PREFIX, { isExact: false });
  const answer = describer.answer(described);
  if (isWrapped(described)) {
    return withDefinitions({ type: 'object', properties: { result: answer } }, describer);
  }
  const { [getNamedType(described.field.type).name]: own = {}, ...others } = describer.components();
  const isRecursive = JSON.stringify([own, others]).includes(
    `"${PREFIX}${getNamedType(described.field.type).name}"`,
  );
  const definitions = isRecursive ? describer.components() : others;
  const $defs = Object.keys(definitions).length === 0 ? {} : { $defs: definitions };
  return { ...own, type: 'object', ...$defs };
}

function withDefinitions(
  object: namedOperations.JsonSchema,
  describer: namedOperations.SchemaDescriber,
): namedOperations.JsonSchema {
  const $defs = describer.components();
  return Object.keys($defs).length === 0 ? object : { ...object, $defs };
}
