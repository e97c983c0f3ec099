/** For each step, the stage that it leads to by the stage before it. A step that is not listed there cannot be made. */
export type StageTable<Stage extends string, Step extends string> = Readonly<
  Record<Step, { readonly [before in Stage]?: Stage }>
>;

/** The stage after a step; null where the step cannot follow on the stage before it. */
export const stageAfter = <Stage extends string, Step extends string>(
  table: StageTable<Stage, Step>,
  step: Step,
  before: Stage,
): Stage | null => table[step][before] ?? null;
