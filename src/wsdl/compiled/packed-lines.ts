import { Buffer } from 'node:buffer';
import { isRecord, jsonValues, type Steps } from '../../core/index.js';
import type { Packed } from './rows.js';

/** Characters and numbers in one line, unless one text is longer: a millisecond. */
const LINE_UNITS = 2 ** 15;

/** The end of each line. JSON has none within. */
const END = 0x0a;

/** Packed data as lines of JSON, of which each holds some of one list. */
export function* packedLines({ shapes, texts, builtIns, cells }: Packed): Steps<Buffer[]> {
  const lines: Buffer[] = [];
  const parts = [
    ...partsOf('shapes', shapes, (keys) => keys.length),
    ...partsOf('texts', texts, (text) => text.length),
    ...partsOf('builtIns', builtIns, (name) => name.length),
    ...partsOf('cells', cells, () => 0),
  ];
  for (const { name, values } of parts) {
    lines.push(Buffer.from(`${JSON.stringify({ [name]: values })}\n`));
    yield;
  }
  return lines;
}

interface Part {
  readonly name: keyof Packed;
  readonly values: readonly unknown[];
}

function* partsOf<T>(
  name: keyof Packed,
  values: readonly T[],
  unitsOf: (value: T) => number,
): Iterable<Part> {
  let from = 0;
  let units = 0;
  for (const [at, value] of values.entries()) {
    units += unitsOf(value) + 1;
    if (units >= LINE_UNITS) {
      yield { name, values: values.slice(from, at + 1) };
      from = at + 1;
      units = 0;
    }
  }
  yield { name, values: values.slice(from) };
}

/** The lines that `bytes` consists of, without their ends. What is behind the last end is one. */
export function* linesOf(bytes: Buffer): Iterable<Buffer> {
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(END, from);
    const end = found === -1 ? bytes.length : found;
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}

/** The data that was written as these lines. Null for others. */
export function* packedOf(lines: Iterable<Buffer>): Steps<Packed | null> {
  const packed = { shapes: [], texts: [], builtIns: [], cells: [] } satisfies Packed;
  for (const line of lines) {
    if (!addLine(packed, jsonValues.parsedJson(line.toString('utf8')))) return null;
    yield;
  }
  return packed;
}

/** Packed data that grows. */
interface Growing {
  readonly shapes: (readonly string[])[];
  readonly texts: string[];
  readonly builtIns: string[];
  readonly cells: number[];
}

function addLine({ shapes, texts, builtIns, cells }: Growing, line: unknown): boolean {
  if (!isRecord(line)) return false;
  return (
    addAll(shapes, line['shapes'], isTexts) &&
    addAll(texts, line['texts'], isText) &&
    addAll(builtIns, line['builtIns'], isText) &&
    addAll(cells, line['cells'], isCell)
  );
}

/** False where one of the values is of another type. */
function addAll<T>(to: T[], values: unknown, is: (value: unknown) => value is T): boolean {
  if (values === undefined) return true;
  if (!Array.isArray(values)) return false;
  for (const value of values) {
    if (!is(value)) return false;
    to.push(value);
  }
  return true;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

const isCell = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
