import type { OperationDefinitionNode } from 'graphql';
import type { Weigh } from '../count-bytes.js';
import type { Fragments, Variables } from '../output/reply-plan.js';
import { costOf, type Estimate } from './cost.js';
import type { CostTable } from './cost-table.js';

/** Values of variables that are remembered of one operation, and how long they may be as text. */
const VALUES_MAX = 16;
const CHARS_MAX = 200;

/** The estimates of one operation, by the values of the variables that they depend on. */
export class EstimateMemo {
  /** The variables that estimates depend on; null until one was made. */
  #variables: readonly string[] | null = null;
  readonly #known = new Map<string, Estimate>();
  readonly #weigh: Weigh;
  /** As many as there were at a time. */
  #weighed = 0;

  constructor(weigh: Weigh) {
    this.#weigh = weigh;
    weigh(300);
  }

  /** As `costOf`. What @skip and @include leave out must always be the same. */
  estimate(table: CostTable, operation: OperationDefinitionNode, fragments: Fragments, variables: Variables): Estimate {
    const key = this.#variables === null ? null : keyOf(this.#variables, variables);
    const known = key === null ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const made = costOf(table, operation, fragments, variables);
    this.#variables ??= [...made.variables];
    const newKey = key ?? keyOf(this.#variables, variables);
    if (this.#known.size === VALUES_MAX) this.#known.clear();
    if (newKey.length <= CHARS_MAX) this.#known.set(newKey, made);
    if (this.#known.size > this.#weighed) {
      this.#weighed = this.#known.size;
      this.#weigh(500 + 2 * CHARS_MAX + 50 * made.variables.size);
    }
    return made;
  }
}

const keyOf = (names: readonly string[], variables: Variables): string =>
  names.length === 0
    ? ''
    : JSON.stringify(names.map((name) => (Object.hasOwn(variables, name) ? [variables[name]] : [])));
