import { FIELD_NAME, FIELD_PATH, GRAPHQL_NAME, SERVICE_OPERATION } from '../keys/formats.js';
import { closed, mapOf, optional, string, text } from '../keys/key-types.js';
import { listSize } from './cost-keys.js';

/** An operation of a service that other fields call. */
export const linkedOperation = (description: string) =>
  text(description, {
    ...SERVICE_OPERATION,
    hint: 'Write the service, a dot and the operation: customers.GetCustomer.',
  });
const fieldPath = (description: string) => text(description, FIELD_PATH);

export const LINK_BATCH = closed(
  {
    operation: linkedOperation('Service and operation: `customers.GetCustomers`.'),
    argument: fieldPath('Its list argument, which takes the keys.'),
    key: fieldPath('The field of the items that holds the key: answers may come in any order.'),
    items: optional(
      fieldPath('Path to the list in its answer, where the answer itself is not the list.'),
    ),
  },
  'A list operation that answers many objects in one call.',
);

const LINK = closed({
  operation: linkedOperation(
    'Service and operation: `customers.GetCustomer`. Its answer is the field; ' +
      'it needs no field of its own.',
  ),
  arguments: mapOf(
    FIELD_PATH.pattern,
    string(FIELD_PATH),
    'By argument of the operation (or path into it, `criteria.id`), the field of the object ' +
      '(or path) that fills it. The first is the key: where it is null, so is the link, without ' +
      'a call. Other arguments become those of the link.',
    { names: FIELD_PATH.hint },
  ),
  batch: optional(LINK_BATCH),
  description: optional(text('The description of the field; that of the operation unless set.')),
  deprecated: optional(text('Why the field should not be used any more.', { minLength: 1 })),
  listSize: optional(
    listSize('How long its list is, for the cost; as the operation has it unless set.'),
  ),
});

/** Keys of the links between operations: the part of the table of keys for them. */
export const LINK_KEYS = mapOf(
  `^${FIELD_NAME}\\.${GRAPHQL_NAME}$`,
  LINK,
  'By `Type.field`: fields that another operation answers, asked with fields of the object. ' +
    'They join operations, also of different services, into one graph.',
  {
    names: 'Write a type of the schema, a dot and the name of the new field: Order.customer.',
    default: {},
  },
);
