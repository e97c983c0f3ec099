/** Where a command writes; tests give their own. */
export interface Terminal {
  /** What was asked for: standard output. */
  out(text: string): void;
  /** What is wrong: standard error. */
  error(text: string): void;
}

/** 0: fine. 1: the answer is no. 2: the input is wrong. */
export type ExitCode = 0 | 1 | 2;

export const processTerminal: Terminal = {
  out: (text) => {
    process.stdout.write(`${text}\n`);
  },
  error: (text) => {
    process.stderr.write(`${text}\n`);
  },
};
