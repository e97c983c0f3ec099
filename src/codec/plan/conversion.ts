/**
 * How the text of a simple value becomes a value of GraphQL, and back: `convert` of a field or an
 * argument.
 */
export interface Conversion {
  /** Null: the value keeps its own type. */
  readonly target: ConversionTarget | null;
  /** White space at both ends is no part of the value. */
  readonly trims: boolean;
  /** Texts that stand for null; the first one is written for null. */
  readonly nulls: readonly string[];
}

export type ConversionTarget =
  | { readonly kind: 'boolean'; readonly texts: { readonly true: string; readonly false: string } }
  /** Maps the names of the enumeration to the texts on the wire. */
  | { readonly kind: 'enum'; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'date' | 'time'; readonly pattern: string }
  /** `zone`: null where the pattern has an offset. */
  | { readonly kind: 'dateTime'; readonly pattern: string; readonly zone: string | null }
  /**
   * `places`: the last so many digits are behind the point. `digits`: the width of written numbers;
   * null: none.
   */
  | { readonly kind: 'decimal'; readonly places: number; readonly digits: number | null }
  | { readonly kind: 'integer'; readonly digits: number | null };

export const CONVERSION_KINDS = [
  'boolean',
  'enum',
  'date',
  'time',
  'dateTime',
  'decimal',
  'integer',
] as const satisfies readonly ConversionTarget['kind'][];
