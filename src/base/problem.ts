/** An error in configuration, a WSDL or a schema. Collected, never thrown singly. */
export interface Problem {
  /** The file as the operator named it, or null when the problem has no file. */
  readonly file: string | null;
  /** 1-based; null when unknown. */
  readonly line: number | null;
  readonly column: number | null;
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** What to do about it, in one sentence, or null when that is obvious. */
  readonly remedy: string | null;
}

/** Start-up cannot go on. Carries every problem found, not only the first. */
export class Problems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(printProblem).join('\n'));
    this.name = 'Problems';
    this.problems = problems;
  }
}

/** `file:line:column: what (remedy)`, the form editors and terminals make a link of. */
export function printProblem(problem: Problem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== null).join(':');
  const remedy = problem.remedy === null ? '' : ` ${problem.remedy}`;
  return `${place === '' ? '' : `${place}: `}${problem.what}${remedy}`;
}
