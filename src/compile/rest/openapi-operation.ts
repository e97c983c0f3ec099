import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import { type DescribedOperation, namedOperations, schemaDocs } from '../../graphql/index.js';
import {
  FIELDS_PARAMETER,
  isRequiredArgument,
  type PlannedOperation,
  queriedArguments,
} from './openapi-plan.js';
import type { RestRoute } from './rest-routes.js';

/** An operation of a path, and the component of its body. */
export interface PrintedOperation {
  readonly operation: namedOperations.JsonSchema;
  /** Null without a body. */
  readonly body: namedOperations.JsonSchema | null;
}

/** What references to components begin with. */
export const COMPONENTS = '#/components/schemas/';

/** Types of GraphQL have no name with a dot. */
export const PROBLEM = 'soapstone.Problem';

/** Parts of the document that operations depend on. */
export interface OperationFrame {
  readonly schema: GraphQLSchema;
  /** The header fields of idempotency keys, by service and operation. */
  readonly keyFields: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Describes an operation at one method of one path. */
export function printOperation(
  planned: PlannedOperation,
  describer: namedOperations.SchemaDescriber,
  { schema, keyFields }: OperationFrame,
): PrintedOperation {
  const { described, route, method, id, bodyName } = planned;
  const { field, name, service } = described;
  const selecting = fieldsParameter(described, schema);
  const inPath = argumentsInPath(route);
  const keyField = keyFields.get(service)?.get(name) ?? null;
  const example = schemaDocs.exampleOfOperation(described);
  const operation = {
    tags: [service],
    summary: name,
    ...(field.description == null ? {} : { description: field.description }),
    ...(field.deprecationReason == null ? {} : { deprecated: true }),
    operationId: id,
    parameters: [
      ...pathParameters(inPath, described, { describer, example }),
      ...(method === 'get' || method === 'delete'
        ? queryParameters(described, inPath, { describer, example })
        : []),
      ...(selecting === null ? [] : [selecting]),
      ...(keyField === null ? [] : [keyParameter(keyField)]),
    ],
    ...(bodyName === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `${COMPONENTS}${bodyName}` },
                example: withoutMembers(example, inPath),
              },
            },
          },
        }),
    responses: responsesOf(described, describer, keyField !== null),
  };
  if (bodyName === null) return { operation, body: null };
  const body =
    route === null ? describer.arguments(described) : bodyOfRoute(described, inPath, describer);
  return { operation, body };
}

const ANSWER = 'The answer of the operation.';
const LINES = 'application/x-ndjson';

export const PROBLEM_CONTENT = {
  'application/problem+json': { schema: { $ref: `${COMPONENTS}${PROBLEM}` } },
};

const FAILURES = Object.fromEntries(
  ['400', '401', '403', '413', '422', '429', '500', '502', '503', '504', 'default'].map(
    (status) => [status, { $ref: `#/components/responses/${PROBLEM}` }],
  ),
);

const KEY_FAILURES = {
  409: {
    description:
      'A request under the same idempotency key is under way, or its outcome is not known.',
    content: PROBLEM_CONTENT,
  },
  422: {
    description:
      'The idempotency key was used for another request, or the backend blames this one.',
    content: PROBLEM_CONTENT,
  },
};

const keyParameter = (name: string): namedOperations.JsonSchema => ({
  name,
  in: 'header',
  required: false,
  description:
    'A word of the caller for this call, such as a UUID: ' +
    'a request that comes again under it is not made again, but answered as the first one was.',
  schema: { type: 'string', maxLength: 255, pattern: '^[!-~]+$' },
});

const responsesOf = (
  described: DescribedOperation,
  describer: namedOperations.SchemaDescriber,
  isKeyed: boolean,
): namedOperations.JsonSchema => ({
  200: {
    // A media type of its own would take the type of the items from clients that are made of this.
    description: namedOperations.isListAnswer(described)
      ? `${ANSWER} With \`accept: ${LINES}\`, each item is a line of JSON.`
      : ANSWER,
    content: {
      'application/json': { schema: describer.answer(described) },
      ...(namedOperations.isBinaryAnswer(described)
        ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
        : {}),
    },
  },
  ...(namedOperations.isBinaryAnswer(described)
    ? { 204: { description: 'There are no bytes.' } }
    : {}),
  ...FAILURES,
  ...(isKeyed ? KEY_FAILURES : {}),
});

const argumentsInPath = (route: RestRoute | null): ReadonlySet<string> =>
  new Set(
    route?.segments.flatMap((each) => (typeof each === 'string' ? [] : [each.argument])) ?? [],
  );

function pathParameters(
  inPath: ReadonlySet<string>,
  described: DescribedOperation,
  { describer, example }: ParameterParts,
): readonly namedOperations.JsonSchema[] {
  if (inPath.size === 0) return [];
  const schemas = describer.argumentSchemas(described);
  return [...inPath].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.get(name) ?? {},
    ...exampleIn(example, name),
  }));
}

/** What parameters are described by. */
interface ParameterParts {
  readonly describer: namedOperations.SchemaDescriber;
  /** Arguments of the operation that it takes. */
  readonly example: namedOperations.JsonSchema;
}

const exampleIn = (
  example: namedOperations.JsonSchema,
  name: string,
): namedOperations.JsonSchema => (Object.hasOwn(example, name) ? { example: example[name] } : {});

/**
 * The arguments of an operation in the query, besides those of the path; none where it needs a
 * body.
 */
function queryParameters(
  described: DescribedOperation,
  inPath: ReadonlySet<string>,
  { describer, example }: ParameterParts,
): readonly namedOperations.JsonSchema[] {
  const schemas = describer.argumentSchemas(described);
  return (queriedArguments(described) ?? [])
    .filter(({ name }) => !inPath.has(name))
    .map((each) => ({
      ...parameterOf(each, schemas.get(each.name) ?? {}),
      ...exampleIn(example, each.name),
    }));
}

/** One argument: as it is, or an object by its members in brackets. */
function parameterOf(
  argument: GraphQLArgument,
  schema: namedOperations.JsonSchema,
): namedOperations.JsonSchema {
  const { name, type } = argument;
  const isList = isListType(getNullableType(type)) && !isInputObjectType(getNamedType(type));
  return {
    name,
    in: 'query',
    required: isRequiredArgument(argument) && !isEmptiable(argument),
    ...(isList ? LIST_STYLE : {}),
    ...(isInputObjectType(getNamedType(type)) ? OBJECT_STYLE : {}),
    schema,
  };
}

/** Whether an object without members is a value of the argument: a query has none of it then. */
function isEmptiable({ type }: GraphQLArgument): boolean {
  const own = getNullableType(type);
  const isPlainObject = isInputObjectType(own) && !own.isOneOf;
  return isPlainObject && !Object.values(own.getFields()).some(isRequiredInputField);
}

const LIST_STYLE = { style: 'form', explode: true };
const OBJECT_STYLE = { style: 'deepObject', explode: true };

/** The arguments that the path of a route does not have. */
function bodyOfRoute(
  described: DescribedOperation,
  inPath: ReadonlySet<string>,
  describer: namedOperations.SchemaDescriber,
): namedOperations.JsonSchema {
  const schemas = describer.argumentSchemas(described);
  const rest = described.field.args.filter(({ name }) => !inPath.has(name));
  return {
    type: 'object',
    properties: Object.fromEntries(rest.map(({ name }) => [name, schemas.get(name) ?? {}])),
    required: rest.filter(isRequiredArgument).map(({ name }) => name),
    additionalProperties: false,
  };
}

const withoutMembers = (
  members: namedOperations.JsonSchema,
  left: ReadonlySet<string>,
): namedOperations.JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !left.has(name)));

/** Fields that are listed. */
const LISTED_FIELDS_MAX = 200;

/** Levels of fields that are listed. */
const LISTED_LEVELS_MAX = 3;

/** The parameter that selects fields, with the names of those that most want. */
function fieldsParameter(
  { field }: DescribedOperation,
  schema: GraphQLSchema,
): namedOperations.JsonSchema | null {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return null;
  const paths: string[] = [];
  const open: {
    readonly type: GraphQLNamedType;
    readonly path: string;
    readonly levels: number;
  }[] = [{ type, path: '', levels: 0 }];
  for (
    let at = open.shift();
    at !== undefined && paths.length <= LISTED_FIELDS_MAX;
    at = open.shift()
  ) {
    for (const [name, below] of namedOperations.fieldTypes(at.type, schema)) {
      const path = `${at.path}${name}`;
      paths.push(path);
      if (at.levels + 1 < LISTED_LEVELS_MAX) {
        open.push({ type: below, path: `${path}/`, levels: at.levels + 1 });
      }
    }
  }
  const items =
    paths.length > LISTED_FIELDS_MAX
      ? { type: 'string' }
      : { type: 'string', enum: [...new Set(paths)] };
  return {
    name: FIELDS_PARAMETER,
    in: 'query',
    description:
      'The fields of the answer that are wanted, such as `id,address/city`. ' +
      'By default all but the deepest.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items },
  };
}
