import { join } from 'node:path';
import type { Test } from 'tap';

import { runProgram } from '../../src/cli/program.js';
import { useFolder } from './use.js';

/** A terminal that keeps what is printed on it: on each of its streams, and on both in order. */
export function recordedTerminal() {
  const printed = { out: [] as string[], error: [] as string[], lines: [] as string[] };
  const print = (stream: 'out' | 'error') => (text: string) => {
    printed[stream].push(text);
    printed.lines.push(text);
  };
  return { out: print('out'), error: print('error'), printed };
}

/** Runs a command in this process, which is a second faster than in its own. */
export async function runCommand(...args: string[]) {
  const { printed, ...terminal } = recordedTerminal();
  const code = await runProgram(args, terminal);
  const text = (lines: readonly string[]): string => lines.join('\n');
  return { code, out: text(printed.out), error: text(printed.error), all: text(printed.lines) };
}

/**
 * Runs a command on a configuration in a folder with these files. Paths in what it prints are
 * relative to that.
 */
export async function runConfigured(
  t: Test,
  yaml: string,
  [name = '', ...others]: readonly string[],
  files: Readonly<Record<string, string>> = {},
) {
  const folder = await useFolder(t, { ...files, 'soapstone.yaml': yaml });
  const { code, all } = await runCommand(name, '-c', join(folder, 'soapstone.yaml'), ...others);
  return { code, all: all.replaceAll(`${folder}/`, '') };
}
