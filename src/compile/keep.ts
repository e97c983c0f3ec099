import { isDeepStrictEqual } from 'node:util';
import { getOrMake, type Steps } from '../core/index.js';
import { isSameData } from './same-data.js';

/**
 * One generation, as the key of what it keeps. It knows the generation before while it is compiled,
 * and no longer.
 */
export class Keeping {
  #earlier: Keeping | null;

  constructor(earlier: Keeping | null) {
    this.#earlier = earlier;
  }

  /**
   * The generation that is in use meanwhile; null for the first one, and once this one is compiled.
   */
  get earlier(): Keeping | null {
    return this.#earlier;
  }

  /** Lets go of the generation before: each would otherwise hold all before it. */
  end(): void {
    this.#earlier = null;
  }
}

/**
 * A kind of values that survive a reload, declared where they are made. A value is kept under its
 * name while its configuration is deeply equal; what is not known to be equal is made anew. Nothing
 * but a generation holds its values.
 */
export class Kept<T> {
  /** The first cell of its row in the manual. */
  readonly what: string;
  /** The second cell: when it is kept. */
  readonly condition: string;
  readonly #values = new WeakMap<
    Keeping,
    Map<string, { readonly configuration: unknown; readonly value: T }>
  >();

  constructor(what: string, condition: string) {
    this.what = what;
    this.condition = condition;
  }

  /**
   * The value of the generation before; null where there is none, or its configuration was another.
   */
  find({ earlier }: Keeping, name: string, configuration: unknown): T | null {
    const found = earlier === null ? undefined : this.#values.get(earlier)?.get(name);
    return found !== undefined && isDeepStrictEqual(found.configuration, configuration)
      ? found.value
      : null;
  }

  /** What `find` finds, in steps: for configurations that may be large. They are plain data. */
  *findInSteps({ earlier }: Keeping, name: string, configuration: unknown): Steps<T | null> {
    const found = earlier === null ? undefined : this.#values.get(earlier)?.get(name);
    if (found === undefined) return null;
    return (yield* isSameData(found.configuration, configuration)) ? found.value : null;
  }

  /** Declares a value of this generation, for the next one. */
  set<V extends T>(keeping: Keeping, name: string, configuration: unknown, value: V): V {
    getOrMake(this.#values, keeping, () => new Map()).set(name, { configuration, value });
    return value;
  }

  /** The value of the generation before, or a new one. */
  keep(keeping: Keeping, name: string, configuration: unknown, make: () => T): T {
    return this.set(
      keeping,
      name,
      configuration,
      this.find(keeping, name, configuration) ?? make(),
    );
  }
}
