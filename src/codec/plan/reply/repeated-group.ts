import type { QName } from '../../../xml/index.js';

/**
 * A group of several elements that is repeated as a whole: its particles in the order of the
 * schema. The wire does not show where a repetition begins: an element that the current repetition
 * cannot take any more begins the next.
 */
export interface RepeatedGroup {
  /** The names of all elements in the group, those in groups within it as well. */
  readonly names: readonly QName[];
  readonly particles: readonly GroupParticle[];
}

export interface GroupParticle {
  /** The elements it takes. */
  readonly names: readonly QName[];
  /** How many; of a group, how many repetitions. */
  readonly max: number;
  /** The repeated group that it is; null for elements. */
  readonly group: RepeatedGroup | null;
  /**
   * Particles of other branches of a choice, from the first to before the second: none of them may
   * follow.
   */
  readonly excluded: readonly (readonly [number, number])[];
}
