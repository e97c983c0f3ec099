import type { ServiceConfig } from '../../config/schema.js';

/**
 * The field of requests with the key of an operation, in lower case, and how long their answers are
 * kept.
 */
export interface IdempotencyRule {
  readonly header: string;
  readonly keepMillis: number;
  /** A message with a key is collected up to this. */
  readonly bufferBytes: number;
}

/** The rules of a service by the names of its operations. */
export const idempotencyRulesOf = (
  { operations }: ServiceConfig,
  bufferBytes: number,
): ReadonlyMap<string, IdempotencyRule> =>
  new Map(
    Object.entries(operations).flatMap(([name, mapping]) => {
      if (typeof mapping !== 'object' || mapping.idempotency === undefined) return [];
      const { header, keepMillis } = mapping.idempotency;
      return [[name, { header: header.toLowerCase(), keepMillis, bufferBytes }] as const];
    }),
  );
