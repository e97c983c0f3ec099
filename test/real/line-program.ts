import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that answers each line with a line. */
export class LineProgram {
  readonly #process: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor(command: readonly string[]) {
    const [file = '', ...args] = command;
    this.#process = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const { stdout } = this.#process;
    if (stdout !== null)
      createInterface({ input: stdout }).on('line', (line) => this.#waiting.shift()?.(line));
  }

  ask(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin?.write(`${line}\n`);
    });
  }

  close(): void {
    this.#process.kill();
  }
}
