import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { inputFiles, isRecord, jsonValues, type Steps } from '../../core/index.js';
import type { WsdlModel } from '../model.js';
import { packing } from './pack.js';
import type { Packed } from './rows.js';
import { unpacking } from './unpack.js';

/** A model, and the reads of the files that it was made from. */
export interface CompiledModel {
  readonly model: WsdlModel;
  readonly reads: readonly inputFiles.Read[];
}

/** Changes when the model, its reader or the form does, within one version of the program. */
const FORM = 1;

/** Longer ones would take more memory at once than the WSDL. */
const BYTES_MAX = 2 ** 28;

/**
 * Names what is made of the file at `location` by this version, as hexadecimal digits. `content` is
 * that of the file: the other files are among the reads.
 */
export const compiledKey = (location: string, content: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([inputFiles.packageVersion(), FORM, location]))
    .update(content)
    .digest('hex');

/** Writes one line of JSON about the model, then the model. Null for one that cannot be written. */
export function* writeCompiled(key: string, { model, reads }: CompiledModel): Steps<Buffer | null> {
  const packed = yield* packing(model);
  if (packed === null) return null;
  const content = Buffer.from(JSON.stringify(packed));
  if (content.length > BYTES_MAX) return null;
  yield;
  const head = { key, digest: digestOf(content), reads };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);
}

/** Null for bytes that `writeCompiled` did not write for this key, or not all of them. */
export function* readCompiled(key: string, bytes: Buffer): Steps<CompiledModel | null> {
  const end = bytes.indexOf('\n');
  const head = end === -1 ? null : jsonValues.parsedJson(bytes.toString('utf8', 0, end));
  if (!isRecord(head) || head['key'] !== key) return null;
  const { digest, reads } = head;
  const content = bytes.subarray(end + 1);
  if (!Array.isArray(reads) || !reads.every(inputFiles.isRead)) return null;
  if (digestOf(content) !== digest) return null;
  yield;
  const packed = jsonValues.parsedJson(content.toString('utf8'));
  yield;
  if (!isPacked(packed)) return null;
  const model = yield* unpacking(packed);
  return isModel(model) ? { model, reads } : null;
}

const digestOf = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('base64url');

const isText = (value: unknown): boolean => typeof value === 'string';

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const isPacked = (value: unknown): value is Packed =>
  isRecord(value) &&
  Array.isArray(value['shapes']) &&
  value['shapes'].every(areTexts) &&
  areTexts(value['texts']) &&
  areTexts(value['builtIns']) &&
  Array.isArray(value['cells']) &&
  value['cells'].every((cell) => Number.isSafeInteger(cell) && cell >= 0);

/** The digest holds what is within: only the program writes it. */
const isModel = (value: unknown): value is WsdlModel =>
  isRecord(value) &&
  Array.isArray(value['services']) &&
  value['types'] instanceof Map &&
  value['elements'] instanceof Map &&
  Array.isArray(value['documents']) &&
  Array.isArray(value['warnings']);
