import { RETYPE_TARGETS } from '../graphql/types/retype.js';
import { LIST_SIZE, type ListSizeKeys, points } from './cost-keys.js';
import { GRAPHQL_NAME } from './formats.js';

/** Keys of a service about the types that its schema is made of: the part of the table of keys for them. */
export interface SchemaKeys {
  choices: 'fields' | 'union';
  types: Record<string, TypeKeys>;
}

export interface TypeKeys {
  name?: string;
  description?: string;
  hide: boolean;
  cost?: number;
  fields: Record<string, FieldKeys>;
}

export interface FieldKeys {
  name?: string;
  type?: (typeof RETYPE_TARGETS)[number];
  hide: boolean;
  deprecated?: string;
  description?: string;
  cost?: number;
  listSize?: ListSizeKeys;
}

const NAME = { type: 'string', pattern: `^${GRAPHQL_NAME}$`, hint: 'Write a GraphQL name.' } as const;
const TEXT = { type: 'string', minLength: 1, maxLength: 2000 } as const;
const HIDE = { type: 'boolean', default: false } as const;

const FIELD = {
  type: 'object',
  additionalProperties: false,
  required: ['hide'],
  properties: {
    name: { ...NAME, description: 'Its name in GraphQL.' },
    type: {
      type: 'string',
      enum: RETYPE_TARGETS,
      description: 'The scalar it is shown as. Every value must survive: a number may be an `ID`, text no `Int`.',
    },
    hide: { ...HIDE, description: 'Leaves it out of replies, and of requests unless it must be given.' },
    deprecated: { ...TEXT, description: 'Marks it as deprecated, for this reason.' },
    description: { ...TEXT, description: 'Instead of its documentation.' },
    cost: points('What it costs each time it is selected of an object; nothing unless given.'),
    listSize: LIST_SIZE,
  },
} as const;

const TYPE = {
  type: 'object',
  additionalProperties: false,
  required: ['hide', 'fields'],
  properties: {
    name: { ...NAME, description: 'Its name in GraphQL; that of the input type ends in `Input`.' },
    description: { ...TEXT, description: 'Instead of its documentation.' },
    hide: { ...HIDE, description: 'Leaves out every field of this type.' },
    cost: points('What each object of the type costs; 1 unless given.'),
    fields: {
      type: 'object',
      description: 'By the XML name of an element or attribute; `@name` is the attribute where both exist.',
      names: 'Use the name of an element or an attribute (`@name`) of the type.',
      default: {},
      additionalProperties: false,
      patternProperties: { '^@?[^\\s:{}@]{1,256}$': FIELD },
    },
  },
} as const;

export const SCHEMA_KEYS = {
  type: 'object',
  description: 'How GraphQL shows what the WSDL declares.',
  additionalProperties: false,
  default: {},
  required: ['choices', 'types'],
  properties: {
    choices: {
      type: 'string',
      enum: ['fields', 'union'],
      description:
        'A choice in replies: `fields` has one for each branch, which may be null; `union` has one field `choice`, of a type for each branch, in the order of the message where it is repeated.',
      default: 'fields',
    },
    types: {
      type: 'object',
      description: 'By the XML name of a type, or of the element of a type without a name; `{uri}name` tells it apart.',
      names: 'Use the name of a type of the WSDL: Customer or {uri}Customer.',
      default: {},
      additionalProperties: false,
      patternProperties: { '^(\\{[^{}]*\\})?[^\\s:{}]{1,256}$': TYPE },
    },
  },
} as const;
