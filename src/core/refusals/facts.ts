/** A name of the message after namespace processing; `uri` is '' for no namespace. */
export interface SeenName {
  readonly uri: string;
  readonly local: string;
}

/** A place in a message: the byte counts from 0 in the encoding of its sender, the line from 1. */
export interface Place {
  readonly byte: number;
  readonly line: number | null;
}

/**
 * What a refusal knows of the message it refuses, besides its code: names and places, never values.
 */
export interface Facts {
  /**
   * The offset of what was found, in UTF-8 as the reader counts; absent: the reader finds the last
   * tag.
   */
  readonly offsetBytes?: number;
  /** The path to what breaks the rule, by names of the schema: of XML from the child of Body on. */
  readonly path?: string;
  /** The elements or header blocks that are refused. */
  readonly elements?: readonly SeenName[];
  /** The action that the message names. */
  readonly action?: string;
  /**
   * The actions, namespaces or media types that would have been right. All may be known to the
   * caller.
   */
  readonly expected?: readonly string[];
}

export const placeOf = ({ offsetBytes }: Facts): Place | null =>
  offsetBytes === undefined ? null : { byte: offsetBytes, line: null };
