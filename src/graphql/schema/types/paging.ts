import type { FieldShape } from './shape.js';

/**
 * How calls name the page they ask for: by its number, by the rows before it, or by a value of the
 * reply before.
 */
type PageKind = 'page' | 'offset' | 'cursor';

/** The pages of an operation as configured. Paths are of XML names. */
export interface PagesMapping {
  readonly kind: PageKind;
  /** The number of the first page. */
  readonly first: number;
  /** Rows of a page. */
  readonly size: number;
  readonly items: string;
  readonly total: TotalMapping | null;
  /** The value that names the next page; null where pages are counted. */
  readonly next: string | null;
  /** The path of the mapping in the configuration, from the keys of the service on. */
  readonly path: readonly string[];
}

interface TotalMapping {
  readonly of: 'items' | 'pages';
  readonly path: string;
}

/** A value in a reply, by the names of GraphQL fields on the way to it. */
export interface ReplyPath {
  /** [] for the one field that the reply is. */
  readonly steps: readonly string[];
  /** The field at its end. */
  readonly field: FieldShape;
}

/** The pages of an operation, resolved against its reply. */
export interface Paging {
  readonly kind: PageKind;
  readonly first: number;
  readonly size: number;
  readonly items: ReplyPath;
  readonly total: (ReplyPath & { readonly of: 'items' | 'pages' }) | null;
  readonly next: ReplyPath | null;
  /**
   * Repeated pages are recognised by their rows: elements that stand for others have none of their
   * own.
   */
  readonly isComparable: boolean;
  /** The names of the types that are made for it. */
  readonly types: ConnectionTypes;
}

export interface ConnectionTypes {
  readonly connection: string;
  readonly edge: string;
  readonly pageInfo: string;
}
