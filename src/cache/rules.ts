/**
 * How often something may have changed what an operation answers. Whoever read before that has read something old: to
 * forget everything that was read of an operation is to count one up.
 */
export interface Mark {
  /** `service.operation`. */
  readonly name: string;
  generation: number;
  /** Until when a write may still be under way of which nobody waits to hear; on the clock of `performance.now()`. */
  unsettledUntilMillis: number;
}

/** An operation that only reads. Made at start-up. */
export interface ReadRule {
  readonly service: string;
  readonly operation: string;
  /** How long a reply is good for; 0: it is for those who wait for it and nobody after them. */
  readonly freshMillis: number;
  /** How long after that it is better than no answer. */
  readonly staleMillis: number;
  /** Whether one client may have what another asked for. */
  readonly isShared: boolean;
  /** Its requests hold data: white space between elements means nothing, and no text is a QName. */
  readonly isData: boolean;
  readonly mark: Mark;
}

/** An operation that changes what others answer. */
export interface WriteRule {
  readonly marks: readonly Mark[];
}

/** What the configuration declares of operations, whichever object it knows them by. */
export interface CacheRules<Operation> {
  read(operation: Operation): ReadRule | null;
  write(operation: Operation): WriteRule | null;
}

/** What was read so far of what these operations answer is old. */
export function forget({ marks }: WriteRule): void {
  for (const mark of marks) mark.generation++;
}

/** Nobody waits for the end of a write any more, and the backend may act on it until then: till then nothing is kept. */
export function unsettle({ marks }: WriteRule, untilMillis: number): void {
  for (const mark of marks) mark.unsettledUntilMillis = Math.max(mark.unsettledUntilMillis, untilMillis);
}
