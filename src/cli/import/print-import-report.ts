import { getOrMake } from '../../core/index.js';
import { ALL_LISTED, counted, diagnosticLine, MOST_LISTED, oneLine, table } from '../table.js';
import { groupByCause } from './causes.js';
import type { ImportReport, ReportedOperation } from './import-report.js';

/**
 * The report for a terminal: a summary, the operations, the other ports, the warnings. Operations
 * that are not ok come first; of many operations the others are not listed.
 */
export function printReport(report: ImportReport): string {
  const parts = [
    summaryLines(report),
    operationLines(report),
    otherPortLines(report),
    doubtfulLines(report),
    warningLines(report),
  ];
  return parts.flat().join('\n');
}

function summaryLines({ summary, services, operations }: ImportReport): readonly string[] {
  const { offered, reading, writing, partial, disabled } = summary;
  const parts = [
    `${counted(offered + disabled, 'operation')}: ${offered} offered (${reading} ` +
      `reading, ${writing} writing)`,
    ...(partial === 0 ? [] : [`${partial} of them partial`]),
    ...(disabled === 0 ? [] : [`${disabled} not callable`]),
  ];
  return [
    `${parts.join(', ')}.`,
    ...causeLines('partial', operations),
    ...causeLines('disabled', operations),
    ...(services.length < 2
      ? []
      : services.map(({ name, ports }) => oneLine(`service ${name}: ${ports.join(', ')}`))),
  ];
}

/** The causes of one status, the most frequent first. */
function causeLines(
  status: ReportedOperation['status'],
  operations: readonly ReportedOperation[],
): readonly string[] {
  const reasons = operations.flatMap((operation) =>
    operation.status === status && operation.reason !== null
      ? [{ what: operation.reason.replace(/ \(and \d+ more\)$/, ''), remedy: null }]
      : [],
  );
  return groupByCause(reasons)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, CAUSES_SHOWN)
    .map(({ first, count }) => `  ${String(count).padStart(4)} ${status}: ${oneLine(first.what)}`);
}

const CAUSES_SHOWN = 10;

function operationLines({ operations, services }: ImportReport): readonly string[] {
  const own = operations.filter(({ status }) => status !== 'otherPort');
  const isSingle = services.length < 2;
  const ordered = own.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const broken = ordered.filter(({ status }) => status !== 'ok');
  const listed = own.length <= ALL_LISTED ? ordered : broken.slice(0, MOST_LISTED);
  const rows = listed.map(({ operation, at, service, status, field, reason, place }) => [
    oneLine(operation),
    ...(isSingle ? [] : [oneLine(service ?? at)]),
    status,
    field ?? '-',
    reason === null ? '' : oneLine(`${reason}${place === null ? '' : ` (${place})`}`),
  ]);
  const leftOut = own.length <= ALL_LISTED ? 0 : broken.length - listed.length;
  const fine = own.length - listed.length - leftOut;
  const parts = [
    ...(leftOut === 0 ? [] : [`${leftOut} more that are partial or disabled`]),
    ...(fine === 0 ? [] : [`${counted(fine, 'operation')} that ${fine === 1 ? 'is' : 'are'} ok`]),
  ];
  return [
    ...(rows.length === 0
      ? []
      : [
          '',
          table([
            ['operation', ...(isSingle ? [] : ['service']), 'status', 'field', 'reason'],
            ...rows,
          ]),
        ]),
    ...(parts.length === 0
      ? []
      : ['', `Not listed: ${parts.join(', ')}. All are in import-report.json.`]),
  ];
}

/** The worst first. */
const ORDER: readonly ReportedOperation['status'][] = ['disabled', 'partial', 'ok', 'otherPort'];

/** One line for each place whose operations are those of other ports. */
function otherPortLines({ operations }: ImportReport): readonly string[] {
  const byPlace = new Map<
    string,
    { readonly names: string[]; readonly by: Set<string>; reason: string | null }
  >();
  for (const { operation, at, status, sameAs, reason } of operations) {
    if (status !== 'otherPort' || sameAs === null) continue;
    const known = getOrMake(byPlace, at, () => ({ names: [], by: new Set<string>(), reason }));
    known.names.push(operation);
    known.by.add(sameAs);
  }
  const lines = [...byPlace].map(([at, { names, by, reason }]) => {
    const listed =
      names.length > NAMES_SHOWN ? counted(names.length, 'operation') : names.join(', ');
    return oneLine(
      `${at}: ${listed}, as at port ${[...by].join(', ')}.${reason === null ? '' : ` ${reason}`}`,
    );
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Operations that are mutations for want of a word that says what they do. */
function doubtfulLines({ doubtful }: ImportReport): readonly string[] {
  if (doubtful.length === 0) return [];
  const shown = doubtful.slice(0, DOUBTFUL_SHOWN);
  const more = doubtful.length - shown.length;
  const names = `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more in import-report.json`}`;
  return [
    '',
    oneLine(
      `Name in \`reads\` those that only read; these names do not say whether they write: ${names}`,
    ),
  ];
}

const DOUBTFUL_SHOWN = 20;
const NAMES_SHOWN = 5;
const WARNINGS_SHOWN = 20;

/** One line for each cause. */
function warningLines({ warnings }: ImportReport): readonly string[] {
  const groups = groupByCause(warnings);
  const lines = groups.slice(0, WARNINGS_SHOWN).map(({ first, count: number }) => {
    const more = number === 1 ? '' : ` (and ${number - 1} more of the kind)`;
    return `warning: ${diagnosticLine(first)}${more}`;
  });
  const left = groups.length - lines.length;
  if (left > 0) {
    lines.push(`warning: ${left} more kinds of warnings are in import-report.json`);
  }
  return lines.length === 0 ? [] : ['', ...lines];
}
