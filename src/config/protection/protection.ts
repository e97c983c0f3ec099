import type { ConfigPath } from '../keys/config-path.js';
import type { Config } from '../schema.js';

/** A protection of which a later configuration has less. */
export interface Weakening {
  /** In the files of the later configuration. */
  readonly path: ConfigPath;
  /** What follows the path in a sentence: `is gone`. */
  readonly what: string;
}

/** An earlier and a later configuration. */
export interface ConfigChange {
  readonly before: Config;
  readonly after: Config;
  /** Whether the files of the later one have this key: what they do not have is a default. */
  isGiven(path: ConfigPath): boolean;
  /**
   * The services of the later configuration in which the rules of an earlier one are looked for, by
   * its name: the one of this name, and new ones at the same address, as of a service that was
   * renamed. None where it is gone: that closes it.
   */
  readonly successors: ReadonlyMap<string, readonly string[]>;
}

/**
 * What makes a later value of one key weaker than an earlier one; null where it is not. Absent
 * values are `undefined`.
 */
export type ValueComparison = (
  before: unknown,
  after: unknown,
  at: ConfigPath,
  change: ConfigChange,
) => string | null;

/**
 * One protection of the gateway: its keys, and what happens where they are not what they should be.
 */
export interface Protection {
  /** What it protects, in a few words. */
  readonly about: string;
  /**
   * Patterns of its keys with their comparisons. `*` is any name. A part with `?` is not compared
   * where it is gone: what stands below it ends with it.
   */
  readonly keys: Readonly<Record<string, ValueComparison>>;
  /** Compares what concerns several keys together. */
  readonly compareAll?: (change: ConfigChange) => Iterable<Weakening | null>;
  /** What its absence means. */
  readonly absent: string;
  /** What an empty value means. */
  readonly empty: string;
  /** What happens while its source cannot be reached; null where it has none. */
  readonly unreachable: string | null;
  /** What a configuration leaves open by its absence, a sentence for each. */
  readonly open?: (config: Config) => readonly string[];
}
