import type { GraphQLFieldConfig, GraphQLOutputType } from 'graphql';
import type { BoundField } from '../fields/bound-field.js';
import type { SubschemaField } from '../fields/subschema.js';

/**
 * One argument of a call that a value fills: a field of the object of a link, or one of an event.
 */
export interface FieldFeed {
  /** Path of the argument. */
  readonly argument: readonly string[];
  /** Path of the field. */
  readonly field: readonly string[];
  /** Without a value there is no call: the link is null. */
  readonly required: boolean;
  /** The argument takes a list. */
  readonly isList: boolean;
  /** A single value becomes a list of one. */
  readonly wraps: boolean;
  /** A number or truth value becomes its text. */
  readonly asText: boolean;
  /** A text becomes a number; null where it stays. */
  readonly asNumber: ((text: unknown) => unknown) | null;
}

/** An operation that a link or a subscription can call, offered at the root or not. */
export interface CallTarget {
  readonly bound: BoundField;
  readonly config: GraphQLFieldConfig<unknown, unknown> & { readonly type: GraphQLOutputType };
  /** It is a field of Mutation: reading must not call it. */
  readonly isMutation: boolean;
}

/** A root field of a subschema that a link or a subscription can call. */
export interface SubschemaTarget extends Omit<CallTarget, 'bound'> {
  readonly bound: SubschemaField;
}
