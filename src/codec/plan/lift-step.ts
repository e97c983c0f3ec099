import type { Wildcard } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';

/** Maps a local name to the first and the last position of elements with that name. */
export type ChildPositions = ReadonlyMap<string, { readonly first: number; readonly last: number }>;

/** An element around a value that the response shows without it. */
export interface LiftStep {
  readonly name: QName;
  /** As in `NamedChild`. */
  readonly occurrence?: number;
  readonly wildcards?: readonly Wildcard[];
  /** The positions of what is in it; absent: anywhere. */
  readonly order?: ChildPositions;
}

/** A member whose value is written inside elements of the object, which have no members for it. */
export interface LiftedMember {
  readonly key: string;
  /** The keys of the elements from the object down to that of the value. */
  readonly steps: readonly string[];
  /** Null is written: as nil, or as a text that stands for it. */
  readonly writesNull: boolean;
}
