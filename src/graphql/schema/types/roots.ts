import type { GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

/** The names of root types in configurations, also of schemas that name them otherwise. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'] as const;

export type Root = (typeof ROOTS)[number];

/** A root type by what it is, not by what it is called. */
export function rootOf(schema: GraphQLSchema, root: string): GraphQLObjectType | null {
  if (root === 'Query') return schema.getQueryType() ?? null;
  if (root === 'Mutation') return schema.getMutationType() ?? null;
  return root === 'Subscription' ? (schema.getSubscriptionType() ?? null) : null;
}

/** Those that the schema has. */
export const rootTypes = (schema: GraphQLSchema): readonly GraphQLObjectType[] =>
  ROOTS.flatMap((root) => rootOf(schema, root) ?? []);

export const isRoot = (schema: GraphQLSchema, type: GraphQLNamedType): boolean =>
  ROOTS.some((root) => rootOf(schema, root) === type);
