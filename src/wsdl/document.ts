/**
 * One document as it was read, ready to be served: its `segments` joined, with each link replaced
 * by an address of the gateway. Segments are cut at the positions of the parsed elements, so
 * nothing else of the text changes.
 */
export interface WsdlDocument {
  /** Index in `WsdlModel.documents`; 0 is the WSDL itself. */
  readonly index: number;
  readonly kind: 'wsdl' | 'schema';
  /** Path or URL it was read from. */
  readonly location: string;
  readonly segments: readonly (string | DocumentLink)[];
}

export type DocumentLink =
  /**
   * The address of a port, by its `portKey`. `written` is the text it had, references not resolved.
   */
  | { readonly kind: 'address'; readonly port: string; readonly written: string }
  /** The start or the end of the element of a port. */
  | {
      readonly kind: 'port';
      readonly port: string;
      readonly edge: 'start' | 'end';
      readonly written: '';
    }
  /** A reference to another document of this model. */
  | {
      readonly kind: 'document';
      readonly index: number;
      readonly target: WsdlDocument['kind'];
      readonly written: string;
    }
  /**
   * A whole reference to a document that is not in this model: its address is not shown to clients.
   */
  | { readonly kind: 'unresolved'; readonly written: string };

/** The key of a port among those of a WSDL: services may have ports of one name. */
export const portKey = (service: string, port: string): string => `${service} ${port}`;
