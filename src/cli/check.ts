import { printProblem } from '../base/problem.js';
import { compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import type { ExitCode, Terminal } from './terminal.js';

/** Loads and compiles everything and says what came out of it. Throws `Problems`. */
export async function check(file: string, terminal: Terminal): Promise<ExitCode> {
  const compiled = await compile(await loadConfig(file, process.env));
  await compiled.close();
  for (const notice of compiled.notices) terminal.out(`note: ${printProblem(notice)}`);
  const operations = compiled.services.reduce((sum, service) => sum + service.operations.length, 0);
  const parts = [
    count(compiled.services.length, 'service'),
    count(operations, 'operation'),
    count(compiled.graph.fields.size, 'GraphQL field'),
    count(compiled.notices.length, 'note'),
  ];
  terminal.out(`${file} is fine: ${parts.join(', ')}.`);
  return 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
