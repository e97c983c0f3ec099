import type { Change, Severity } from '../wsdl/compare/change.js';
import { compareWsdls } from '../wsdl/compare/compare.js';
import type { WsdlModel } from '../wsdl/model.js';
import { readWsdl } from '../wsdl/read.js';
import { type SourceOptions, sourceOf } from './import-source.js';
import { oneLine, table } from './table.js';
import type { ExitCode, Terminal } from './terminal.js';

const ORDER: readonly Severity[] = ['breaking', 'dangerous', 'safe'];

/** Prints the changes that a caller of the WSDL `before` meets at `after`. Exits with 1 when something breaks. Throws `ConfigurationError`. */
export async function diff(
  before: string,
  after: string,
  source: SourceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const read = async (location: string): Promise<WsdlModel> =>
    readWsdl(location, await sourceOf(location, source, process.env));
  const { changes, dropped } = compareWsdls(await read(before), await read(after));
  const counted = ORDER.map((severity) => ({
    severity,
    found: changes.filter((change) => change.severity === severity),
  }));
  const rows = counted.flatMap(({ found }) => found.map(rowFor));
  if (rows.length > 0) terminal.out(table(rows));
  if (dropped > 0) terminal.out(`and ${dropped} more that are not listed`);
  terminal.out(
    changes.length === 0
      ? 'No changes.'
      : `${counted.map(({ severity, found }) => `${found.length} ${severity}`).join(', ')}.`,
  );
  return changes.some(({ severity }) => severity === 'breaking') ? 1 : 0;
}

const rowFor = ({ severity, where, what }: Change): readonly string[] => [severity, oneLine(where), oneLine(what)];
