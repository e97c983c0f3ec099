/** Rows of text in aligned columns, two spaces apart. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
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

/** Makes foreign text fit for a terminal and for one line of a comment. */
export function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufffd]+/g, ' ').slice(0, 500);
}
