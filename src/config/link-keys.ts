import { LIST_SIZE, type ListSizeKeys } from './cost-keys.js';
import { FIELD_NAME, FIELD_PATH, GRAPHQL_NAME, SERVICE_OPERATION } from './formats.js';

/** Keys of the links between operations: the part of the table of keys for them. */
export interface LinkKeys {
  operation: string;
  arguments: Record<string, string>;
  batch?: BatchKeys;
  description?: string;
  deprecated?: string;
  listSize?: ListSizeKeys;
}

export interface BatchKeys {
  operation: string;
  argument: string;
  key: string;
  items?: string;
}

const OPERATION = {
  ...SERVICE_OPERATION,
  hint: 'Write the service, a dot and the operation: customers.GetCustomer.',
} as const;

const BATCH = {
  type: 'object',
  description: 'A list operation that answers many objects in one call.',
  additionalProperties: false,
  required: ['operation', 'argument', 'key'],
  properties: {
    operation: { ...OPERATION, description: 'Service and operation: `customers.GetCustomers`.' },
    argument: { ...FIELD_PATH, description: 'Its list argument, which takes the keys.' },
    key: {
      ...FIELD_PATH,
      description: 'The field of the items that holds the key: answers may come in any order.',
    },
    items: {
      ...FIELD_PATH,
      description: 'Path to the list in its answer, where the answer itself is not the list.',
    },
  },
} as const;

const LINK = {
  type: 'object',
  additionalProperties: false,
  required: ['operation', 'arguments'],
  properties: {
    operation: {
      ...OPERATION,
      description:
        'Service and operation: `customers.GetCustomer`. Its answer is the field; it needs no field of its own.',
    },
    arguments: {
      type: 'object',
      description:
        'By argument of the operation (or path into it, `criteria.id`), the field of the object (or path) that fills it. Other arguments become those of the link.',
      names: FIELD_PATH.hint,
      additionalProperties: false,
      patternProperties: { [FIELD_PATH.pattern]: FIELD_PATH },
    },
    batch: BATCH,
    description: { type: 'string', description: 'The description of the field; that of the operation unless given.' },
    deprecated: { type: 'string', description: 'Why the field should not be used any more.', minLength: 1 },
    listSize: {
      ...LIST_SIZE,
      description: 'How long its list is, for the cost; as the operation has it unless given.',
    },
  },
} as const;

export const LINK_KEYS = {
  type: 'object',
  description:
    'By `Type.field`: fields that another operation answers, asked with fields of the object. They join operations, also of different services, into one graph.',
  names: 'Write a type of the schema, a dot and the name of the new field: Order.customer.',
  additionalProperties: false,
  default: {},
  patternProperties: { [`^${FIELD_NAME}\\.${GRAPHQL_NAME}$`]: LINK },
} as const;
