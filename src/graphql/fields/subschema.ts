import type { DocumentNode, FieldNode, GraphQLFieldConfig, GraphQLOutputType, GraphQLSchema } from 'graphql';
import type { FieldCost } from '../types/cost-rules.js';
import type { RootType } from './exposure.js';

/** A service that speaks GraphQL, as the schema sees it. */
export interface Subschema {
  readonly name: string;
  /** As the service has it. */
  readonly schema: GraphQLSchema;
  /** In front of the names of types and root fields; null for none. */
  readonly prefix: string | null;
  /** By `Type`, `Type.field` as the service has them: the name here. */
  readonly renames: ReadonlyMap<string, string>;
  /** `Type`, `Type.field`: what callers do not see. */
  readonly hidden: readonly string[];
  /** What one call costs; null: as calls do in general. */
  readonly callCost: number | null;
  readonly costs: SubschemaCosts;
  /** Whether its subscriptions are offered. */
  readonly subscribes: boolean;
}

/** What is said about costs and sizes of a service's lists, in the names it has there. */
export interface SubschemaCosts {
  /** By `Type.field`; roots are Query, Mutation and Subscription. */
  readonly fields: ReadonlyMap<string, FieldCost>;
  /** Points for each object. */
  readonly types: ReadonlyMap<string, number>;
}

/** A field of the root that such a service answers. */
export interface SubschemaField {
  readonly service: string;
  readonly parent: RootType | 'Subscription';
  readonly name: string;
  /** Its name as the service has it. */
  readonly operation: { readonly name: string };
  /** The service's schema under the names it has here; executing against it calls the service. */
  readonly wrapped: GraphQLSchema;
  readonly isNonNull: boolean;
  readonly headersArgument: null;
  readonly cost: FieldCost | null;
}

export const isSubschemaField = (called: object): called is SubschemaField => 'wrapped' in called;

export type SubschemaFieldConfig = GraphQLFieldConfig<unknown, unknown> & { readonly type: GraphQLOutputType };

/** What a service is asked: one operation, in the names it has there. */
export interface SubschemaRequest {
  readonly service: string;
  readonly operation: 'query' | 'mutation' | 'subscription';
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Sends one operation and resolves to the answer; of a subscription to one event. Rejects with a `Refusal`. */
export type SendToSubschema = (request: SubschemaRequest) => Promise<SubschemaReply>;

/** An answer as text, and what it is held to; or one that was read and held to that already. */
export type SubschemaReply =
  | { readonly text: string; readonly limits: SubschemaTextLimits }
  | { readonly answer: unknown };

export interface SubschemaTextLimits {
  readonly depth: number;
  readonly values: number;
}

/** One field to ask a service for, planned once for all who ask it. */
export interface SubschemaPlan {
  readonly field: SubschemaField;
  /** The response key of the field in `document`. */
  readonly key: string;
  readonly document: DocumentNode;
  /** The variables of the caller's operation that the document uses. */
  readonly variables: readonly string[];
  /** Variables that hold arguments which are values, by the argument's name. */
  readonly argumentVariables: ReadonlyMap<string, string>;
  /** What it was asked with, as the caller wrote it. */
  readonly nodes: readonly FieldNode[];
  /** Fields of root types that are asked for further below, as `Query.customer`. */
  readonly nested: readonly string[];
  /** Where links are in what comes back; null where there are none. */
  readonly links: SubschemaLinks | null;
  /** For a list operation of a link: how items and keys are found. */
  readonly batch: SubschemaBatch | null;
}

/** How links get what they need from a service that knows nothing of them. */
export interface SubschemaLinks {
  /** Names that begin like this are ours: no name of the caller's document does. */
  readonly prefix: string;
  /** The response keys that hold what feeds a link, by the node that asks for the link. */
  readonly feeds: ReadonlyMap<FieldNode, readonly string[]>;
}

export interface SubschemaBatch {
  /** Response keys on the way to the items. */
  readonly items: readonly string[];
  /** The response key of an item's key, and its steps. */
  readonly key: string;
  readonly keySteps: number;
}
