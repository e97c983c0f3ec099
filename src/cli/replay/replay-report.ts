import type { Buffer } from 'node:buffer';
import { collections } from '../../core/index.js';
import { XmlWriter } from '../../xml/index.js';
import { counted, table } from '../table.js';

/** The result of one exchange that was sent again. */
export interface ReplayedExchange {
  readonly name: string;
  readonly operation: string;
  readonly millis: number;
  readonly outcome: 'same' | 'different' | 'failed';
  /** The paths at which the replies differ. */
  readonly paths: readonly string[];
  /** The reason for which they could not be compared; null where they were. */
  readonly reason: string | null;
}

interface Difference {
  readonly operation: string;
  readonly path: string;
  readonly count: number;
}

/** Differences by operation and path, the most frequent first. */
function differencesIn(results: readonly ReplayedExchange[]): readonly Difference[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { operation, paths } of results) {
    for (const path of paths) {
      const ofOperation = counts.get(operation) ?? new Map<string, number>();
      ofOperation.set(path, (ofOperation.get(path) ?? 0) + 1);
      counts.set(operation, ofOperation);
    }
  }
  return [...counts]
    .flatMap(([operation, paths]) =>
      [...paths].map(([path, count]): Difference => ({ operation, path, count })),
    )
    .sort((one, other) => other.count - one.count);
}

function totals(results: readonly ReplayedExchange[]): Record<ReplayedExchange['outcome'], number> {
  const sums = { same: 0, different: 0, failed: 0 };
  for (const { outcome } of results) {
    sums[outcome]++;
  }
  return sums;
}

const LISTED_MAX = 50;

export function printWords(results: readonly ReplayedExchange[], skipped: number): string {
  const { same, different, failed } = totals(results);
  const lines: string[] = [];
  const differences = differencesIn(results);
  if (differences.length > 0) {
    const rows = differences
      .slice(0, LISTED_MAX)
      .map(({ operation, path, count }) => [`${count}x`, operation, path]);
    lines.push('Different:', table(rows), '');
  }
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  if (failures.length > 0) {
    const rows = failures.slice(0, LISTED_MAX).map(({ name, reason }) => [name, reason ?? '']);
    lines.push('Failed:', table(rows), '');
  }
  lines.push(
    `${counted(results.length, 'exchange')} sent: ${same} the same, ${different} different, ` +
      `${failed} failed. ${skipped} not sent, of operations that write.`,
  );
  return lines.join('\n');
}

export function printJson(results: readonly ReplayedExchange[], skipped: number): string {
  const report = {
    sent: results.length,
    ...totals(results),
    skipped,
    differences: differencesIn(results),
    exchanges: results,
  };
  return JSON.stringify(report, null, 2);
}

/** JUnit XML: a suite for each operation, a case for each exchange. */
export function printJunit(results: readonly ReplayedExchange[]): Buffer {
  const writer = new XmlWriter();
  writer.open(null, 'testsuites').attribute(null, 'name', 'soapstone replay');
  const byOperation = new Map<string, ReplayedExchange[]>();
  for (const result of results) {
    collections.addToGroup(byOperation, result.operation, result);
  }
  for (const [operation, cases] of byOperation) {
    const { different, failed } = totals(cases);
    writer.open(null, 'testsuite').attribute(null, 'name', operation);
    writer.attribute(null, 'tests', String(cases.length));
    writer.attribute(null, 'failures', String(different));
    writer.attribute(null, 'errors', String(failed));
    for (const { name, millis, outcome, paths, reason } of cases) {
      writer.open(null, 'testcase').attribute(null, 'classname', operation);
      writer.attribute(null, 'name', name).attribute(null, 'time', String(millis / 1000));
      if (outcome === 'different') {
        writer.open(null, 'failure').attribute(null, 'message', 'The replies differ.');
        writer.text(paths.join('\n')).close();
      } else if (outcome === 'failed') {
        writer
          .open(null, 'error')
          .attribute(null, 'message', reason ?? '')
          .close();
      }
      writer.close();
    }
    writer.close();
  }
  return writer.close().finish();
}
