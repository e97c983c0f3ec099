import { readdirSync, readFileSync } from 'node:fs';
import type { Test } from 'tap';

import { readCaseFiles } from '../perimeter/case-file.js';

/**
 * A row of the catalogue of faults and attacks. `cases` names each vector of the row with the
 * answer it must get, in the table or in a case file that begins with the row's id; a row without
 * cases says what it waits for in `due`.
 *
 * An answer is written as in the catalogue: `pass` (what was sent reaches the other side),
 * `F:Client/CODE` and `F:Server/CODE` (a Fault of the sender's or the receiver's blame with this
 * code in its detail), `VersionMismatch`, `MustUnderstand` and `DataEncodingUnknown` with or
 * without a code behind a slash (Faults of their own code), `H400` (the bare HTTP status), `cut`
 * (the connection ends without a complete answer), `202` (a status). Anything else is a sentence,
 * and its vector has a check of its own.
 */
export interface Row {
  readonly attack: string;
  readonly expected: string;
  readonly cases?: Readonly<Record<string, string>>;
  readonly due?: string;
}

const FOLDER = 'test/catalogue/table';

/** The rows of one part of the table. */
export function readRows(part: string): ReadonlyMap<string, Row> {
  const table: Record<string, Row> = JSON.parse(readFileSync(`${FOLDER}/${part}.json`, 'utf8'));
  return new Map(Object.entries(table).map(([id, row]) => [id, { ...row, ...casesOf(id, row) }]));
}

/** The cases of a row in the table and in its file. */
function casesOf(id: string, { cases }: Row): Pick<Row, 'cases'> {
  const inFiles = readCaseFiles(`${id}-`).flatMap((file) => file.cases);
  if (inFiles.length === 0) return {};
  return {
    cases: { ...cases, ...Object.fromEntries(inFiles.map(({ name, answer }) => [name, answer])) },
  };
}

/** The parts of the table: each has one test file of the same name. */
export const PARTS = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));

/** Hands out the answers of one part, and knows which were never asked for. */
export class Rows {
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #asked = new Set<string>();

  constructor(part: string) {
    this.#rows = readRows(part);
  }

  /** The answer that this case of this row must get. */
  answer(row: string, name: string): string {
    const answer = this.#rows.get(row)?.cases?.[name];
    if (answer === undefined) throw new Error(`the table has no case "${name}" in row ${row}`);
    this.#asked.add(`${row} ${name}`);
    return answer;
  }

  /**
   * The last test of a part: every case of every row has run, and every row has a case or says what
   * it waits for.
   */
  assertComplete(t: Test): void {
    const cases = [...this.#rows].flatMap(([id, row]) =>
      Object.keys(row.cases ?? {}).map((name) => `${id} ${name}`),
    );
    t.same(
      cases.filter((name) => !this.#asked.has(name)),
      [],
      'every case of the table has run',
    );
    const empty = [...this.#rows].filter(
      ([, { cases = {}, due }]) => due === undefined && Object.keys(cases).length === 0,
    );
    t.same(
      empty.map(([id]) => id),
      [],
      'every row has a vector',
    );
  }
}
