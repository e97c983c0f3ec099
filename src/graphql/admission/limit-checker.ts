import type { Refusal } from '../../core/index.js';
import { codedError, DocumentRefusal } from '../errors.js';
import { GRAPHQL_LIMITS, type GraphqlLimits, type MeasurableLimit } from '../limits.js';

/**
 * Checks one document or one request against the limits. A count over a limit is refused, or
 * recorded where the limit is only measured; over the ceiling of a limit it is always refused.
 */
export class LimitChecker {
  readonly #limits: GraphqlLimits;
  readonly #measured: ReadonlySet<MeasurableLimit>;
  readonly #exceeded = new Set<MeasurableLimit>();

  constructor(limits: GraphqlLimits, measured: ReadonlySet<MeasurableLimit> = NONE) {
    this.#limits = limits;
    this.#measured = measured;
  }

  /** The measured limits that a count was over. */
  get exceeded(): ReadonlySet<MeasurableLimit> {
    return this.#exceeded;
  }

  /** The count over which `check` throws. */
  ceiling(limit: MeasurableLimit): number {
    return this.#measured.has(limit) ? GRAPHQL_LIMITS[limit].max : this.#limits[limit];
  }

  /** Throws a `DocumentRefusal` for a count over the ceiling. */
  check(limit: MeasurableLimit, count: number): void {
    if (count <= this.#limits[limit]) return;
    if (count > this.ceiling(limit)) throw limitRefusal(limit, this.ceiling(limit), count);
    this.#exceeded.add(limit);
  }
}

const NONE: ReadonlySet<MeasurableLimit> = new Set();

/**
 * The refusal of a count over a limit of `value`; `found` is null where it was not counted to the
 * end.
 */
export function limitRefusal(
  limit: MeasurableLimit,
  value: number,
  found: number | null,
): DocumentRefusal {
  const code = GRAPHQL_LIMITS[limit].refusal;
  const key = `limits.graphql.${limit}` as const;
  return new DocumentRefusal(code, [codedError(code, {}, MESSAGES.get(limit))], {
    found,
    limit: { key, value },
  });
}

/** The name of the limit of GraphQL that was exceeded; null for other refusals. */
export const limitOf = ({ limit }: Refusal): string | null =>
  limit?.key.startsWith(SECTION) === true ? limit.key.slice(SECTION.length) : null;

const SECTION = 'limits.graphql.';

/** Messages of limits whose refusal code has other causes too. */
const MESSAGES: ReadonlyMap<MeasurableLimit, string> = new Map([
  ['operations', 'The document has more operations than allowed.'],
  ['selections', 'The operation has more fields than allowed, its fragments written out.'],
  ['fragmentHeight', 'The document has more fragments within each other than allowed.'],
  ['introspectionDepth', 'The introspection is nested deeper than allowed.'],
  ['variableDepth', 'The GraphQL request is malformed. Its input values are nested too deep.'],
  [
    'variableKeys',
    'The GraphQL request is malformed. There are too many members in its input values.',
  ],
  ['variableValues', 'The GraphQL request is malformed. There are too many input values.'],
  ['listItems', 'A list of the input has more items than allowed.'],
]);
