import { printOpenApi } from '../compile/rest/openapi.js';
import { compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/**
 * Prints what `/rest/openapi.json` answers to clients that may call all. Throws
 * `ConfigurationError`.
 */
export async function openapi(
  file: string,
  isYaml: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const { rest, close } = await compile(await loadConfig(file, process.env));
  await close();
  if (rest === null) {
    terminal.error('No service has `rest: true`.');
    return 1;
  }
  const offered = { operations: rest.operations, routes: rest.routes.all };
  terminal.out(printOpenApi(rest.frame, offered, isYaml ? 'yaml' : 'json').trimEnd());
  return 0;
}
