import type { QName } from '../../xml/events.js';

/**
 * A group of several elements that is repeated as a whole, as one repetition of it sees its places, in the order of the
 * schema. On the wire nothing tells where a repetition begins: one that comes first what the current one cannot take any
 * more at its place.
 */
export interface RepeatedGroup {
  /** Of all elements in it, those in groups within it as well. */
  readonly names: readonly QName[];
  readonly places: readonly GroupPlace[];
}

export interface GroupPlace {
  /** What may stand there. */
  readonly names: readonly QName[];
  /** How many; of a group, how many repetitions. */
  readonly max: number;
  /** What stands there is itself a group that is repeated. */
  readonly group: RepeatedGroup | null;
  /** Places of other branches of a choice, from the first to before the second: nothing of them may follow. */
  readonly excluded: readonly (readonly [number, number])[];
}
