import { NO_EXTENSIONS } from '../rights/extensions.js';

/**
 * The cost of one field by the mapping or the SDL types: `@cost` and `@listSize` of the cost
 * directives' specification of IBM. It stands in the extensions of the field, under `cost`.
 */
export class FieldCost {
  /** Points for each time the field is answered; of an operation for each call. Null: by rule. */
  readonly weight: number | null = null;
  readonly listSize: ListSize | null = null;
  /**
   * Points for an argument, or an input field in it (`filter.text`), by its path in GraphQL names.
   */
  readonly arguments: ReadonlyMap<string, number> = NONE;
  /** The assumed size of a reply in KiB; null: unknown. */
  readonly replyKib: number | null = null;
  /** The most objects of a reply in lists without slicing arguments; null: unknown. */
  readonly replySize: number | null = null;
  /** The position of the cost in the configuration; null: it is elsewhere. */
  readonly origin: CostOrigin | null = null;

  constructor(parts: FieldCostParts) {
    Object.assign(this, parts);
  }

  /** Fills absent parts from another cost. */
  or(other: FieldCost | null): FieldCost {
    if (other === null) return this;
    return new FieldCost({
      weight: this.weight ?? other.weight,
      listSize: this.listSize ?? other.listSize,
      arguments: new Map([...other.arguments, ...this.arguments]),
      replyKib: this.replyKib ?? other.replyKib,
      replySize: this.replySize ?? other.replySize,
      origin: this.origin ?? other.origin,
    });
  }
}

export type FieldCostParts = Partial<Omit<FieldCost, 'or'>>;

/** A place in the configuration: from the keys of the service on, or of all where that is null. */
export interface CostOrigin {
  readonly service: string | null;
  readonly path: readonly string[];
}

/**
 * The size of a list: sections 2.4 and 2.5 of the specification. Paths are of GraphQL names, a dot
 * between them.
 */
export interface ListSize {
  /** Without a slicing argument; null: that of all lists. */
  readonly assumedSize: number | null;
  /** Arguments with the size, or input fields in them: the largest counts. */
  readonly slicingArguments: readonly string[];
  /** Fields below this one that are the list; []: it is itself. */
  readonly sizedFields: readonly string[];
  /**
   * Whether exactly one of the arguments is required. Without slicing arguments it has no effect.
   */
  readonly requireOneSlicingArgument: boolean;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** The cost of a call, with the weight of calls to its service where the operation has none. */
export const costOfCall = (
  cost: FieldCost | null,
  serviceWeight: number | null,
): FieldCost | null =>
  serviceWeight === null
    ? cost
    : (cost ?? new FieldCost({})).or(new FieldCost({ weight: serviceWeight }));

/** A field, argument or type of a schema. */
interface Costed {
  readonly extensions?: Readonly<Record<string, unknown>> | null;
}

/** The cost of a field; null without one. */
export function fieldCostOf({ extensions }: Costed): FieldCost | null {
  const cost = extensions?.['cost'];
  return cost instanceof FieldCost ? cost : null;
}

/** Points for each object of a type; null: by rule. */
export function typeWeightOf({ extensions }: Costed): number | null {
  const weight = extensions?.['cost'];
  return typeof weight === 'number' ? weight : null;
}

/** The extensions of a field or type with this cost. */
export const costExtensions = (
  cost: FieldCost | number | null,
): Readonly<Record<string, FieldCost | number>> => (cost === null ? NO_EXTENSIONS : { cost });
