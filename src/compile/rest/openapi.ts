import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { packageVersion } from '../../base/package-folder.js';
import type { Config } from '../../config/schema.js';
import { isBinaryAnswer, isListAnswer } from '../../graphql/described/answer-kind.js';
import { fieldTypes } from '../../graphql/described/chosen-fields.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import type { JsonSchema } from '../../graphql/described/json-schema.js';
import { SchemaDescriber } from '../../graphql/described/schema-describer.js';
import type { RestRoute } from './rest-routes.js';

/** A document of OpenAPI 3.1. */
export type OpenApi = Readonly<Record<string, unknown>>;

/** Parts of the document that are the same for all clients. */
export interface OpenApiFrame {
  readonly schema: GraphQLSchema;
  readonly servers: readonly { readonly url: string }[];
  /** Ways to identify a client, by name; empty where callers need none. */
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

/** The parameter that selects fields of the answer. */
const FIELDS_PARAMETER = 'fields';

/** Parameters of one query. More are sent as a body. */
const PARAMETERS_MAX = 50;

export function openApiFrame(schema: GraphQLSchema, { clients, publicUrl }: Config): OpenApiFrame {
  const { apiKeys, basic, jwt, introspection, certificate } = clients ?? {};
  const bearer = jwt ?? introspection;
  const securitySchemes: Record<string, JsonSchema> = {
    ...(apiKeys === undefined
      ? {}
      : { apiKey: { type: 'apiKey', in: 'header', name: apiKeys.header } }),
    ...(basic === undefined ? {} : { basic: { type: 'http', scheme: 'basic' } }),
    ...(bearer === undefined ? {} : { bearer: { type: 'http', scheme: 'bearer' } }),
    ...(certificate === undefined ? {} : { certificate: { type: 'mutualTLS' } }),
  };
  return { schema, servers: [{ url: publicUrl?.replace(/\/+$/, '') || '/' }], securitySchemes };
}

/** An operation of a path, as far as it is written again for another one. */
interface PrintedOperation {
  readonly operationId: string;
  readonly parameters: readonly object[];
  /** What a request holds; absent: nothing. */
  readonly requestBody?: RequestBody;
}

interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<'application/json', { readonly schema: JsonSchema }>>;
}

/** Describes operations by their paths. */
export function printOpenApi(
  { schema, servers, securitySchemes }: OpenApiFrame,
  operations: ReadonlyMap<string, DescribedOperation>,
  routes: readonly RestRoute[] = [],
): OpenApi {
  const describer = new SchemaDescriber(schema, '#/components/schemas/', { isExact: true });
  const ids = new Set<string>();
  const paths: Record<string, Readonly<Record<string, PrintedOperation>>> = {};
  const services = new Set<string>();
  for (const [path, described] of operations) {
    services.add(described.service);
    paths[path] = printPath(described, describer, { ids, schema });
  }
  for (const route of routes) {
    services.add(route.described.service);
    const known = paths[route.template] ?? {};
    paths[route.template] = {
      ...known,
      [route.method.toLowerCase()]: printRoute(route, describer, { ids, schema }),
    };
  }
  const bodies = new Map<string, JsonSchema>();
  for (const [path, operationsOfPath] of Object.entries(paths))
    paths[path] = withNamedBodies(operationsOfPath, bodies);
  return {
    openapi: '3.1.0',
    info: {
      title: [...services].join(', ') || 'Soapstone',
      version: packageVersion(),
      description: 'Operations of SOAP services as JSON. Errors are problem details (RFC 9457).',
    },
    servers,
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...services].map((name) => ({
      name,
      description: `Operations of the service ${name}.`,
    })),
    paths,
    components: {
      schemas: {
        ...describer.components(),
        ...Object.fromEntries(bodies),
        [PROBLEM]: PROBLEM_SCHEMA,
      },
      responses: { [PROBLEM]: PROBLEM_RESPONSE },
      ...(Object.keys(securitySchemes).length === 0 ? {} : { securitySchemes }),
    },
  };
}

/** Operations whose bodies have names, which makers of clients take for their types. */
const withNamedBodies = (
  operations: Readonly<Record<string, PrintedOperation>>,
  bodies: Map<string, JsonSchema>,
): Readonly<Record<string, PrintedOperation>> =>
  Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => {
      const { operationId, requestBody } = operation;
      if (requestBody === undefined) return [method, operation];
      const short = `${operationId.replace(/^post_/, '')}.Arguments`;
      const name = bodies.has(short) ? `${operationId}.Arguments` : short;
      bodies.set(name, requestBody.content['application/json'].schema);
      const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
      return [method, { ...operation, requestBody: { ...requestBody, content } }];
    }),
  );

/** Types of GraphQL have no name with a dot. */
const PROBLEM = 'soapstone.Problem';

const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong; of a Fault its string.' },
    code: { type: 'string', description: 'A code of the closed table of refusals.' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON pointer of an argument.' },
          parameter: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
    fault: { type: 'object', description: 'The parts of a Fault of the backend.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
};

const PROBLEM_RESPONSE = {
  description: 'The request was refused, or the backend failed.',
  content: { 'application/problem+json': { schema: { $ref: `#/components/schemas/${PROBLEM}` } } },
};

function printPath(
  described: DescribedOperation,
  describer: SchemaDescriber,
  { ids, schema }: { readonly ids: Set<string>; readonly schema: GraphQLSchema },
): { readonly get?: PrintedOperation; readonly post: PrintedOperation } {
  const { field, name, service, isRead } = described;
  const parameters = isRead ? queryParameters(described, describer) : null;
  const body = describer.arguments(described);
  const about = {
    tags: [service],
    summary: name,
    ...(field.description == null ? {} : { description: field.description }),
    ...(field.deprecationReason == null ? {} : { deprecated: true }),
  };
  const responses = {
    200: {
      // A media type of its own would take the type of the items from clients that are made of this.
      description: isListAnswer(described)
        ? `${ANSWER} With \`accept: ${LINES}\`, each item is a line of JSON.`
        : ANSWER,
      content: {
        'application/json': { schema: describer.answer(described) },
        ...(isBinaryAnswer(described)
          ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
          : {}),
      },
    },
    ...(isBinaryAnswer(described) ? { 204: { description: 'There are no bytes.' } } : {}),
    ...Object.fromEntries(
      ['400', '401', '403', '413', '422', '429', '500', '502', '503', '504', 'default'].map(
        (status) => [status, { $ref: `#/components/responses/${PROBLEM}` }],
      ),
    ),
  };
  const selecting = fieldsParameter(described, schema);
  const fields = selecting === null ? [] : [selecting];
  const post = {
    ...about,
    operationId: freshId(parameters === null ? field.name : `post_${field.name}`, ids),
    parameters: fields,
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses,
  };
  if (parameters === null) return { post };
  const get = {
    ...about,
    operationId: freshId(field.name, ids),
    parameters: [...parameters, ...fields],
    responses,
  };
  return { get, post };
}

const ANSWER = 'The answer of the operation.';
const LINES = 'application/x-ndjson';

/** An operation at its own method and path: arguments in the path, the others in the query or the body. */
function printRoute(
  route: RestRoute,
  describer: SchemaDescriber,
  { ids, schema }: { readonly ids: Set<string>; readonly schema: GraphQLSchema },
): PrintedOperation {
  const { described, method } = route;
  const schemas = describer.argumentSchemas(described);
  const inPath = new Set(
    route.segments.flatMap((each) => (typeof each === 'string' ? [] : [each.argument])),
  );
  const parameters: object[] = [...inPath].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.get(name) ?? {},
  }));
  const rest = described.field.args.filter(({ name }) => !inPath.has(name));
  const printed = printPath(described, describer, { ids, schema });
  const base = 'get' in printed && method === 'GET' ? printed.get : printed.post;
  const own = base.parameters.filter((each) => !('name' in each) || !inPath.has(String(each.name)));
  const { requestBody: _all, ...about } = { requestBody: null, ...base };
  if (method === 'GET') return { ...about, parameters: [...parameters, ...own] };
  if (method === 'DELETE') {
    const asked = (queryParameters(described, describer) ?? []).filter(
      ({ name }) => !inPath.has(name),
    );
    return { ...about, parameters: [...parameters, ...asked, ...own] };
  }
  const content = {
    type: 'object',
    properties: Object.fromEntries(rest.map(({ name }) => [name, schemas.get(name) ?? {}])),
    required: rest
      .filter((each) => isNonNullType(each.type) && each.defaultValue === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
  };
  const requestBody = { required: true, content: { 'application/json': { schema: content } } };
  return { ...about, parameters: [...parameters, ...own], requestBody };
}

/** A query and a mutation may have one name. */
function freshId(name: string, ids: Set<string>): string {
  let id = name;
  for (let at = 2; ids.has(id); at++) id = `${name}_${at}`;
  ids.add(id);
  return id;
}

/** A parameter of a query, as OpenAPI describes it. */
interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

/** The arguments of an operation as parameters of a query; null where they need a body. */
function queryParameters(
  described: DescribedOperation,
  describer: SchemaDescriber,
): readonly QueryParameter[] | null {
  const { args } = described.field;
  if (args.some(({ name }) => name === FIELDS_PARAMETER)) return null;
  const schemas = describer.argumentSchemas(described);
  const found: QueryParameter[] = [];
  for (const each of args) {
    const parameter = parameterOf(each, schemas.get(each.name) ?? {});
    if (parameter !== null) found.push(parameter);
    else if (isNonNullType(each.type) && each.defaultValue === undefined) return null;
  }
  return found.length > PARAMETERS_MAX ? null : found;
}

/** One argument: as it is, or an object by its members in brackets. Null where a query cannot have it. */
function parameterOf(
  { name, type, defaultValue }: GraphQLArgument,
  schema: JsonSchema,
): QueryParameter | null {
  const nullable = getNullableType(type);
  const named = getNamedType(type);
  const about = {
    name,
    in: 'query' as const,
    required: isNonNullType(type) && defaultValue === undefined,
  };
  if (!isInputObjectType(named))
    return { ...about, ...(isListType(nullable) ? LIST_STYLE : {}), schema };
  const isFlat = Object.values(named.getFields()).every((member) =>
    isLeafType(getNullableType(member.type)),
  );
  return isListType(nullable) || !isFlat ? null : { ...about, ...OBJECT_STYLE, schema };
}

const LIST_STYLE = { style: 'form', explode: true };
const OBJECT_STYLE = { style: 'deepObject', explode: true };

/** Fields that are listed. */
const LISTED_FIELDS_MAX = 200;

/** Levels of fields that are listed. */
const LISTED_LEVELS_MAX = 3;

/** The parameter that selects fields, with the names of those that most want. */
function fieldsParameter({ field }: DescribedOperation, schema: GraphQLSchema): object | null {
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
    for (const [name, below] of fieldTypes(at.type, schema)) {
      const path = `${at.path}${name}`;
      paths.push(path);
      if (at.levels + 1 < LISTED_LEVELS_MAX)
        open.push({ type: below, path: `${path}/`, levels: at.levels + 1 });
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
      'The fields of the answer that are wanted, such as `id,address/city`. By default all but the deepest.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items },
  };
}
