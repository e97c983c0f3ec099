import { compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import { costs } from '../graphql/index.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/**
 * Prints the GraphQL schema that the configuration makes, as SDL; `isFederated`: that of the
 * subgraph, as `_service` answers it. 2 where there is none. Throws `ConfigurationError`.
 */
export async function schema(
  file: string,
  isFederated: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const compiled = await compile(await loadConfig(file, process.env));
  await compiled.close();
  const { schema, subgraph } = compiled.graph;
  if (!isFederated) {
    terminal.out(costs.printWithCosts(schema));
    return 0;
  }
  if (subgraph === null) {
    terminal.error(`${file} makes no subgraph: configure \`graphql.federation\`.`);
    return 2;
  }
  terminal.out(subgraph.sdl.trimEnd());
  return 0;
}
