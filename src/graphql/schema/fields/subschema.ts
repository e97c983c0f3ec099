import type { DocumentNode, FieldNode, GraphQLSchema } from 'graphql';
import type { FieldRule } from '../rights/field-rule.js';
import type { FieldCost } from '../types/cost-rules.js';
import type { RootType } from './exposure.js';

/** The schema of a GraphQL upstream, and its configuration. */
export interface Subschema {
  readonly name: string;
  /** In the names of the upstream. */
  readonly schema: GraphQLSchema;
  /** In front of the names of types and root fields; null for none. */
  readonly prefix: string | null;
  /** Maps `Type` or `Type.field` of the upstream to the name in the gateway. */
  readonly renames: ReadonlyMap<string, string>;
  /** `Type` or `Type.field`: parts that are hidden. */
  readonly hidden: readonly string[];
  /** The cost of one call; null: that of all calls. */
  readonly callCost: number | null;
  readonly costs: SubschemaCosts;
  /** Maps `Type` or `Type.field`, in the names of the upstream, to its rule. */
  readonly rules: ReadonlyMap<string, FieldRule>;
  /** Whether its subscriptions are offered. */
  readonly subscribes: boolean;
  readonly wrap: WrapSubschema;
}

/** Makes the schema of a subschema under its names in the gateway. */
type WrapSubschema = (
  subschema: Pick<Subschema, 'name' | 'schema' | 'rules'>,
  names: SubschemaNames,
) => GraphQLSchema;

/** The names of a subschema's parts in the gateway. Names that are not in a map stay. */
export interface SubschemaNames {
  /** Maps the upstream's names of root types to those of the gateway. */
  readonly roots: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  /**
   * Maps the upstream's names of fields of Query and Mutation (`Query.customer`) to those of the
   * gateway.
   */
  readonly rootFields: ReadonlyMap<string, string>;
  /** Maps other fields, by `Type.field` of the upstream, to their names in the gateway. */
  readonly fields: ReadonlyMap<string, string>;
  /** `Type` and `Type.field` there; of root types as `Query`, `Mutation`, `Subscription`. */
  readonly hidden: ReadonlySet<string>;
}

/** Costs and sizes of lists, in the names of the upstream. */
export interface SubschemaCosts {
  /** Maps `Type.field` to its cost; roots are Query, Mutation and Subscription. */
  readonly fields: ReadonlyMap<string, FieldCost>;
  /** Points for each object. */
  readonly types: ReadonlyMap<string, number>;
}

/** A field of the root that a subschema answers. */
export interface SubschemaField {
  readonly service: string;
  readonly parent: RootType | 'Subscription';
  readonly name: string;
  /** The field, under the name that it has in the upstream. */
  readonly operation: { readonly name: string };
  /** The schema in the names of the gateway; executing against it calls the upstream. */
  readonly wrapped: GraphQLSchema;
  readonly isNonNull: boolean;
  readonly headersArgument: null;
  readonly cost: FieldCost | null;
}

export const isSubschemaField = (called: object): called is SubschemaField => 'wrapped' in called;

/** One operation for an upstream, in its names. */
export interface SubschemaRequest {
  readonly service: string;
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Sends one operation and resolves to its answer, or to one event of a subscription. Rejects with a
 * `Refusal`.
 */
export type SendToSubschema = (request: SubschemaRequest) => Promise<SubschemaReply>;

/** An answer as text with its limits, or one that is parsed and checked already. */
export type SubschemaReply =
  | { readonly text: string; readonly limits: SubschemaTextLimits }
  | { readonly answer: unknown };

export interface SubschemaTextLimits {
  readonly depth: number;
  readonly values: number;
}

/** The plan of one field that a subschema answers, cached for all requests. */
export interface SubschemaPlan {
  readonly field: SubschemaField;
  /** The response key of the field in `document`. */
  readonly key: string;
  readonly document: DocumentNode;
  /** The variables of the caller's operation that the document uses. */
  readonly variables: readonly string[];
  /** Variables that hold arguments which are values, by the argument's name. */
  readonly argumentVariables: ReadonlyMap<string, string>;
  /** The nodes of the client's document. */
  readonly nodes: readonly FieldNode[];
  /** Fields of root types that are selected further below, as `Query.customer`. */
  readonly nested: readonly string[];
  /** How links in the answer get their values; null without links. */
  readonly links: SubschemaLinks | null;
  /** For a list operation of a link: how items and keys are found. */
  readonly batch: SubschemaBatch | null;
}

/** The response keys that were added for links. */
export interface SubschemaLinks {
  /** The prefix of added names: no name of the client's document begins with it. */
  readonly prefix: string;
  /** The response keys of a link's feeds, by the node of the link. */
  readonly feeds: ReadonlyMap<FieldNode, readonly string[]>;
}

export interface SubschemaBatch {
  /** Response keys on the way to the items. */
  readonly items: readonly string[];
  /** The response key of an item's key, and its steps. */
  readonly key: string;
  readonly keySteps: number;
}
