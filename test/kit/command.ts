import { runProgram } from '../../src/cli/program.js';

/** A terminal that keeps what is printed on it. */
export function keptTerminal() {
  const lines: string[] = [];
  const take = (text: string): void => void lines.push(text);
  return { lines, out: take, error: take };
}

/** Runs a command of the program: its exit code, and what it printed. */
export async function runCommand(...args: readonly string[]) {
  const terminal = keptTerminal();
  return { code: await runProgram(args, terminal), out: terminal.lines.join('\n') };
}
