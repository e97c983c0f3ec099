/**
 * The directives of Apollo Federation that the configuration gives to parts of the schema, by names
 * of GraphQL.
 */
export type FederationDirectives = ReadonlyMap<string, TypeDirectives>;

/** What any part of the schema may have. */
interface PartDirectives {
  readonly inaccessible: boolean;
  readonly tags: readonly string[];
}

export interface TypeDirectives extends PartDirectives {
  readonly shareable: boolean;
  /** The type is an interface in other subgraphs. */
  readonly interfaceObject: boolean;
  /** Maps the name of a field, of a field of an input, or of a value of an enumeration. */
  readonly fields: ReadonlyMap<string, FieldDirectives>;
}

export interface FieldDirectives extends PartDirectives {
  readonly shareable: boolean;
  readonly external: boolean;
  /** The type of a field that other subgraphs alone answer; null for one of this schema. */
  readonly type: string | null;
  /** The subgraph that the field is taken from, with the label of a gradual change. */
  readonly override: { readonly from: string; readonly label: string | null } | null;
  /** Selections of fields; null for none. */
  readonly requires: string | null;
  readonly provides: string | null;
}
