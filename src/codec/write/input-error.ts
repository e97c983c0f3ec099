import { Refusal } from '../../core/index.js';

/**
 * An argument that cannot be written. `path` begins with `arguments` or `headers`; no value is ever
 * held.
 */
export class InputError extends Refusal {
  readonly path: readonly (string | number)[];
  /** The rule broken at `path`; may be shown to the client. */
  declare readonly rule: string;
  /** Further ones of the same call. */
  readonly further: readonly InputError[];

  constructor(
    path: readonly (string | number)[],
    rule: string,
    further: readonly InputError[] = [],
  ) {
    super('BAD_USER_INPUT', rule, { facts: { path: printErrorPath(path) } });
    this.name = 'InputError';
    this.path = path;
    this.further = further;
  }

  override get detail(): string {
    return `${printErrorPath(this.path)}: ${this.rule}`;
  }
}

/** `arguments.order.lines[2].qty` */
export function printErrorPath(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');
}

/** A path in the arguments; made into a list only if it is refused. */
export interface InputPath {
  readonly above: InputPath | null;
  readonly step: string | number;
  /** Number of objects around it. */
  readonly depth: number;
  /** The paths of members that are given elsewhere; absent: none is. */
  readonly moved?: ReadonlyMap<string, InputPath>;
}

/** The path of a member or, without a level of its own, of an item. */
export function below(above: InputPath, step: string | number): InputPath {
  const moved = typeof step === 'string' ? above.moved?.get(step) : undefined;
  if (moved !== undefined) return moved;
  return { above, step, depth: typeof step === 'number' ? above.depth : above.depth + 1 };
}

/** Throws `InputError`: `rule` does not hold at `path`. */
export function refuseInput(path: InputPath, rule: string): never {
  const steps: (string | number)[] = [];
  for (let at: InputPath | null = path; at !== null; at = at.above) {
    steps.push(at.step);
  }
  throw new InputError(steps.reverse(), rule);
}

/** Errors of one call that are reported together. */
const ERRORS_MAX = 10;

/** Collects the errors of one call, so that a client learns of all of them at once. */
export class InputErrors {
  readonly #found: InputError[] = [];

  /** Throws all that were found when there are many, and at once what is no `InputError`. */
  add(caught: unknown): void {
    if (!(caught instanceof InputError)) throw caught;
    this.#found.push(caught);
    if (this.#found.length === ERRORS_MAX) {
      this.throwAny();
    }
  }

  /** Throws the first, with the others. */
  throwAny(): void {
    const [first, ...further] = this.#found;
    if (first !== undefined) throw new InputError(first.path, first.rule, further);
  }
}
