import {
  GraphQLBoolean,
  type GraphQLNullableType,
  type GraphQLOutputType,
  getNullableType,
} from 'graphql';
import { PRESENCE_SCALAR } from '../types/leaf.js';
import { SINGLE } from '../types/plain-shape.js';
import type { FieldShape, ReplyRoot } from '../types/shape.js';

/**
 * An answer as one field of an object that exists in GraphQL only. `type` is without its outer
 * non-null.
 */
export interface ResultField {
  readonly type: GraphQLNullableType & GraphQLOutputType;
  readonly field: FieldShape;
}

/**
 * Makes the field for an answer of this type, which is read from the same element as the object
 * around it.
 */
export function resultField(type: GraphQLOutputType, root: ReplyRoot): ResultField {
  if (root.kind === 'done') return { type: GraphQLBoolean, field: DONE };
  if (root.kind === 'unwrap') {
    return { type: getNullableType(type), field: { ...root.field, nonNull: false } };
  }
  const value = { kind: 'object', shape: root.shape } as const;
  return { type: getNullableType(type), field: { ...SINGLE, source: { from: 'self' }, value } };
}

/** An answer that holds nothing: it is there. */
export const DONE: FieldShape = {
  ...SINGLE,
  source: { from: 'constant', value: '' },
  value: { kind: 'scalar', scalar: PRESENCE_SCALAR },
};
