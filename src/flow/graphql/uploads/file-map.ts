import { isRecord, Refusal, refuseByLimit } from '../../../core/index.js';
import { admission } from '../../../graphql/index.js';
import type { UploadedFile } from './uploaded-file.js';

/**
 * Puts a file in the place of each `null` that the map names: `{ "0": ["variables.file"] }`.
 * Returns the files by the names of their fields. Throws `BAD_REQUEST`.
 */
export function placeFiles(
  map: string,
  operations: unknown,
  filesMax: number,
  newFile: () => UploadedFile,
): ReadonlyMap<string, UploadedFile> {
  const members = filesMax + 1;
  const places = admission.parseJson(map, {
    levels: 3,
    parts: 4 * members + MORE,
    members: members + MORE,
  });
  if (!isRecord(places)) throw malformed('Its map must be an object.');
  const names = Object.keys(places);
  if (names.length > filesMax) {
    throw refuseByLimit(
      'BAD_REQUEST',
      'limits.graphql.uploads',
      filesMax,
      names.length,
      'It has more files than allowed.',
    );
  }
  const files = new Map<string, UploadedFile>();
  for (const name of names) {
    const paths = places[name];
    const [path, ...others]: readonly unknown[] = Array.isArray(paths) ? paths : [];
    if (typeof path !== 'string' || others.length > 0) {
      throw malformed('Its map must name one place for each file.');
    }
    const file = newFile();
    place(operations, path, file);
    files.set(name, file);
  }
  return files;
}

/** More than a map that is told to be too long needs. */
const MORE = 1000;

function place(operations: unknown, path: string, file: UploadedFile): void {
  const steps = path.split('.');
  const last = steps.pop();
  if (steps[0] !== 'variables' || last === undefined) {
    throw malformed('Its map must name places in the variables.');
  }
  let at = operations;
  for (const step of steps) {
    at = memberAt(at, step);
  }
  // Null is what stands for a file: a value is not replaced, nor is a file.
  if (memberAt(at, last) !== null) throw malformed('Its map must name places that are null.');
  if (Array.isArray(at)) {
    at[Number(last)] = file;
  } else if (isRecord(at)) {
    Object.defineProperty(at, last, { value: file, enumerable: true });
  }
}

/** Undefined where there is none. */
function memberAt(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

const malformed = (rule: string): Refusal => new Refusal('BAD_REQUEST', rule);
