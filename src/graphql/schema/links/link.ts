import type { GraphQLField } from 'graphql';
import type { FieldFeed } from '../feeds/feed.js';
import type { BoundField } from '../fields/bound-field.js';
import type { SubschemaField } from '../fields/subschema.js';
import type { FieldCost } from '../types/cost-rules.js';

/**
 * A link as configured: a field of a type that calls an operation with other fields of the object.
 */
export interface LinkMapping {
  /** `Order.customer` */
  readonly name: string;
  /** `customers.GetCustomer`: its type is that of the link. */
  readonly operation: string;
  /**
   * Maps arguments of the operation (or paths, `criteria.id`) to the field of the object (or path)
   * that fills them.
   */
  readonly arguments: Readonly<Record<string, string>>;
  readonly batch: BatchMapping | null;
  readonly description: string | null;
  /** The reason of its deprecation; null for none. */
  readonly deprecated: string | null;
  /** The size of its list; null or absent: that of the operation. */
  readonly cost?: FieldCost | null;
}

/** A list operation, which answers many objects in one call. */
interface BatchMapping {
  readonly operation: string;
  /** The list argument of the operation, or the path to it. */
  readonly argument: string;
  /** The field of the items, or path, with the key of the object. */
  readonly key: string;
  /** Path to the items in its answer; null where the answer is the list. */
  readonly items: string | null;
}

/** One link, resolved against the schema. */
export interface Link {
  readonly name: string;
  /** The list operation where there is one. */
  readonly called: BoundField | SubschemaField;
  /** As the schema has it: its arguments are those of the operation that the link does not fill. */
  readonly definition: GraphQLField<unknown, unknown>;
  /** A link with a list operation has exactly one. */
  readonly feeds: readonly FieldFeed[];
  readonly batch: LinkBatch | null;
}

export interface LinkBatch {
  readonly items: readonly string[];
  readonly key: readonly string[];
  /** Keys are numbers: 7 and 7.0 are one. */
  readonly isNumeric: boolean;
  /** The link is a list: all items of a key, not the first. */
  readonly isGrouped: boolean;
  /** For such a list: it may not hold null. */
  readonly itemNonNull: boolean;
  /** Null: the list argument takes values. */
  readonly composite: CompositeBatch | null;
}

/** A batch whose list argument takes objects, with a member for each feed of the link. */
export interface CompositeBatch {
  readonly argument: readonly string[];
  /** The names of the members, by feed. */
  readonly members: readonly string[];
  /** The values that items are known by; `key` of the batch is the first. */
  readonly parts: readonly KeyPart[];
}

/** A value of a key: the field of the items that holds it, and the feed that has it. */
interface KeyPart {
  readonly path: readonly string[];
  readonly isNumeric: boolean;
  readonly feed: number;
}

/** Maps `Type.field` to its link, for every type that has the field. */
export type LinkTable = ReadonlyMap<string, Link>;

/**
 * The response keys on the way to links, through lists; a key without further ones is, or may be, a
 * link.
 */
export type Walk = ReadonlyMap<string, Walk>;
