import { httpFields } from '../core/index.js';
import { DIALECT_NAMES, type DialectName, soapFaults } from '../soap/index.js';
import { UPSTREAM_LIMITS } from '../upstream/index.js';
import { XML_LIMITS } from '../xml/index.js';
import { type AddressConfig, urls } from './backend/balance-keys.js';
import { CANARY } from './backend/canary-keys.js';
import { SHADOW } from './backend/shadow-keys.js';
import { UPSTREAM_KEYS } from './backend/upstream-keys.js';
import { CLIENT_KEYS } from './clients/client-keys.js';
import { costPoints } from './graphql/cost-keys.js';
import { GRAPHQL_KEYS } from './graphql/graphql-keys.js';
import { GRAPHQL_SERVICE_KEYS, kindKey } from './graphql/graphql-service-keys.js';
import { LINK_KEYS } from './graphql/link-keys.js';
import { OPERATION_KEYS, toleratedNames } from './graphql/operation-keys.js';
import { SERVICE_REPLY_HEADERS, SOAP_HEADERS } from './graphql/request-keys.js';
import { SUBSCRIPTION_KEYS } from './graphql/subscription-keys.js';
import { SCHEMA_KEYS } from './graphql/type-keys.js';
import {
  ADDRESS,
  BACKEND,
  BLOCK_NAME,
  HEADER_NAME,
  HTTP_URL,
  NAME_FORMAT,
  PATH,
  URI,
} from './keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  millis,
  oneOf,
  optional,
  type StaticOf,
  section,
  string,
  text,
  unsafe,
} from './keys/key-types.js';
import { limitOverrides } from './keys/limit-schema.js';
import { LIMIT_KEYS } from './limit-keys.js';
import { ADMIN_HOSTS, HOSTS, PUBLIC_URL } from './listen/host-keys.js';
import { ADMIN, LISTEN } from './listen/listen-keys.js';
import { MCP_KEYS } from './mcp/mcp-keys.js';
import { AUDIT_KEYS } from './process/audit-keys.js';
import { COMPILED } from './process/compiled-keys.js';
import { CONSOLE_KEYS } from './process/console-keys.js';
import { INCLUDE } from './process/include-keys.js';
import { LOG_KEYS } from './process/log-keys.js';
import { METRIC_KEYS } from './process/metric-keys.js';
import { REDIS_KEYS } from './process/redis-keys.js';
import { RELOAD_KEYS } from './process/reload-keys.js';
import { TRACE_KEYS } from './process/trace-keys.js';
import { REST_KEYS } from './rest/rest-keys.js';
import { DRIFT_KEYS } from './soap/drift-keys.js';
import { RECORD_KEYS } from './soap/record-keys.js';
import { SECURITY_KEYS } from './soap/security-keys.js';
import { ADDRESSING_KEYS } from './soap/soap-keys.js';
import { VALIDATION_KEYS } from './soap/validation-keys.js';

/**
 * The one table of configuration keys: type, sentence, default and bounds of each. The static type,
 * the check at start-up, the published JSON Schema and the reference in `config/README.md` are all
 * made from it.
 */

/** How much callers learn of a refusal. */
const FAULT_KEYS = section('What callers are told of refused requests.', {
  explain: flag(
    "Whether a Fault says what was wrong with the caller's own message: " +
      'names of its elements, namespaces and actions, line and byte, limits; never values. ' +
      'Refusals of HTTP have a sentence. `false` leaves the code, its text and the id.',
    true,
  ),
});

const SERVICE = closed({
  kind: kindKey<'soap'>(
    'The protocol of the service; with `graphql` it has keys of its own.',
    'soap',
  ),
  wsdl: optional(
    text(
      'The WSDL, a path beside this file; `demo:legacy.wsdl` is that of the demonstration in the ' +
        'package. Without it and without `types` the service is SOAP only.',
      { minLength: 1 },
    ),
  ),
  url: optional(text(BACKEND, HTTP_URL)),
  urls: urls('Several addresses of the same backend, in place of `url`.'),
  // Unsafe because an array of TypeBox may be empty.
  versions: optional(
    unsafe<readonly [DialectName, ...DialectName[]]>({
      type: 'array',
      items: { type: 'string', enum: DIALECT_NAMES },
      description:
        'Dialects that callers may speak; GraphQL calls the backend in the first. ' +
        'By default those of the bindings of `port` or `ports`; else 1.1 where the WSDL has a ' +
        'binding for it, and 1.2 behind it where that has the same address; ' +
        'else 1.2. Without a WSDL 1.1.',
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  bridge: optional(
    unsafe<readonly DialectName[]>({
      type: 'array',
      items: { type: 'string', enum: DIALECT_NAMES },
      description:
        'Dialects that callers may speak besides `versions`. Their messages are put into the ' +
        'first of `versions`, and replies into theirs.',
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  path: text('Path of the service on the traffic address.', {
    derived: '/soap/<service>',
    ...PATH,
  }),
  mode: oneOf(
    ['enforce', 'monitor'],
    '`enforce` refuses what breaks the rules; `monitor` counts and logs it and lets it through.',
    'enforce',
  ),
  operations: mapOf(
    '^[^\\s:{}]{1,256}$',
    OPERATION_KEYS,
    'By operation name: how GraphQL offers it. As soon as one names its field, ' +
      'only those listed are offered.',
    { names: 'Use the name of an operation of the WSDL.', default: {} },
  ),
  types: optional(text('Types in SDL, instead of `wsdl`.')),
  port: optional(text('The port of the WSDL to call; by default the first of the first dialect.')),
  ports: optional(
    list(
      string(),
      'Several ports of the WSDL that have the address of this service; instead of `port`. ' +
        'Operations that share a name go by their request element.',
      { minItems: 1, maxItems: 10_000, uniqueItems: true },
    ),
  ),
  namespace: optional(text('Namespace of the request and reply elements, for types in SDL.')),
  naming: oneOf(
    ['camel', 'exact'],
    '`camel` makes field names lowerCamelCase; `exact` keeps the names of the XML.',
    'camel',
  ),
  schema: SCHEMA_KEYS,
  serveWsdl: flag(
    'Whether `?wsdl` and `?xsd=` of the path answer with the documents of `wsdl`.',
    true,
  ),
  faultDetail: oneOf(
    soapFaults.FAULT_DETAIL_POLICIES,
    "How much of a Fault's detail callers see: `unsafe:pass` all of it; `declared` the parts " +
      'that the WSDL declares; `none` nothing. Stack traces are cut unless `unsafe:pass`, ' +
      'and so is a `faultactor`, `Role` or `Node` that is neither a URN nor a role of SOAP.',
    'declared',
  ),
  understands: optional(
    list(
      string(BLOCK_NAME),
      'Header blocks the backend understands, as `{uri}local`; others that must be ' +
        'understood are refused.',
      { maxItems: 256, uniqueItems: true },
    ),
  ),
  attachments: flag(
    'Whether messages may be packages of an envelope and other parts: MTOM, SOAP with Attachments.',
    true,
  ),
  mtom: optional(
    flag(
      'Whether the binary content of calls from GraphQL goes into parts of a package (MTOM); ' +
        'by default where a policy of the WSDL demands it. What the WSDL declares as an ' +
        '`xop:Include` always does.',
    ),
  ),
  callCost: optional(
    costPoints(
      'The cost of one call from GraphQL whose operation has none; ' +
        'by default `limits.graphql.callCost`.',
    ),
  ),
  reads: list(
    string({
      pattern: '^[^\\s{}:]{1,256}$',
      hint: 'Write the name of an operation, or a pattern such as Export*.',
    }),
    'Operations that read, by name or pattern (`Export*`): they are queries, whatever their ' +
      'names say. The `field` of an operation decides before.',
    { maxItems: 1000, uniqueItems: true, default: [] },
  ),
  callerHeaders: list(
    string(HEADER_NAME),
    "Header fields of a GraphQL caller's request that operations may put into their " +
      'messages, with `header`.',
    { maxItems: 64, uniqueItems: true, default: [] },
  ),
  soapHeaders: SOAP_HEADERS,
  replyHeaders: SERVICE_REPLY_HEADERS,
  ...UPSTREAM_KEYS,
  bufferRequests: flag(
    'Collects requests whose length is not known, so that they go on with one: ' +
      'for backends that refuse chunked.',
    false,
  ),
  earlyEnd: flag(
    'Whether the reading of a long reply ends, and its connection, as soon as all values that ' +
      'a query selects have been read; the rest is not validated then.',
    false,
  ),
  dataContractReferences: flag(
    'Whether elements of replies may stand for others by `Id` and `Ref` of .NET data ' +
      'contracts although the WSDL does not declare these. Replies are held whole then.',
    false,
  ),
  unknownOperations: oneOf(
    ['refuse', 'pass'],
    'The treatment of a Body child that is the input of no operation of the WSDL; ' +
      '`pass` where the WSDL is incomplete, or Bodies are encrypted.',
    'refuse',
  ),
  rest: REST_KEYS,
  addressing: ADDRESSING_KEYS,
  security: SECURITY_KEYS,
  validate: VALIDATION_KEYS,
  tolerate: optional(
    toleratedNames(
      'Deviations of replies that pass, by name: `wrapper`, `wrapper-name`, `media-type`, ' +
        '`leading-space`, `declared-encoding`, `trailing-bytes`, `control-characters`, ' +
        '`unqualified-header`, `empty-body`, `missing`. ' +
        'Without it a reply is held to its contract. Each is counted and logged.',
    ),
  ),
  drift: optional(DRIFT_KEYS),
  canary: optional(CANARY),
  record: optional(RECORD_KEYS),
  shadow: optional(SHADOW),
  limits: section('Limits of this service where they differ from those of the gateway.', {
    xml: limitOverrides(XML_LIMITS, 'limits.xml'),
    upstream: limitOverrides(UPSTREAM_LIMITS, 'limits.upstream'),
  }),
});

/**
 * One schema that asks for the kind first, so that an error is reported by the keys of that kind.
 * TypeBox has no `if`.
 */
const EITHER_SERVICE = unsafe<StaticOf<typeof SERVICE> | StaticOf<typeof GRAPHQL_SERVICE_KEYS>>({
  if: { type: 'object', properties: { kind: { const: 'graphql' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: GRAPHQL_SERVICE_KEYS,
  else: SERVICE,
});

const ROUTE = closed({
  path: text('Every path that begins with this one.', PATH),
  url: text('Where to, http or https.', HTTP_URL),
});

export const CONFIG_SCHEMA = closed(
  {
    include: INCLUDE,
    listen: LISTEN,
    admin: ADMIN,
    adminHosts: ADMIN_HOSTS,
    hosts: HOSTS,
    publicUrl: optional(PUBLIC_URL),
    // Unsafe for the reason of `flagOr`.
    workers: unsafe<number | 'auto'>({
      type: ['integer', 'string'],
      description: 'Processes that share the traffic address; `auto` is one for each processor.',
      minimum: 1,
      maximum: 256,
      pattern: '^auto$',
      hint: 'Write a number from 1 to 256, or auto.',
      default: 1,
    }),
    drainDelayMillis: millis(
      'After SIGTERM, the time in milliseconds in which `/ready` fails and requests are still ' +
        'taken, until load balancers have noticed. Then the drain begins. 0: at once.',
      [0, 3_600_000],
      0,
    ),
    roles: list(
      string(URI),
      'URIs by which header blocks name the gateway (actor, role), besides the standard `next`.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    understands: list(
      string(BLOCK_NAME),
      'Header blocks for the gateway, as `{uri}local`, that it may take away even if they ' +
        'must be understood; those of WS-Addressing are known.',
      { maxItems: 256, uniqueItems: true, default: [] },
    ),
    services: mapOf(
      NAME_FORMAT,
      EITHER_SERVICE,
      'The backends, by the name that paths, metrics and logs use.',
      {
        names: 'Begin it with a letter; then letters, digits, `-` and `_`, 64 characters at most.',
        minProperties: 1,
        hint: 'Name a backend by its address, or a file with backends in `include`.',
        default: {},
      },
    ),
    clients: optional(CLIENT_KEYS),
    redis: optional(REDIS_KEYS),
    links: LINK_KEYS,
    subscriptions: SUBSCRIPTION_KEYS,
    headerCase: oneOf(
      httpFields.FIELD_CASES,
      'How the names of header fields to callers are written: ' +
        '`usual` as in `Content-Type`, or in `lower` case.',
      'usual',
    ),
    routes: list(
      ROUTE,
      'Paths that hold no envelope (documents, pages): passed on unread. ' +
        'Callers cannot add the parameters in the query of `url`.',
      { maxItems: 256, default: [] },
    ),
    graphql: GRAPHQL_KEYS,
    mcp: optional(MCP_KEYS),
    limits: LIMIT_KEYS,
    reload: RELOAD_KEYS,
    compiled: optional(COMPILED),
    faults: FAULT_KEYS,
    traces: optional(TRACE_KEYS),
    console: CONSOLE_KEYS,
    audit: optional(AUDIT_KEYS),
    log: LOG_KEYS,
    metrics: optional(METRIC_KEYS),
    home: flag(
      'Whether `/` of the traffic address is a page that lists what the caller may use: ' +
        'services, endpoints and their documentation. A route of that path comes before it.',
      true,
    ),
    demo: optional(
      closed(
        {
          listen: text('Address of that backend, as host:port.', ADDRESS),
        },
        'Starts the bundled demonstration backend. Not for production.',
      ),
    ),
  },
  undefined,
  { title: 'Soapstone configuration' },
);

/** The configuration as its file has it, every default filled in. */
export type FileConfig = StaticOf<typeof CONFIG_SCHEMA>;

type FileService<Kind> = Extract<FileConfig['services'][string], { readonly kind: Kind }>;
type Completed<Kind, Groups extends keyof FileConfig['limits']> = Omit<
  FileService<Kind>,
  'url' | 'urls' | 'limits'
> & {
  /** One at least, also where the file gives a `url`. */
  readonly urls: readonly string[];
  /** The addresses in `urls`, with their weights. */
  readonly addresses: readonly AddressConfig[];
  readonly limits: Pick<FileConfig['limits'], Groups>;
};

export type ServiceConfig = Completed<'soap', 'xml' | 'upstream'>;
export type GraphqlServiceConfig = Completed<'graphql', 'remote' | 'upstream'>;
/** A service, whatever it speaks. */
export type AnyService = ServiceConfig | GraphqlServiceConfig;

/**
 * A configuration as the gateway uses it: checked, frozen. `services` are those that speak SOAP,
 * the others are apart; each has all of its limits.
 */
export interface Config extends Omit<FileConfig, 'services' | 'limits'> {
  readonly limits: Omit<FileConfig['limits'], 'internal'>;
  readonly services: Readonly<Record<string, ServiceConfig>>;
  readonly graphqlServices: Readonly<Record<string, GraphqlServiceConfig>>;
}
export type RouteConfig = Config['routes'][number];
