/**
 * What the mapping, or type definitions written by hand, say about the cost of one field: `@cost` and `@listSize` of
 * the cost directives' specification of IBM. It stands in the extensions of the field, under `cost`.
 */
export class FieldCost {
  /** Points for each time the field is answered; of an operation for each call. Null: by rule. */
  readonly weight: number | null;
  readonly listSize: ListSize | null;
  /** Points for an argument that is given, or for what is inside it (`filter.text`), by its path in GraphQL names. */
  readonly arguments: ReadonlyMap<string, number>;
  /** KiB that the reply to one call is taken to have; null: unknown. */
  readonly replyKib: number | null;
  /** Where it stands in the configuration; null: elsewhere. */
  readonly origin: CostOrigin | null;

  constructor({
    weight = null,
    listSize = null,
    arguments: given = NONE,
    replyKib = null,
    origin = null,
  }: FieldCostParts) {
    this.weight = weight;
    this.listSize = listSize;
    this.arguments = given;
    this.replyKib = replyKib;
    this.origin = origin;
  }

  /** This, and what it leaves open as the other has it. */
  or(other: FieldCost | null): FieldCost {
    if (other === null) return this;
    return new FieldCost({
      weight: this.weight ?? other.weight,
      listSize: this.listSize ?? other.listSize,
      arguments: new Map([...other.arguments, ...this.arguments]),
      replyKib: this.replyKib ?? other.replyKib,
      origin: this.origin ?? other.origin,
    });
  }
}

export interface FieldCostParts {
  readonly weight?: number | null;
  readonly listSize?: ListSize | null;
  readonly arguments?: ReadonlyMap<string, number>;
  readonly replyKib?: number | null;
  readonly origin?: CostOrigin | null;
}

/** A place in the configuration: from the keys of the service on, or of all where that is null. */
export interface CostOrigin {
  readonly service: string | null;
  readonly path: readonly string[];
}

/** How long a list is: sections 2.4 and 2.5 of the specification. Paths are of GraphQL names, a dot between them. */
export interface ListSize {
  /** Where no argument says it; null: as lists are in general. */
  readonly assumedSize: number | null;
  /** Arguments that say it, or input fields in them: the largest counts. */
  readonly slicingArguments: readonly string[];
  /** Fields below this one that are the list; []: it is itself. */
  readonly sizedFields: readonly string[];
  /** Whether exactly one of the arguments must be given. Without slicing arguments it says nothing. */
  readonly requireOneSlicingArgument: boolean;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** What is said about a call, with the weight of calls to its service where its operation does not say. */
export const costOfCall = (cost: FieldCost | null, usual: number | null): FieldCost | null =>
  usual === null ? cost : (cost ?? new FieldCost({})).or(new FieldCost({ weight: usual }));

/** What is said about the cost of a field, argument or type of a schema. */
interface Costed {
  readonly extensions?: Readonly<Record<string, unknown>> | null;
}

/** What is said about the cost of a field; null: nothing. */
export function fieldCostOf({ extensions }: Costed): FieldCost | null {
  const cost = extensions?.['cost'];
  return cost instanceof FieldCost ? cost : null;
}

/** Points for each object of a type; null: by rule. */
export function typeWeightOf({ extensions }: Costed): number | null {
  const weight = extensions?.['cost'];
  return typeof weight === 'number' ? weight : null;
}

/** What a field or type of a schema carries. */
export const costExtensions = (cost: FieldCost | number | null): Readonly<Record<string, FieldCost | number>> =>
  cost === null ? NO_EXTENSIONS : { cost };

const NO_EXTENSIONS: Readonly<Record<string, never>> = Object.freeze({});
