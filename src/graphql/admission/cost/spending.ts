import type { Decoded } from '../../../codec/index.js';
import type { FieldCost } from '../../schema/types/cost-rules.js';
import { valuesAt } from './cost-slicing.js';
import type { CostLimits } from './cost-table.js';

/**
 * Adds up the actual cost of a request while it runs: calls by their weights, bytes of replies, and
 * objects. An answer that stands in several places counts once, as it was read once.
 */
export class Spending {
  readonly #limits: Pick<CostLimits, 'callCost' | 'kibCost'>;
  #points = 0;
  /** Calls that were made; retries of the connection are no calls of their own. */
  calls = 0;
  /** Bytes of the replies, decoded, as far as they are known. */
  replyBytes = 0;

  constructor(limits: Pick<CostLimits, 'callCost' | 'kibCost'>) {
    this.#limits = limits;
  }

  /** Whole points. */
  get points(): number {
    return Math.ceil(this.#points + Math.ceil(this.replyBytes / 1024) * this.#limits.kibCost);
  }

  /** Adds a call with these arguments, or several at the same cost. */
  called(cost: FieldCost | null, values: Readonly<Record<string, unknown>>, calls = 1): void {
    let weight = cost?.weight ?? this.#limits.callCost;
    for (const [path, each] of cost?.arguments ?? NONE) {
      const [name = '', ...rest] = path.split('.');
      if (Object.hasOwn(values, name)) {
        weight += each * valuesAt(values[name], rest).length;
      }
    }
    this.calls += calls;
    this.#points += weight * calls;
  }

  /** Adds points of an answer without a call. */
  answered(points: number): void {
    this.#points += points;
  }

  /** Adds the answer of a call. Without points of its own, each object is a point. */
  took({ value, points, replyBytes = 0 }: Decoded): void {
    this.#points += points ?? objectsIn(value);
    this.replyBytes += replyBytes;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

function objectsIn(value: unknown): number {
  let objects = 0;
  const stack: object[] = [];
  const meet = (found: unknown): void => {
    if (typeof found === 'object' && found !== null) {
      stack.push(found);
    }
  };
  meet(value);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (!Array.isArray(at)) {
      objects++;
    }
    for (const inner of Array.isArray(at) ? at : Object.values(at)) {
      meet(inner);
    }
  }
  return objects;
}
