/**
 * A step: the stage that it leads to, by the stage before it. From a stage that is not listed it
 * cannot be made.
 */
type Step<Stage extends string> = { readonly [before in Stage]?: Stage };

/** The stage of something that goes from one stage to the next by steps. */
export class Stages<Stage extends string> {
  /** The present stage. */
  at: Stage;

  constructor(first: Stage) {
    this.at = first;
  }

  /**
   * Makes a step; false where it cannot follow on the present stage. The step itself and not its
   * name, which V8 would look up as a key that varies: half of the time of a move.
   */
  move(step: Step<Stage>): boolean {
    const next = step[this.at];
    if (next === undefined) return false;
    this.at = next;
    return true;
  }
}
