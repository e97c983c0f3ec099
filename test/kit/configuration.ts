import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Compiled, compile } from '../../src/compile.js';
import { type LoadedConfig, loadConfig } from '../../src/config/load.js';
import { ConfigurationError, type Diagnostic, printDiagnostic } from '../../src/core/diagnostic.js';
import { useFolder } from './use.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A folder with a configuration that is written anew for each text. */
export async function useConfigFolder(t: Test) {
  const folder = await useFolder(t);
  const file = join(folder, 'soapstone.yaml');
  const load = async (yaml: string, environment: Environment = {}): Promise<LoadedConfig> => {
    await writeFile(file, yaml);
    return loadConfig(file, environment);
  };
  return {
    folder,
    load,
    /** What is wrong with a text, as `line:column: what remedy`. */
    async problems(yaml: string, environment: Environment = {}): Promise<readonly string[]> {
      const found = await diagnosticsOf(load(yaml, environment));
      if (found.some((each) => each.file !== file)) throw new Error('the file is not named');
      return found.map((each) => printDiagnostic(each).slice(file.length + 1));
    },
  };
}

/**
 * What a text is compiled to, beside these files, for so many workers as the command line asks for.
 * It ends with the test.
 */
export async function compileText(
  t: Test,
  yaml: string,
  files: Readonly<Record<string, string>> = {},
  workers: number | null = null,
): Promise<Compiled> {
  const folder = await useFolder(t, { ...files, 'soapstone.yaml': yaml });
  const compiled = await compile(
    await loadConfig(
      join(folder, 'soapstone.yaml'),
      process.env,
      workers === null ? {} : { workers },
    ),
  );
  t.teardown(() => compiled.close());
  return compiled;
}

/** What a text is compiled to that names no files, outside of a test. */
export async function compileAlone(yaml: string): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  try {
    await writeFile(join(folder, 'soapstone.yaml'), yaml);
    return await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What was wrong with the input of some work; none where it could be used. */
export async function diagnosticsOf(work: Promise<unknown>): Promise<readonly Diagnostic[]> {
  try {
    await work;
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.diagnostics;
    throw error;
  }
}

/** What is wrong with a text beside these files, as it is printed; empty if nothing is. */
export const problemsOf = async (
  t: Test,
  yaml: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> =>
  (await diagnosticsOf(compileText(t, yaml, files))).map(printDiagnostic).join('\n');
