import type { Refusal } from '../../base/refusal.js';
import { codedError, DocumentRefusal } from '../errors.js';
import { GRAPHQL_LIMITS, type GraphqlLimits, type MeasurableLimit } from '../limits.js';

/**
 * Weighs one document or one request against the limits: what is beyond one is refused, or remembered where that limit
 * is only measured. Nothing goes beyond the ceiling of a limit, measured or not.
 */
export class Scale {
  readonly #limits: GraphqlLimits;
  readonly #measured: ReadonlySet<MeasurableLimit>;
  readonly #exceeded = new Set<MeasurableLimit>();

  constructor(limits: GraphqlLimits, measured: ReadonlySet<MeasurableLimit> = NONE) {
    this.#limits = limits;
    this.#measured = measured;
  }

  /** The measured limits that something was beyond. */
  get exceeded(): ReadonlySet<MeasurableLimit> {
    return this.#exceeded;
  }

  /** How much may be there at most, beyond which `hold` throws. */
  most(limit: MeasurableLimit): number {
    return this.#measured.has(limit) ? GRAPHQL_LIMITS[limit].max : this.#limits[limit];
  }

  /** Throws a `DocumentRefusal` if there is more than allowed. */
  hold(limit: MeasurableLimit, count: number): void {
    if (count <= this.#limits[limit]) return;
    if (count > this.most(limit)) throw beyond(limit, this.most(limit), count);
    this.#exceeded.add(limit);
  }
}

const NONE: ReadonlySet<MeasurableLimit> = new Set();

/** The refusal of what is beyond a limit of `value`; `found` is null where it was not counted to the end. */
export function beyond(limit: MeasurableLimit, value: number, found: number | null): DocumentRefusal {
  const code = GRAPHQL_LIMITS[limit].refusal;
  const key = `limits.graphql.${limit}` as const;
  return new DocumentRefusal(code, [codedError(code, {}, MESSAGES.get(limit))], { found, limit: { key, value } });
}

/** The name of the limit of GraphQL that was exceeded; null for other refusals. */
export const limitOf = ({ limit }: Refusal): string | null =>
  limit?.key.startsWith(SECTION) === true ? limit.key.slice(SECTION.length) : null;

const SECTION = 'limits.graphql.';

/** Where the code is that of other things as well. */
const MESSAGES: ReadonlyMap<MeasurableLimit, string> = new Map([
  ['operations', 'The document has more operations than allowed.'],
  ['selections', 'The operation has more fields than allowed, its fragments written out.'],
  ['fragmentHeight', 'The document has more fragments within each other than allowed.'],
  ['introspectionDepth', 'The introspection is nested deeper than allowed.'],
  ['variableDepth', 'The GraphQL request is malformed. What is given is nested too deep.'],
  ['variableKeys', 'The GraphQL request is malformed. There are too many members in what is given.'],
  ['variableValues', 'The GraphQL request is malformed. There are too many values in what is given.'],
  ['listItems', 'A list that is given has more items than allowed.'],
]);
