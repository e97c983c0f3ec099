/**
 * For each step, the stage that it leads to by the stage before it. A step that is not listed there
 * cannot be made.
 */
type StageTable<Stage extends string, Step extends string> = Readonly<
  Record<Step, { readonly [before in Stage]?: Stage }>
>;

/** The stage of something that goes from one stage to the next by steps. */
export class Stages<Stage extends string, Step extends string> {
  /** The present stage. */
  at: Stage;
  readonly #steps: StageTable<Stage, Step>;

  constructor(steps: StageTable<Stage, Step>, first: Stage) {
    this.#steps = steps;
    this.at = first;
  }

  /** Makes a step; false where it cannot follow on the present stage. */
  move(step: Step): boolean {
    const next = this.#steps[step][this.at];
    if (next === undefined) return false;
    this.at = next;
    return true;
  }
}
