import { compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import { costs } from '../graphql/index.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/** Prints the GraphQL schema that the configuration makes, as SDL. Throws `ConfigurationError`. */
export async function schema(file: string, terminal: Terminal): Promise<ExitCode> {
  const compiled = await compile(await loadConfig(file, process.env));
  await compiled.close();
  terminal.out(costs.printWithCosts(compiled.graph.schema));
  return 0;
}
