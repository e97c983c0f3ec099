import type { ListSizeKeys } from '../config/cost-keys.js';
import type { RemoteCostKeys } from '../config/graphql-service-keys.js';
import type { MappedOperation } from '../config/operation-keys.js';
import type { FieldKeys } from '../config/type-keys.js';
import { type CostOrigin, FieldCost, type ListSize } from '../graphql/types/cost-rules.js';

/** What the configuration says an operation costs; null where it says nothing. */
export function costOfOperation(keys: MappedOperation, origin: CostOrigin): FieldCost | null {
  const { cost, weight, argumentCosts, listSize, replyKib } = keys;
  return costOf(
    {
      weight: cost ?? weight ?? null,
      arguments: new Map(Object.entries(argumentCosts ?? {})),
      listSize: listSize === undefined ? null : listSizeOf(listSize),
      replyKib: replyKib ?? null,
    },
    origin,
  );
}

/** What it says a field of a type costs. */
export const costOfField = ({ cost, listSize }: FieldKeys, origin: CostOrigin): FieldCost | null =>
  costOf({ weight: cost ?? null, listSize: listSize === undefined ? null : listSizeOf(listSize) }, origin);

/** What it says a field of a service costs that speaks GraphQL. */
export const costOfRemote = ({ cost, argumentCosts, listSize }: RemoteCostKeys, origin: CostOrigin): FieldCost | null =>
  costOf(
    {
      weight: cost ?? null,
      arguments: new Map(Object.entries(argumentCosts ?? {})),
      listSize: listSize === undefined ? null : listSizeOf(listSize),
    },
    origin,
  );

/** What it says a link costs. */
export const costOfLink = (listSize: ListSizeKeys | undefined, path: readonly string[]): FieldCost | null =>
  listSize === undefined ? null : costOf({ listSize: listSizeOf(listSize) }, { service: null, path });

const listSizeOf = (keys: ListSizeKeys): ListSize => ({ ...keys, assumedSize: keys.assumedSize ?? null });

function costOf(
  parts: Omit<ConstructorParameters<typeof FieldCost>[0], 'origin'>,
  origin: CostOrigin,
): FieldCost | null {
  const { weight = null, listSize = null, replyKib = null } = parts;
  const saysNothing = weight === null && listSize === null && replyKib === null && (parts.arguments?.size ?? 0) === 0;
  return saysNothing ? null : new FieldCost({ ...parts, origin });
}
