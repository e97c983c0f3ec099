import type { UsageReport } from '../../observe/usage.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import {
  type Change,
  compareWsdls,
  readWsdl,
  type Severity,
  type WsdlModel,
} from '../../wsdl/index.js';
import { importSourceOf, type SourceOptions } from '../import/import-source.js';
import { oneLine, table } from '../table.js';
import { affectedClients } from './affected-clients.js';
import { readingError } from './operator-page.js';
import { readUsage, usageName } from './usage.js';

const ORDER: readonly Severity[] = ['breaking', 'dangerous', 'safe'];

/**
 * Prints the changes that a caller of the WSDL `before` meets at `after`. Exits with 1 when
 * something breaks. Throws `ConfigurationError`.
 */
export async function diff(
  before: string,
  after: string,
  source: SourceOptions,
  usage: string | null,
  terminal: Terminal,
): Promise<ExitCode> {
  let report: UsageReport | null = null;
  try {
    report = usage === null ? null : await readUsage(usage);
  } catch (caught) {
    terminal.error(readingError(usage ?? '', caught));
    return 2;
  }
  const read = async (location: string): Promise<WsdlModel> =>
    readWsdl(location, await importSourceOf(location, source, process.env));
  const { changes, dropped } = compareWsdls(await read(before), await read(after));
  const counted = ORDER.map((severity) => ({
    severity,
    found: changes.filter((change) => change.severity === severity),
  }));
  const rows = counted.flatMap(({ found }) => found.map(rowFor));
  if (rows.length > 0) {
    terminal.out(table(rows));
  }
  if (report !== null) {
    terminal.out(printAffected(changes, report));
  }
  if (dropped > 0) {
    terminal.out(`and ${dropped} more that are not listed`);
  }
  terminal.out(
    changes.length === 0
      ? 'No changes.'
      : `${counted.map(({ severity, found }) => `${found.length} ${severity}`).join(', ')}.`,
  );
  return changes.some(({ severity }) => severity === 'breaking') ? 1 : 0;
}

/** The clients that each breaking change meets. */
function printAffected(changes: readonly Change[], report: UsageReport): string {
  const rows = changes
    .filter(({ severity }) => severity === 'breaking')
    .map((change) => {
      const clients = affectedClients(change, report).map(usageName);
      return [
        oneLine(change.where),
        clients.length === 0 ? 'no client that was seen' : clients.join(', '),
      ];
    });
  return rows.length === 0 ? '' : `Breaking changes meet:\n${table(rows)}`;
}

const rowFor = ({ severity, where, what }: Change): readonly string[] => [
  severity,
  oneLine(where),
  oneLine(what),
];
