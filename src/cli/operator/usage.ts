import { isRecord } from '../../core/index.js';
import type { ClientUsage, UsageCounts, UsageReport } from '../../observe/usage.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { oneLine, table } from '../table.js';
import { readingError, readOperatorPage } from './operator-page.js';

/**
 * Prints which client uses what, from the admin address of a gateway or from a file. `isJson`
 * prints what a file holds.
 */
export async function usage(
  source: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  let report: UsageReport;
  try {
    report = await readUsage(source);
  } catch (caught) {
    terminal.error(readingError(source, caught));
    return 2;
  }
  if (isJson) {
    terminal.out(JSON.stringify(report, null, 2));
    return 0;
  }
  terminal.out(`Since ${oneLine(report.since)}`);
  for (const client of report.clients) {
    const rows = (['soap', 'graphql', 'operations', 'fields', 'arguments'] as const).flatMap(
      (kind) =>
        Object.entries(client[kind])
          .sort(([, one], [, other]) => other - one)
          .map(([name, count]) => [`  ${kind}`, oneLine(name), String(count)]),
    );
    terminal.out(`\n${usageName(client)}\n${table(rows)}`);
  }
  if (report.clients.length === 0) {
    terminal.out('No request was answered yet.');
  }
  return 0;
}

/** How a client is called in texts. */
export function usageName({ name, version, label }: ClientUsage): string {
  const own = oneLine(`${name} ${version}`.trim());
  if (own === '') return label === '' ? 'clients without a name' : oneLine(label);
  return label === '' ? own : `${own} (${oneLine(label)})`;
}

/** Reads a report. Rejects where there is none. */
export async function readUsage(source: string): Promise<UsageReport> {
  const data: unknown = JSON.parse(await readOperatorPage(source, '/usage'));
  if (!isRecord(data) || !Array.isArray(data['clients'])) {
    throw new Error('it is no report of usage');
  }
  const clients = data['clients'].filter(isRecord).map(
    (client): ClientUsage => ({
      name: textOf(client['name']),
      version: textOf(client['version']),
      label: textOf(client['label']),
      soap: countsOf(client['soap']),
      graphql: countsOf(client['graphql']),
      operations: countsOf(client['operations']),
      fields: countsOf(client['fields']),
      elements: countsOf(client['elements']),
      arguments: countsOf(client['arguments']),
    }),
  );
  return { since: textOf(data['since']), clients };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const countsOf = (value: unknown): UsageCounts =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  );
