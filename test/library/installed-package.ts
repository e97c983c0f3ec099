import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { useFolder } from '../kit/use.js';

const run = promisify(execFile);

/** Files of the package that a program of others needs. */
const PARTS = ['package.json', 'dist/bin', 'dist/types', 'config/demo', 'config/examples'];

/** This Node, without the hooks of the test runner. */
const ENVIRONMENT = { PATH: dirname(process.execPath) };

export interface InstalledPackage {
  readonly folder: string;
  /** Runs a program of the folder, and returns what it printed. */
  run(program: string, ...given: readonly string[]): Promise<string>;
}

/**
 * A folder with the package as it is published, and packages beside it: names, and the folders that
 * they are in. Nothing of it resolves into this repository.
 */
export async function usePackage(
  t: Test,
  packages: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<InstalledPackage> {
  // Outside of this repository, whose packages a folder in it would have as well.
  const folder = await useFolder(t, {
    'package.json': '{"private":true,"type":"module"}',
    ...files,
  });
  const home = join(folder, 'node_modules/soapstone');
  for (const part of PARTS) {
    await cp(part, join(home, part), { recursive: true });
  }
  for (const [name, from] of Object.entries(packages)) {
    const to = join(folder, 'node_modules', name);
    await mkdir(dirname(to), { recursive: true });
    await symlink(resolve(from), to);
  }
  return {
    folder,
    run: async (program, ...given) =>
      (await run(process.execPath, [program, ...given], { cwd: folder, env: ENVIRONMENT })).stdout,
  };
}
