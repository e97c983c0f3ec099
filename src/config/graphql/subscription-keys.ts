import { FIELD_NAME, FIELD_PATH, GRAPHQL_NAME, SERVICE_OPERATION } from '../keys/formats.js';
import {
  closed,
  mapOf,
  millis,
  optional,
  string,
  type TextOptions,
  text,
} from '../keys/key-types.js';

const operation = (description: string) =>
  text(description, {
    ...SERVICE_OPERATION,
    hint: 'Write the service, a dot and the operation: orders.GetOrder.',
  });
const VALUE_HINT =
  'Write `request.` or `reply.` and the path of GraphQL names to the value: reply.orderID.';
const VALUE_PATTERN = `^(request|reply)(\\.${FIELD_NAME}){0,15}$`;
const VALUE = { pattern: VALUE_PATTERN, maxLength: 2048, hint: VALUE_HINT };

const POLL = closed(
  {
    operation: operation('Service and operation, which only reads: `orders.GetOrder`.'),
    everyMillis: millis('Time between two calls.', [50, 86_400_000], 5000),
    changed: optional(
      text(
        'Path to the one value of the answer whose change is sent; by default the whole selection.',
        FIELD_PATH,
      ),
    ),
  },
  'Repeats a call while it has subscribers, once for all that ask for the same, and sends its ' +
    'answer when it has changed.',
);

const texts = (pattern: string, value: TextOptions, names: string, description: string) =>
  mapOf(pattern, string(value), description, { names, default: {} });

/** The event for a message that passes or arrives: `answer` with `arguments`, or `fields`. */
const event = (description: string) =>
  closed(
    {
      operation: operation('Service and operation whose messages are the events.'),
      where: texts(
        VALUE_PATTERN,
        { description: 'The value, as text.' },
        VALUE_HINT,
        'Values that a message must have to be an event: `reply.status: SHIPPED`.',
      ),
      filter: texts(
        `^${GRAPHQL_NAME}$`,
        VALUE,
        'Use a GraphQL name.',
        'By name of an argument of the subscription: the value of the message that must be ' +
          'equal to it where it is present.',
      ),
      answer: optional(
        operation(
          'The operation that is called for each event, for each subscriber as itself, ' +
            'and whose answer is sent.',
        ),
      ),
      arguments: texts(
        FIELD_PATH.pattern,
        VALUE,
        FIELD_PATH.hint,
        'By argument of `answer` (or path into it): the value of the message that fills it.',
      ),
      fields: texts(
        `^${GRAPHQL_NAME}$`,
        VALUE,
        'Use a GraphQL name.',
        'Instead of `answer`: by field of the event, the value of the message that it ' +
          'is. Links may lead on.',
      ),
    },
    description,
  );

const SUBSCRIPTION = closed({
  poll: optional(POLL),
  on: optional(
    event(
      'Each successful exchange of this operation that passes the gateway, whether a SOAP or ' +
        'a GraphQL client made it.',
    ),
  ),
  callback: optional(
    event(
      'Each request for this operation that is posted to `/callback/<service>`: ' +
        'it is answered with 202.',
    ),
  ),
  description: optional(text('The description of the field.')),
  deprecated: optional(text('Why the field should not be used any more.', { minLength: 1 })),
});

/**
 * Keys of the fields of Subscription: the part of the table of keys for them. One of `poll`, `on`,
 * `callback`.
 */
export const SUBSCRIPTION_KEYS = mapOf(
  `^${GRAPHQL_NAME}$`,
  SUBSCRIPTION,
  'The fields of Subscription, each with one source: `poll`, `on` or `callback`.',
  { names: 'Use a GraphQL name.', default: {} },
);
