import type { OperationDefinitionNode } from 'graphql';
import type { CountBytes } from '../../count-bytes.js';
import type { Fragments, Variables } from '../../schema/output/reply-plan.js';
import { costOf, type Estimate } from './cost.js';
import type { CostTable } from './cost-table.js';

/** Sets of values that are cached for one operation, and the longest text of one. */
const VALUES_MAX = 16;
const CHARS_MAX = 200;

/** Caches estimates of one operation by the values of the variables that they depend on. */
export class EstimateCache {
  /** The variables that estimates depend on; null until one was made. */
  #variables: readonly string[] | null = null;
  readonly #known = new Map<string, Estimate>();
  readonly #countBytes: CountBytes;
  /** The most that were cached at a time. */
  #counted = 0;

  constructor(countBytes: CountBytes) {
    this.#countBytes = countBytes;
    countBytes(300);
  }

  /** As `costOf`. The same selections must be left out by @skip and @include each time. */
  estimate(
    table: CostTable,
    operation: OperationDefinitionNode,
    fragments: Fragments,
    variables: Variables,
  ): Estimate {
    const key = this.#variables === null ? null : keyOf(this.#variables, variables);
    const known = key === null ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const made = costOf(table, operation, fragments, variables);
    this.#variables ??= [...made.variables];
    const newKey = key ?? keyOf(this.#variables, variables);
    if (newKey === null) return made;
    if (this.#known.size === VALUES_MAX) {
      this.#known.clear();
    }
    this.#known.set(newKey, made);
    if (this.#known.size > this.#counted) {
      this.#counted = this.#known.size;
      this.#countBytes(500 + 2 * CHARS_MAX + 50 * made.variables.size);
    }
    return made;
  }
}

/** The values as a text; null where it would be too long for the cache. */
function keyOf(names: readonly string[], variables: Variables): string | null {
  if (names.length === 0) return '';
  const values = names.map((name) => (Object.hasOwn(variables, name) ? [variables[name]] : []));
  if (values.some(([value]) => isLongList(value))) return null;
  const key = JSON.stringify(values);
  return key.length <= CHARS_MAX ? key : null;
}

/** Whether the text of a value is that of a list that is surely too long: it is not written. */
const isLongList = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= CHARS_MAX / 2;
