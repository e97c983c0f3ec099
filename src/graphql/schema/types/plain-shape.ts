import type { FieldSlot } from '../../../codec/index.js';
import type { ElementShape, FieldShape } from './shape.js';

/** A value that may be null, and no list. */
export const SINGLE = { list: false, nonNull: false, itemNonNull: false } as const;

/**
 * The shape of an object type that is known to GraphQL only: it has no interfaces, and no other
 * type stands for it.
 */
export const plainShape = (
  typeName: string,
  fields: ReadonlyMap<string, FieldShape>,
): ElementShape => ({
  declared: { typeName, conditions: new Set([typeName]), fields },
  variants: new Map(),
});

/** The position of a field on the wire. */
export const fieldPosition = ({
  source,
  lift,
}: Pick<FieldShape, 'source' | 'lift'>): Pick<FieldSlot, 'source' | 'lift'> =>
  lift === undefined ? { source } : { source, lift };
