import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Limits, LimitTable } from '../base/limit.js';
import { CACHE_LIMITS } from '../cache/limits.js';
import { CODEC_LIMITS } from '../codec/plan/limits.js';
import { VALIDITY_LIMITS } from '../codec/validity/limits.js';
import { PERSISTED_LIMITS } from '../graphql/admission/persisted-limits.js';
import { GRAPHQL_LIMITS } from '../graphql/limits.js';
import { SUBSCHEMA_LIMITS } from '../graphql/subschema/subschema-limits.js';
import { OVERLOAD_LIMITS } from '../observe/overload.js';
import { SUBSCRIPTION_LIMITS } from '../pubsub/limits.js';
import { DIALECT_NAMES, type DialectName } from '../soap/dialect.js';
import { FAULT_DETAIL_POLICIES } from '../soap/fault-policy.js';
import { SOAP_LIMITS } from '../soap/limits.js';
import { MIME_LIMITS } from '../soap/mime-limits.js';
import { UPSTREAM_LIMITS } from '../upstream/limits.js';
import { XML_LIMITS } from '../xml/limits.js';
import { CLIENT_KEYS, type ClientKeys } from './client-keys.js';
import { points } from './cost-keys.js';
import type { DeepReadonly } from './deep-readonly.js';
import { DRIFT_KEYS, type DriftKeys } from './drift-keys.js';
import { ADDRESS, BACKEND, BLOCK_NAME, HTTP_URL, NAME, PATH, URI } from './formats.js';
import { GRAPHQL_KEYS, type GraphqlKeys } from './graphql-keys.js';
import { GRAPHQL_SERVICE_KEYS, type GraphqlServiceKeys, SERVICE_KINDS } from './graphql-service-keys.js';
import { ADMIN_HOSTS, HOSTS, PUBLIC_URL } from './host-keys.js';
import { HTTP_LIMITS } from './http-limits.js';
import { limitGroup, limitOverrides } from './limit-schema.js';
import { LINK_KEYS, type LinkKeys } from './link-keys.js';
import { type MappedOperation, OPERATION_KEYS } from './operation-keys.js';
import { REDIS_KEYS, type RedisKeys } from './redis-keys.js';
import { HEADER_NAME } from './request-keys.js';
import { ADDRESSING_KEYS, type AddressingKeys, SECURITY_KEYS, type SecurityKeys } from './soap-keys.js';
import { SUBSCRIPTION_KEYS, type SubscriptionKeys } from './subscription-keys.js';
import { SCHEMA_KEYS, type SchemaKeys } from './type-keys.js';
import { VALIDATION_KEYS, type ValidationKeys } from './validation-keys.js';

/**
 * The one table of configuration keys: type, sentence, default and bounds of each. The static type, the check at
 * start-up, the published JSON Schema and the reference in the README are all made from it.
 */

/** A closed record of keys with a default of its own, so that the defaults inside it apply when it is absent. */
const section = <T extends Record<string, TSchema>>(description: string, properties: T) =>
  Type.Object(properties, { description, additionalProperties: false, default: {} });

const oneOf = <const T extends readonly string[]>(values: T, description: string, initial?: T[number]) =>
  Type.Unsafe<T[number]>({
    type: 'string',
    enum: values,
    description,
    ...(initial === undefined ? {} : { default: initial }),
  });

const limits = <T extends LimitTable>(table: T, description: string) =>
  Type.Unsafe<Limits<T>>(limitGroup(table, description));

/** Overrides for one service. Typed as complete because the loader fills in the limits of the gateway. */
const overrides = <T extends LimitTable>(table: T, like: string) => Type.Unsafe<Limits<T>>(limitOverrides(table, like));

const SERVICE = Type.Object(
  {
    kind: oneOf(SERVICE_KINDS, 'What the service speaks; with `graphql` it has keys of its own.', 'soap'),
    wsdl: Type.Optional(
      Type.String({
        description: 'The WSDL, a path beside this file. Without it and without `types` the service is SOAP only.',
        minLength: 1,
      }),
    ),
    url: Type.Optional(Type.String({ description: BACKEND, ...HTTP_URL })),
    urls: Type.Optional(
      Type.Array(Type.String(HTTP_URL), {
        description: 'Several addresses of the same backend, used in turn. Instead of `url`.',
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
      }),
    ),
    versions: Type.Unsafe<readonly [DialectName, ...DialectName[]]>({
      type: 'array',
      items: { type: 'string', enum: DIALECT_NAMES },
      description: 'Dialects that callers may speak; GraphQL calls the backend in the first.',
      minItems: 1,
      uniqueItems: true,
      default: ['1.1'],
    }),
    path: Type.String({
      description: 'Path of the service on the traffic address.',
      derived: '/soap/<service>',
      ...PATH,
    }),
    mode: oneOf(
      ['enforce', 'monitor'],
      '`enforce` refuses what breaks the rules; `monitor` counts and logs it and lets it through.',
      'enforce',
    ),
    operations: Type.Record(
      Type.String({ pattern: '^[^\\s:{}]{1,256}$' }),
      Type.Unsafe<boolean | MappedOperation>(OPERATION_KEYS),
      {
        description:
          'By operation name: how GraphQL offers it. As soon as one names its field, only those listed are offered.',
        names: 'Use the name of an operation of the WSDL.',
        additionalProperties: false,
        default: {},
      },
    ),
    types: Type.Optional(
      Type.String({ description: 'Type definitions in SDL of a mapping written by hand, instead of `wsdl`.' }),
    ),
    port: Type.Optional(
      Type.String({
        description: 'The port of the WSDL to call; the first that speaks the first dialect unless given.',
      }),
    ),
    namespace: Type.Optional(
      Type.String({ description: 'Namespace of the request and reply elements of a mapping written by hand.' }),
    ),
    naming: oneOf(
      ['camel', 'exact'],
      '`camel` makes field names lowerCamelCase; `exact` keeps the names of the XML.',
      'camel',
    ),
    schema: Type.Unsafe<SchemaKeys>(SCHEMA_KEYS),
    serveWsdl: Type.Boolean({
      description: 'Whether `?wsdl` and `?xsd=` of the path answer with the documents of `wsdl`.',
      default: true,
    }),
    faultDetail: oneOf(
      FAULT_DETAIL_POLICIES,
      "What of a Fault's detail callers see: `pass` all of it; `declared` what the WSDL declares; `none` nothing. Stack traces are cut unless `pass`, and so is a `faultactor`, `Role` or `Node` that is neither a URN nor a role of SOAP.",
      'declared',
    ),
    understands: Type.Optional(
      Type.Array(Type.String(BLOCK_NAME), {
        description:
          'Header blocks the backend understands, as `{uri}local`; others that must be understood are refused.',
        maxItems: 256,
        uniqueItems: true,
      }),
    ),
    attachments: Type.Boolean({
      description: 'Whether messages may be packages of an envelope and other parts: MTOM, SOAP with Attachments.',
      default: true,
    }),
    callCost: Type.Optional(
      Type.Unsafe<number>(
        points(
          'What one call from GraphQL costs where its operation does not say; `limits.graphql.callCost` unless given.',
        ),
      ),
    ),
    callerHeaders: Type.Array(Type.String(HEADER_NAME), {
      description:
        "Header fields of a GraphQL caller's request that operations may put into their messages, with `header`.",
      maxItems: 64,
      uniqueItems: true,
      default: [],
    }),
    bufferRequests: Type.Boolean({
      description:
        'Collects requests whose length is not known, so that they go on with one: for backends that refuse chunked.',
      default: false,
    }),
    earlyEnd: Type.Boolean({
      description:
        'Whether the reading of a long reply ends, and its connection, as soon as all that a query asks for has been read; what follows is not judged then.',
      default: false,
    }),
    unknownOperations: oneOf(
      ['refuse', 'pass'],
      'What becomes of a Body child that is the input of no operation of the WSDL; `pass` where the WSDL does not tell all, or Bodies are encrypted.',
      'refuse',
    ),
    addressing: Type.Unsafe<AddressingKeys>(ADDRESSING_KEYS),
    security: Type.Unsafe<SecurityKeys>(SECURITY_KEYS),
    validate: Type.Unsafe<ValidationKeys>(VALIDATION_KEYS),
    drift: Type.Optional(Type.Unsafe<DriftKeys>(DRIFT_KEYS)),
    limits: section('Limits of this service where they differ from those of the gateway.', {
      xml: overrides(XML_LIMITS, 'limits.xml'),
      upstream: overrides(UPSTREAM_LIMITS, 'limits.upstream'),
    }),
  },
  { additionalProperties: false },
);

/** One schema that asks for the kind first, so that a mistake is told by the keys of that kind. */
const EITHER_SERVICE = Type.Unsafe<Static<typeof SERVICE>>({
  if: { type: 'object', properties: { kind: { const: 'graphql' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: GRAPHQL_SERVICE_KEYS,
  else: SERVICE,
});

const ROUTE = Type.Object(
  {
    path: Type.String({ description: 'Every path that begins with this one.', ...PATH }),
    url: Type.String({ description: 'Where to, http or https.', ...HTTP_URL }),
  },
  { additionalProperties: false },
);

export const CONFIG = Type.Object(
  {
    listen: Type.String({
      description: 'Address for callers, SOAP and GraphQL, as host:port.',
      default: '127.0.0.1:4000',
      ...ADDRESS,
    }),
    admin: Type.String({
      description: 'Address for operators, metrics and health; same form. Keep it off the public network.',
      default: '127.0.0.1:4001',
      ...ADDRESS,
    }),
    adminHosts: Type.Unsafe<string[]>(ADMIN_HOSTS),
    hosts: Type.Unsafe<string[]>(HOSTS),
    publicUrl: Type.Optional(Type.Unsafe<string>(PUBLIC_URL)),
    workers: Type.Unsafe<number | 'auto'>({
      type: ['integer', 'string'],
      description: 'Processes that share the traffic address; `auto` is one for each processor.',
      minimum: 1,
      maximum: 256,
      pattern: '^auto$',
      hint: 'Write a number from 1 to 256, or auto.',
      default: 1,
    }),
    roles: Type.Array(Type.String(URI), {
      description: 'URIs by which header blocks name the gateway (actor, role), besides the standard `next`.',
      maxItems: 64,
      uniqueItems: true,
      default: [],
    }),
    understands: Type.Array(Type.String(BLOCK_NAME), {
      description:
        'Header blocks for the gateway, as `{uri}local`, that it may take away even if they must be understood; those of WS-Addressing are known.',
      maxItems: 256,
      uniqueItems: true,
      default: [],
    }),
    services: Type.Record(Type.String({ pattern: NAME }), EITHER_SERVICE, {
      description: 'The backends, by the name that paths, metrics and logs use.',
      names: 'Begin it with a letter; then letters, digits, `-` and `_`, 64 characters at most.',
      additionalProperties: false,
      minProperties: 1,
    }),
    clients: Type.Optional(Type.Unsafe<ClientKeys>(CLIENT_KEYS)),
    redis: Type.Optional(Type.Unsafe<RedisKeys>(REDIS_KEYS)),
    links: Type.Unsafe<Record<string, LinkKeys>>(LINK_KEYS),
    subscriptions: Type.Unsafe<Record<string, SubscriptionKeys>>(SUBSCRIPTION_KEYS),
    routes: Type.Array(ROUTE, {
      description:
        'Paths that hold no envelope (documents, pages): passed on unread. What the query of `url` has is not added by callers.',
      maxItems: 256,
      default: [],
    }),
    graphql: Type.Unsafe<GraphqlKeys>(GRAPHQL_KEYS),
    limits: section('Limits. Every one has a default and a ceiling that configuration cannot lift.', {
      xml: limits(XML_LIMITS, 'Limits inside the XML reader, for requests and replies.'),
      soap: limits(SOAP_LIMITS, 'Limits of the envelope and of the gate that holds it back.'),
      mime: limits(MIME_LIMITS, 'Limits of the package around an envelope: MTOM, SOAP with Attachments.'),
      codec: limits(CODEC_LIMITS, 'Limits between XML and GraphQL values.'),
      validity: limits(VALIDITY_LIMITS, 'Limits of what is kept while content is validated.'),
      graphql: limits(GRAPHQL_LIMITS, 'Limits of GraphQL requests and answers.'),
      persisted: limits(PERSISTED_LIMITS, 'Limits of the documents that callers have remembered by their hash.'),
      subscriptions: limits(SUBSCRIPTION_LIMITS, 'Limits of subscriptions and of the connections they come over.'),
      cache: limits(CACHE_LIMITS, 'What is remembered of replies to operations that only `read`.'),
      http: limits(HTTP_LIMITS, 'Limits of the HTTP server.'),
      upstream: limits(UPSTREAM_LIMITS, 'Limits of each upstream.'),
      remote: limits(SUBSCHEMA_LIMITS, 'Limits of what services that speak GraphQL say.'),
      overload: limits(OVERLOAD_LIMITS, 'When this process has more to do than it can.'),
    }),
    log: section('Logging, as JSON lines on standard output.', {
      level: oneOf(
        ['debug', 'info', 'warn', 'error'],
        'Least level written. Requests that are answered are `info`, refused ones `warn`, failures `error`.',
        'info',
      ),
    }),
    demo: Type.Optional(
      Type.Object(
        {
          listen: Type.String({ description: 'Address of that backend, as host:port.', ...ADDRESS }),
        },
        { description: 'Starts the bundled demonstration backend. Not for production.', additionalProperties: false },
      ),
    ),
  },
  { title: 'Soapstone configuration', additionalProperties: false },
);

/**
 * A configuration as the gateway uses it: checked, every default filled in, frozen. `services` are those that speak SOAP,
 * the others are apart.
 */
export type Config = DeepReadonly<Static<typeof CONFIG> & { graphqlServices: Record<string, GraphqlServiceKeys> }>;
export type ServiceConfig = Config['services'][string];
export type GraphqlServiceConfig = Config['graphqlServices'][string];
export type OperationConfig = ServiceConfig['operations'][string];
export type RouteConfig = Config['routes'][number];
