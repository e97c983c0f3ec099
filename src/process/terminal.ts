/** The output of a command; tests give their own. */
export interface Terminal {
  /** Prints a result: standard output. */
  out(text: string): void;
  /** Prints an error: standard error. */
  error(text: string): void;
  /**
   * Shows what is being done, in place of the line before; null removes it. Only where a person
   * looks on.
   */
  progress?(text: string | null): void;
}

/** 0: fine. 1: the answer is no. 2: the input is wrong. */
export type ExitCode = 0 | 1 | 2;

export const processTerminal: Terminal = {
  out: (text) => write(process.stdout, text),
  error: (text) => write(process.stderr, text),
  progress: (text) => {
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K${(text ?? '').slice(0, process.stderr.columns - 1)}`);
    }
  },
};

/**
 * Waits until the output of a command is written, however slow a pipe is. False if that failed,
 * except for a reader that left. Lines of the log are not waited for: a gateway ends though they
 * are not read.
 */
export async function written(): Promise<boolean> {
  while (pending.size > 0) {
    await Promise.all(pending);
  }
  return failed.size === 0;
}

function write(stream: NodeJS.WriteStream, text: string): void {
  // Without a listener a reader that left (`| head`) would end the process with a stack trace.
  if (!observed.has(stream)) {
    stream.on('error', (error) => fail(stream, error));
  }
  observed.add(stream);
  const writing = new Promise<void>((resolve) => {
    stream.write(`${text}\n`, () => resolve());
  }).finally(() => pending.delete(writing));
  pending.add(writing);
}

const pending = new Set<Promise<void>>();

const observed = new Set<NodeJS.WriteStream>();
const failed = new Set<NodeJS.WriteStream>();

function fail(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || failed.has(stream)) return;
  failed.add(stream);
  if (stream === process.stdout) {
    processTerminal.error(`Standard output cannot be written: ${error.code ?? 'failed'}.`);
  }
}
