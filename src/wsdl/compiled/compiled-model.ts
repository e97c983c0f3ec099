import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { inputFiles, isRecord, jsonValues, type Steps } from '../../core/index.js';
import type { WsdlModel } from '../model.js';
import { packing } from './pack.js';
import { linesOf, packedLines, packedOf } from './packed-lines.js';
import { readerDigest } from './reader-digest.js';
import { unpacking } from './unpack.js';

/** A model, and the reads of the files that it was made from. */
export interface CompiledModel {
  readonly model: WsdlModel;
  readonly reads: readonly inputFiles.Read[];
}

/** Longer ones would take more memory at once than the WSDL. */
const BYTES_MAX = 2 ** 28;

/**
 * Names what is made of the file at `location` by this program, as hexadecimal digits. `content` is
 * that of the file: the other files are among the reads. Which of them may be read, and what is
 * advised about them, depends on the home directory and the working directory.
 */
export const compiledKey = (location: string, content: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([inputFiles.packageVersion(), readerDigest(), location]))
    .update(JSON.stringify([homedir(), process.cwd()]))
    .update(content)
    .digest('hex');

/**
 * Writes one line of JSON about the model, then the model, as parts of one file. Null for one that
 * cannot be written.
 */
export function* writeCompiled(
  key: string,
  { model, reads }: CompiledModel,
): Steps<readonly Buffer[] | null> {
  const packed = yield* packing(model);
  if (packed === null) return null;
  const lines = yield* packedLines(packed);
  if (lines.reduce((sum, line) => sum + line.length, 0) > BYTES_MAX) return null;
  const digest = yield* digestOf(lines);
  return [Buffer.from(`${JSON.stringify({ key, digest, reads })}\n`), ...lines];
}

/** Null for bytes that `writeCompiled` did not write for this key, or not all of them. */
export function* readCompiled(key: string, bytes: Buffer): Steps<CompiledModel | null> {
  const [first = bytes] = linesOf(bytes);
  const head = jsonValues.parsedJson(first.toString('utf8'));
  if (!isRecord(head) || head['key'] !== key) return null;
  const { digest, reads } = head;
  if (!Array.isArray(reads) || !reads.every(inputFiles.isRead)) return null;
  const content = bytes.subarray(first.length + 1);
  if ((yield* digestOf(piecesOf(content))) !== digest) return null;
  const packed = yield* packedOf(linesOf(content));
  if (packed === null) return null;
  const model = yield* unpacking(packed);
  return isModel(model) ? { model, reads } : null;
}

/** Bytes that are hashed in one step. */
const PIECE_BYTES = 2 ** 18;

function* piecesOf(content: Buffer): Iterable<Buffer> {
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    yield content.subarray(at, at + PIECE_BYTES);
  }
}

function* digestOf(pieces: Iterable<Buffer>): Steps<string> {
  const hash = createHash('sha256');
  for (const piece of pieces) {
    hash.update(piece);
    yield;
  }
  return hash.digest('base64url');
}

/** The digest holds what is within: only the program writes it. */
const isModel = (value: unknown): value is WsdlModel =>
  isRecord(value) &&
  Array.isArray(value['services']) &&
  value['types'] instanceof Map &&
  value['elements'] instanceof Map &&
  Array.isArray(value['documents']) &&
  Array.isArray(value['warnings']);
