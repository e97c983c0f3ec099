import { type Diagnostic, diagnosis } from '../core/index.js';

/**
 * Up to so many operations are all listed; of more only those that are not ok, and of these the
 * first.
 */
export const ALL_LISTED = 40;
export const MOST_LISTED = 100;

/** Rows of text in aligned columns, two spaces apart. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A number and its noun. */
export const counted = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The longest foreign text that is printed, in characters. */
const TEXT_CHARACTERS = 500;

/** Makes foreign text fit for a terminal and for one line of a comment. */
export function oneLine(text: string): string {
  return printable(text).slice(0, TEXT_CHARACTERS);
}

/** A diagnostic on one line. A long error is cut, and its remedy stays whole. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  const { what, remedy } = diagnostic;
  const text = printable(what);
  const shown =
    text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS).trimEnd()} ...`;
  return printable(
    diagnosis.printDiagnostic({
      ...diagnostic,
      what: shown,
      remedy: remedy?.slice(0, REMEDY_CHARACTERS) ?? null,
    }),
  );
}

/** Longer than any remedy, of which those with a command name files. */
const REMEDY_CHARACTERS = 4096;

const printable = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufffd]+/g, ' ');
