import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { packageVersion } from '../../base/package-folder.js';
import type { Config } from '../../config/schema.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import type { JsonSchema } from '../../graphql/described/json-schema.js';
import { SchemaDescriber } from '../../graphql/described/schema-describer.js';

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

/** Levels of objects that parameters of a query reach. */
const LEVELS_MAX = 4;

/** Parameters of one query. More are sent as a body. */
const PARAMETERS_MAX = 50;

export function openApiFrame(schema: GraphQLSchema, { clients, publicUrl }: Config): OpenApiFrame {
  const { apiKeys, basic, jwt, introspection, certificate } = clients ?? {};
  const bearer = jwt ?? introspection;
  const securitySchemes: Record<string, JsonSchema> = {
    ...(apiKeys === undefined ? {} : { apiKey: { type: 'apiKey', in: 'header', name: apiKeys.header } }),
    ...(basic === undefined ? {} : { basic: { type: 'http', scheme: 'basic' } }),
    ...(bearer === undefined ? {} : { bearer: { type: 'http', scheme: 'bearer' } }),
    ...(certificate === undefined ? {} : { certificate: { type: 'mutualTLS' } }),
  };
  return { schema, servers: [{ url: publicUrl?.replace(/\/+$/, '') || '/' }], securitySchemes };
}

/** Describes operations by their paths. */
export function printOpenApi(
  { schema, servers, securitySchemes }: OpenApiFrame,
  operations: ReadonlyMap<string, DescribedOperation>,
): OpenApi {
  const describer = new SchemaDescriber(schema, '#/components/schemas/');
  const ids = new Set<string>();
  const paths: Record<string, unknown> = {};
  const services = new Set<string>();
  for (const [path, described] of operations) {
    services.add(described.service);
    paths[path] = printPath(described, describer, ids);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: [...services].join(', ') || 'Soapstone',
      version: packageVersion(),
      description: 'Operations of SOAP services as JSON. Errors are problem details (RFC 9457).',
    },
    servers,
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...services].map((name) => ({ name, description: `Operations of the service ${name}.` })),
    paths,
    components: {
      schemas: { ...describer.components(), [PROBLEM]: PROBLEM_SCHEMA },
      responses: { [PROBLEM]: PROBLEM_RESPONSE },
      parameters: { [FIELDS_PARAMETER]: FIELDS_SCHEMA },
      ...(Object.keys(securitySchemes).length === 0 ? {} : { securitySchemes }),
    },
  };
}

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

const FIELDS_SCHEMA = {
  name: FIELDS_PARAMETER,
  in: 'query',
  description: 'The fields of the answer that are wanted, such as `id,address/city`. By default all but the deepest.',
  schema: { type: 'string' },
};

function printPath(described: DescribedOperation, describer: SchemaDescriber, ids: Set<string>): object {
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
      description: 'The answer of the operation.',
      content: { 'application/json': { schema: describer.answer(described) } },
    },
    ...Object.fromEntries(
      ['400', '401', '403', '413', '422', '429', '500', '502', '503', '504', 'default'].map((status) => [
        status,
        { $ref: `#/components/responses/${PROBLEM}` },
      ]),
    ),
  };
  const fields = { $ref: `#/components/parameters/${FIELDS_PARAMETER}` };
  const isEmpty = !('required' in body);
  const post = {
    ...about,
    operationId: freshId(parameters === null ? field.name : `post_${field.name}`, ids),
    parameters: [fields],
    requestBody: { required: !isEmpty, content: { 'application/json': { schema: body } } },
    responses,
  };
  if (parameters === null) return { post };
  const get = {
    ...about,
    operationId: freshId(field.name, ids),
    parameters: [...parameters, fields],
    responses,
  };
  return { get, post };
}

/** A query and a mutation may have one name. */
function freshId(name: string, ids: Set<string>): string {
  let id = name;
  for (let at = 2; ids.has(id); at++) id = `${name}_${at}`;
  ids.add(id);
  return id;
}

/** The arguments of an operation as parameters of a query; null where they need a body. */
function queryParameters(described: DescribedOperation, describer: SchemaDescriber): readonly object[] | null {
  const { args } = described.field;
  if (args.some(({ name }) => name === FIELDS_PARAMETER)) return null;
  const schemas = describer.argumentSchemas(described);
  const found: object[] = [];
  for (const each of args) {
    const below = parametersOf(each, schemas.get(each.name) ?? {}, describer);
    if (below === null) {
      if (isNonNullType(each.type) && each.defaultValue === undefined) return null;
    } else found.push(...below);
  }
  return found.length > PARAMETERS_MAX ? null : found;
}

interface Below {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly isRequired: boolean;
  readonly levels: number;
  readonly schema: JsonSchema;
}

/** One argument: itself, or the members of its object, with dots. Null where it holds a list of objects, or too many levels. */
function parametersOf(
  { name, type, defaultValue }: GraphQLArgument,
  schema: JsonSchema,
  describer: SchemaDescriber,
): readonly object[] | null {
  const isRequired = isNonNullType(type) && defaultValue === undefined;
  const open: Below[] = [{ name, type, isRequired, levels: 1, schema }];
  const found: object[] = [];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    const nullable = getNullableType(at.type);
    if (isListType(nullable) && isInputObjectType(getNamedType(nullable))) return null;
    if (!isInputObjectType(nullable)) {
      found.push(parameter(at));
      continue;
    }
    if (at.levels >= LEVELS_MAX || nullable.isOneOf) return null;
    for (const member of Object.values(nullable.getFields())) {
      const isNeeded = at.isRequired && isNonNullType(member.type) && member.defaultValue === undefined;
      const levels = at.levels + 1;
      open.push({
        name: `${at.name}.${member.name}`,
        type: member.type,
        isRequired: isNeeded,
        levels,
        schema: describer.value(member.type),
      });
      if (open.length + found.length > PARAMETERS_MAX) return null;
    }
  }
  return found;
}

const parameter = ({ name, type, isRequired, schema }: Below): object => ({
  name,
  in: 'query',
  required: isRequired,
  ...(isListType(getNullableType(type)) ? { style: 'form', explode: true } : {}),
  schema,
});
