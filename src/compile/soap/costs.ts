import type { ListSizeKeys } from '../../config/graphql/cost-keys.js';
import type { SubschemaCostKeys } from '../../config/graphql/graphql-service-keys.js';
import type { MappedOperation } from '../../config/graphql/operation-keys.js';
import type { FieldKeys } from '../../config/graphql/type-keys.js';
import { graphqlSchema, type schemaMapping } from '../../graphql/index.js';

/** The configured cost of an operation; null where there is none. */
export function costOfOperation(
  keys: MappedOperation,
  origin: schemaMapping.CostOrigin,
): graphqlSchema.FieldCost | null {
  const { cost, weight, argumentCosts, listSize, replyKib, replySize } = keys;
  return costOf(
    {
      weight: cost ?? weight ?? null,
      arguments: new Map(Object.entries(argumentCosts ?? {})),
      listSize: listSize === undefined ? null : listSizeOf(listSize),
      replyKib: replyKib ?? null,
      replySize: replySize ?? null,
    },
    origin,
  );
}

/** The configured cost of a field of a type. */
export const costOfField = (
  { cost, listSize }: FieldKeys,
  origin: schemaMapping.CostOrigin,
): graphqlSchema.FieldCost | null =>
  costOf(
    { weight: cost ?? null, listSize: listSize === undefined ? null : listSizeOf(listSize) },
    origin,
  );

/** The configured cost of a field of a GraphQL upstream. */
export const subschemaFieldCost = (
  { cost, argumentCosts, listSize }: SubschemaCostKeys,
  origin: schemaMapping.CostOrigin,
): graphqlSchema.FieldCost | null =>
  costOf(
    {
      weight: cost ?? null,
      arguments: new Map(Object.entries(argumentCosts ?? {})),
      listSize: listSize === undefined ? null : listSizeOf(listSize),
    },
    origin,
  );

/** The configured cost of a link. */
export const costOfLink = (
  listSize: ListSizeKeys | undefined,
  path: readonly string[],
): graphqlSchema.FieldCost | null =>
  listSize === undefined
    ? null
    : costOf({ listSize: listSizeOf(listSize) }, { service: null, path });

const listSizeOf = (keys: ListSizeKeys): schemaMapping.ListSize => ({
  ...keys,
  assumedSize: keys.assumedSize ?? null,
});

function costOf(
  parts: Omit<ConstructorParameters<typeof graphqlSchema.FieldCost>[0], 'origin'>,
  origin: schemaMapping.CostOrigin,
): graphqlSchema.FieldCost | null {
  const { weight = null, listSize = null, replyKib = null, replySize = null } = parts;
  const hasSizes = listSize !== null || replyKib !== null || replySize !== null;
  const isEmpty = weight === null && !hasSizes && (parts.arguments?.size ?? 0) === 0;
  return isEmpty ? null : new graphqlSchema.FieldCost({ ...parts, origin });
}
