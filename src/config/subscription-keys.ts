import { FIELD_NAME, FIELD_PATH, GRAPHQL_NAME, SERVICE_OPERATION } from './formats.js';

/** Keys of the fields of Subscription: the part of the table of keys for them. One of `poll`, `on`, `callback`. */
export interface SubscriptionKeys {
  poll?: PollKeys;
  on?: EventKeys;
  callback?: EventKeys;
  description?: string;
  deprecated?: string;
}

export interface PollKeys {
  operation: string;
  everyMillis: number;
  changed?: string;
}

/** What is told of a message that passes or arrives: `answer` with `arguments`, or `fields`. */
export interface EventKeys {
  operation: string;
  where: Record<string, string>;
  filter: Record<string, string>;
  answer?: string;
  arguments: Record<string, string>;
  fields: Record<string, string>;
}

const OPERATION = {
  ...SERVICE_OPERATION,
  hint: 'Write the service, a dot and the operation: orders.GetOrder.',
} as const;
const VALUE_HINT = 'Write `request.` or `reply.` and the path of GraphQL names to the value: reply.orderID.';
const VALUE_PATTERN = `^(request|reply)(\\.${FIELD_NAME}){0,15}$`;
const VALUE = { type: 'string', pattern: VALUE_PATTERN, maxLength: 2048, hint: VALUE_HINT } as const;

const POLL = {
  type: 'object',
  description:
    'Calls an operation again and again while somebody subscribes, once for all who ask for the same, and tells when its answer has changed.',
  additionalProperties: false,
  required: ['operation'],
  properties: {
    operation: { ...OPERATION, description: 'Service and operation, which only reads: `orders.GetOrder`.' },
    everyMillis: {
      type: 'integer',
      description: 'Time between two calls.',
      unit: 'millis',
      minimum: 50,
      maximum: 86_400_000,
      default: 5000,
    },
    changed: {
      ...FIELD_PATH,
      description:
        'Path to the one value of the answer whose change is told; what was selected of the answer unless given.',
    },
  },
} as const;

const EVENT = {
  additionalProperties: false,
  required: ['operation'],
  properties: {
    operation: { ...OPERATION, description: 'Service and operation whose messages are the events.' },
    where: {
      type: 'object',
      description: 'Values that a message must have to be an event: `reply.status: SHIPPED`.',
      names: VALUE_HINT,
      additionalProperties: false,
      default: {},
      patternProperties: { [VALUE_PATTERN]: { type: 'string', description: 'The value, as text.' } },
    },
    filter: {
      type: 'object',
      description:
        'By name of an argument of the subscription: the value of the message that must be equal to it where it is given.',
      names: 'Use a GraphQL name.',
      additionalProperties: false,
      default: {},
      patternProperties: { [`^${GRAPHQL_NAME}$`]: VALUE },
    },
    answer: {
      ...OPERATION,
      description:
        'The operation that is called for each event, for each subscriber as itself, and whose answer is told.',
    },
    arguments: {
      type: 'object',
      description: 'By argument of `answer` (or path into it): the value of the message that fills it.',
      names: FIELD_PATH.hint,
      additionalProperties: false,
      default: {},
      patternProperties: { [FIELD_PATH.pattern]: VALUE },
    },
    fields: {
      type: 'object',
      description:
        'Instead of `answer`: by field of the event, the value of the message that it is. Links may lead on.',
      names: 'Use a GraphQL name.',
      additionalProperties: false,
      default: {},
      patternProperties: { [`^${GRAPHQL_NAME}$`]: VALUE },
    },
  },
} as const;

const SUBSCRIPTION = {
  type: 'object',
  additionalProperties: false,
  properties: {
    poll: POLL,
    on: {
      type: 'object',
      description:
        'Each successful exchange of this operation that passes the gateway, whether a SOAP or a GraphQL client made it.',
      ...EVENT,
    },
    callback: {
      type: 'object',
      description: 'Each request for this operation that is posted to `/callback/<service>`: it is answered with 202.',
      ...EVENT,
    },
    description: { type: 'string', description: 'The description of the field.' },
    deprecated: { type: 'string', description: 'Why the field should not be used any more.', minLength: 1 },
  },
} as const;

export const SUBSCRIPTION_KEYS = {
  type: 'object',
  description: 'The fields of Subscription, each with one source: `poll`, `on` or `callback`.',
  names: 'Use a GraphQL name.',
  additionalProperties: false,
  default: {},
  patternProperties: { [`^${GRAPHQL_NAME}$`]: SUBSCRIPTION },
} as const;
