import { subschemas } from '../../graphql/index.js';
import { UPSTREAM_LIMITS } from '../../upstream/index.js';
import { urls } from '../backend/balance-keys.js';
import { FIELD_KEYS, ROUTE_KEYS } from '../backend/upstream-keys.js';
import { FIELD_NAME, GRAPHQL_NAME, HTTP_URL, SUBSCRIPTION_URL } from '../keys/formats.js';
import {
  closed,
  flagOr,
  list,
  mapOf,
  oneOf,
  optional,
  type StaticOf,
  section,
  string,
  text,
  unsafe,
} from '../keys/key-types.js';
import { limitOverrides } from '../keys/limit-schema.js';
import { FIELD_RIGHTS } from '../keys/rights-keys.js';
import { costPoints, LIST_SIZE, OPERATION_COST_KEYS } from './cost-keys.js';

const SERVICE_KINDS = ['soap', 'graphql'] as const;

/**
 * The key that distinguishes the kinds of services. Unsafe because both kinds are listed in either,
 * for editors and hints: which it is follows from the branch of the schema that holds.
 */
export const kindKey = <K extends (typeof SERVICE_KINDS)[number]>(
  description: string,
  initial?: K,
) => unsafe<K>(oneOf(SERVICE_KINDS, description, initial));

const TYPE = `^${FIELD_NAME}$`;
const FIELD = `^${FIELD_NAME}\\.${FIELD_NAME}$`;
const PART = `^${FIELD_NAME}(\\.${FIELD_NAME})?$`;
const PART_HINT =
  'Write a type as the service has it, or one of its fields: ' +
  'Customer, Customer.ssn, Query.customers.';
const FIELD_VALUE = { pattern: '^[\\t\\x20-\\x7e]{0,8192}$', hint: 'Write printable characters.' };

/** The key that says whether a GraphQL service offers its subscriptions, and at which address. */
const SUBSCRIPTIONS = flagOr(
  '`true` (default): its subscriptions are offered, over server-sent events at its address; ' +
    '`false`: they are not; or where they are.',
  closed({
    url: optional(
      text(
        'Their address, http, https, ws or wss; that of the service unless set.',
        SUBSCRIPTION_URL,
      ),
    ),
    protocol: optional(
      oneOf(
        ['sse', 'graphql-transport-ws'],
        'The protocol: by default `graphql-transport-ws` at a ws or wss address, `sse` at others.',
      ),
    ),
    connectionParams: mapOf(
      '^[^\\x00-\\x1f]{1,256}$',
      text('The value.', FIELD_VALUE),
      'The payload of `connection_init`, over a WebSocket. Secrets come from the ' +
        'environment or a file.',
      { names: 'Use up to 256 characters.', default: {} },
    ),
  }),
);

const FIELD_COST = closed(
  {
    cost: optional(
      costPoints(
        'Of a field of a root each call, of another each time it is answered; ' +
          'of a type, which takes this key alone, each object.',
      ),
    ),
    argumentCosts: OPERATION_COST_KEYS.argumentCosts,
    listSize: optional(LIST_SIZE),
  },
  'Its cost.',
);
const TYPE_COST = closed(
  { cost: optional(costPoints('Each object of the type.')) },
  'The cost of a type.',
);

/** The cost of a type or field of such a service. */
export type SubschemaCostKeys = StaticOf<typeof FIELD_COST>;

/** Keys of a service that speaks GraphQL: the part of the table of keys for it. */
export const GRAPHQL_SERVICE_KEYS = closed(
  {
    kind: kindKey<'graphql'>('The protocol of the service.'),
    url: optional(text('Address of its endpoint, http or https.', HTTP_URL)),
    urls: urls('Several addresses of the same service, in place of `url`.'),
    schema: optional(
      text(
        'Its schema in SDL, a path beside this file. Without it the service is asked by ' +
          'introspection, and must be up, whenever the gateway starts.',
        { minLength: 1 },
      ),
    ),
    prefix: optional(
      text(
        'In front of the names of its types and root fields: with `crm` Customer is CrmCustomer.',
        { pattern: `^${GRAPHQL_NAME}$`, hint: 'Write letters and digits, a letter first.' },
      ),
    ),
    rename: mapOf(
      PART,
      string({ pattern: `^${GRAPHQL_NAME}$`, hint: 'Write a GraphQL name.' }),
      'By `Type` or `Type.field` as the service has them (roots as Query, Mutation, ' +
        'Subscription): the name here.',
      { names: PART_HINT, default: {} },
    ),
    hide: list(
      string({ pattern: PART, hint: PART_HINT }),
      'Types and fields, as the service has them, that callers do not see.',
      { maxItems: 10_000, uniqueItems: true, default: [] },
    ),
    ...FIELD_KEYS,
    ...ROUTE_KEYS,
    subscriptions: optional(SUBSCRIPTIONS),
    callCost: optional(
      costPoints('The cost of one call of it; `limits.graphql.callCost` by default.'),
    ),
    // Unsafe because a record of TypeBox has one pattern, and types have fewer keys than fields.
    costs: unsafe<Record<string, StaticOf<typeof FIELD_COST>>>({
      ...mapOf(
        FIELD,
        FIELD_COST,
        'By `Type` or `Type.field` as the service has them: their costs and the lengths of ' +
          'lists, where `schema` has no `@cost` or `@listSize`.',
        { names: PART_HINT, default: {} },
      ),
      patternProperties: { [FIELD]: FIELD_COST, [TYPE]: TYPE_COST },
    }),
    fields: mapOf(
      FIELD,
      FIELD_RIGHTS,
      'By `Type.field` as the service has them: rights to fields, besides `@authenticated` ' +
        'and `@requiresScopes` of `schema`, and masks.',
      { names: PART_HINT, default: {} },
    ),
    limits: section('Limits of this service where they differ from those of the gateway.', {
      remote: limitOverrides(subschemas.SUBSCHEMA_LIMITS, 'limits.remote'),
      upstream: limitOverrides(UPSTREAM_LIMITS, 'limits.upstream'),
    }),
  },
  'A service that speaks GraphQL: with `kind: graphql` these are its keys.',
);
