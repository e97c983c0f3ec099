import type { Limits } from '../base/limit.js';
import { SUBSCHEMA_LIMITS } from '../graphql/subschema/subschema-limits.js';
import { UPSTREAM_LIMITS } from '../upstream/limits.js';
import { LIST_SIZE, OPERATION_COST_KEYS, type OperationCostKeys, points } from './cost-keys.js';
import { FIELD_NAME, GRAPHQL_NAME, HTTP_URL, SUBSCRIPTION_URL } from './formats.js';
import { limitOverrides } from './limit-schema.js';
import { HEADER_NAME } from './request-keys.js';

/** Keys of a service that speaks GraphQL: the part of the table of keys for it. */
export interface GraphqlServiceKeys {
  kind: 'graphql';
  url?: string;
  urls?: string[];
  schema?: string;
  prefix?: string;
  rename: Record<string, string>;
  hide: string[];
  headers: Record<string, string>;
  forwardHeaders: string[];
  subscriptions?: boolean | RemoteSubscriptionKeys;
  callCost?: number;
  costs: Record<string, RemoteCostKeys>;
  limits: {
    remote: Limits<typeof SUBSCHEMA_LIMITS>;
    upstream: Limits<typeof UPSTREAM_LIMITS>;
  };
}

/** What a type or field of such a service costs. */
export type RemoteCostKeys = Pick<OperationCostKeys, 'cost' | 'argumentCosts' | 'listSize'>;

/** Where the subscriptions of such a service are. */
export interface RemoteSubscriptionKeys {
  url?: string;
  protocol?: (typeof SUBSCRIPTION_PROTOCOLS)[number];
  connectionParams: Record<string, string>;
}

export const SUBSCRIPTION_PROTOCOLS = ['sse', 'graphql-transport-ws'] as const;

export const SERVICE_KINDS = ['soap', 'graphql'] as const;

const TYPE = `^${FIELD_NAME}$`;
const FIELD = `^${FIELD_NAME}\\.${FIELD_NAME}$`;
const PART = `^${FIELD_NAME}(\\.${FIELD_NAME})?$`;
const FIELD_VALUE = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e]{0,8192}$',
  hint: 'Write printable characters.',
} as const;

/** One schema instead of a union, so that a mistake inside the object is reported there and not as "matches none". */
const REMOTE_SUBSCRIPTIONS = {
  description:
    '`true` (default): its subscriptions are offered, over server-sent events at its address; `false`: they are not; or where they are.',
  type: ['boolean', 'object'],
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      description: 'Their address, http, https, ws or wss; that of the service unless given.',
      ...SUBSCRIPTION_URL,
    },
    protocol: {
      type: 'string',
      enum: SUBSCRIPTION_PROTOCOLS,
      description: 'What is spoken there: `graphql-transport-ws` at a ws or wss address, `sse` at others unless given.',
    },
    connectionParams: {
      type: 'object',
      description:
        'What `connection_init` tells the service, over a WebSocket. Secrets come from the environment or a file.',
      names: 'Use up to 256 characters.',
      additionalProperties: false,
      default: {},
      patternProperties: { '^[^\\x00-\\x1f]{1,256}$': { ...FIELD_VALUE, description: 'The value.' } },
    },
  },
} as const;

const PART_HINT = 'Write a type as the service has it, or one of its fields: Customer, Customer.ssn, Query.customers.';

export const GRAPHQL_SERVICE_KEYS = {
  type: 'object',
  description: 'A service that speaks GraphQL: with `kind: graphql` these are its keys.',
  additionalProperties: false,
  required: ['kind'],
  properties: {
    kind: { type: 'string', enum: SERVICE_KINDS, description: 'What the service speaks.' },
    url: { type: 'string', description: 'Address of its endpoint, http or https.', ...HTTP_URL },
    urls: {
      type: 'array',
      items: { type: 'string', ...HTTP_URL },
      description: 'Several addresses of the same service, used in turn. Instead of `url`.',
      minItems: 1,
      maxItems: 64,
      uniqueItems: true,
    },
    schema: {
      type: 'string',
      description:
        'Its schema in SDL, a path beside this file. Without it the service is asked by introspection, and must be up, whenever the gateway starts.',
      minLength: 1,
    },
    prefix: {
      type: 'string',
      description: 'In front of the names of its types and root fields: with `crm` Customer is CrmCustomer.',
      pattern: `^${GRAPHQL_NAME}$`,
      hint: 'Write letters and digits, a letter first.',
    },
    rename: {
      type: 'object',
      description:
        'By `Type` or `Type.field` as the service has them (roots as Query, Mutation, Subscription): the name here.',
      names: PART_HINT,
      additionalProperties: false,
      default: {},
      patternProperties: {
        [PART]: { type: 'string', pattern: `^${GRAPHQL_NAME}$`, hint: 'Write a GraphQL name.' },
      },
    },
    hide: {
      type: 'array',
      items: { type: 'string', pattern: PART, hint: PART_HINT },
      description: 'Types and fields, as the service has them, that callers do not see.',
      maxItems: 10_000,
      uniqueItems: true,
      default: [],
    },
    headers: {
      type: 'object',
      description: 'Header fields sent with every call. Secrets come from the environment or a file.',
      names: HEADER_NAME.hint,
      additionalProperties: false,
      default: {},
      patternProperties: {
        [HEADER_NAME.pattern]: FIELD_VALUE,
      },
    },
    forwardHeaders: {
      type: 'array',
      items: { type: 'string', ...HEADER_NAME },
      description: "Header fields of the caller's request that are sent on.",
      maxItems: 64,
      uniqueItems: true,
      default: [],
    },
    subscriptions: REMOTE_SUBSCRIPTIONS,
    callCost: {
      type: 'integer',
      description: 'What one call of it costs; `limits.graphql.callCost` unless given.',
      unit: 'points',
      minimum: 0,
      maximum: 1_000_000,
    },
    costs: {
      type: 'object',
      description:
        'By `Type` or `Type.field` as the service has them: what they cost, and how long lists are, where `@cost` and `@listSize` in `schema` do not say it.',
      names: PART_HINT,
      additionalProperties: false,
      default: {},
      patternProperties: {
        [FIELD]: {
          type: 'object',
          description: 'What it costs.',
          additionalProperties: false,
          properties: {
            cost: points(
              'Of a field of a root each call, of another each time it is answered; of a type, which takes this key alone, each object.',
            ),
            argumentCosts: OPERATION_COST_KEYS.argumentCosts,
            listSize: LIST_SIZE,
          },
        },
        [TYPE]: {
          type: 'object',
          description: 'What a type costs.',
          additionalProperties: false,
          properties: { cost: points('Each object of the type.') },
        },
      },
    },
    limits: {
      type: 'object',
      description: 'Limits of this service where they differ from those of the gateway.',
      additionalProperties: false,
      default: {},
      properties: {
        remote: limitOverrides(SUBSCHEMA_LIMITS, 'limits.remote'),
        upstream: limitOverrides(UPSTREAM_LIMITS, 'limits.upstream'),
      },
    },
  },
} as const;
