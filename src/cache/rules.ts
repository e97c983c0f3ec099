/** The invalidation state of one operation: cached replies of an older generation are invalid. */
export interface Invalidation {
  /** `service.operation`. */
  readonly name: string;
  generation: number;
  /**
   * An aborted write may still be under way until then, so nothing is stored; on the clock of
   * `performance.now()`.
   */
  pausedUntilMillis: number;
}

/** An operation that only reads. Made at start-up. */
export interface ReadRule {
  readonly service: string;
  readonly operation: string;
  /**
   * How long a reply is fresh; 0: it answers only the calls that wait for it, and is not stored.
   */
  readonly freshMillis: number;
  /** How long after that it may replace an answer that fails. */
  readonly staleMillis: number;
  /** Whether a reply to one client may answer another. */
  readonly isShared: boolean;
  /**
   * The requests of the operation hold data: white space between elements is insignificant, and no
   * text is a QName.
   */
  readonly isData: boolean;
  readonly invalidation: Invalidation;
}

/**
 * An operation that writes, with the invalidation states of the operations whose replies it
 * changes.
 */
export interface WriteRule {
  readonly invalidations: readonly Invalidation[];
}

/**
 * The configured read and write rules, by service and operation: several services may have the same
 * operation.
 */
export interface CacheRules<Operation> {
  read(service: string, operation: Operation): ReadRule | null;
  write(service: string, operation: Operation): WriteRule | null;
}
