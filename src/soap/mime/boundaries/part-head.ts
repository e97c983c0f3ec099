import type { Buffer } from 'node:buffer';
import { Refusal } from '../../../core/index.js';

/** The fields of the header of one part that are read. */
export interface PartHead {
  /** As written, or null. */
  readonly contentType: string | null;
  /** The Content-ID without its angle brackets, or null. */
  readonly id: string | null;
  /** In lower case; `7bit` when none is named (RFC 2045 section 6.1). */
  readonly transferEncoding: string;
}

/** Field names of RFC 5322 section 2.2. */
const NAME = /^[!-9;-~]{1,128}$/;
/** Control characters, a bare CR or LF among them. */
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

/**
 * The fields that are read; each at most once, because readers differ in which of two they take.
 */
const READ: ReadonlySet<string> = new Set([
  'content-type',
  'content-id',
  'content-transfer-encoding',
]);

/** Reads the header of a part, its empty line included. Throws `MTOM_STRUCTURE`. */
export function readPartHead(bytes: Buffer): PartHead {
  const fields = readPartFields(bytes, READ);
  const id = fields.get('content-id');
  return {
    contentType: fields.get('content-type') ?? null,
    id: id === undefined ? null : withoutBrackets(id),
    transferEncoding: fields.get('content-transfer-encoding')?.trim().toLowerCase() ?? '7bit',
  };
}

/**
 * The fields of the header of a part by their names in lower case, those that are read. Throws as
 * `readPartHead` does.
 */
export function readPartFields(
  bytes: Buffer,
  read: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let open: string | null = null;
  for (const line of bytes
    .latin1Slice(0, bytes.length)
    .split(bytes.includes('\r\n') ? '\r\n' : '\n')) {
    if (line === '') break;
    if (CONTROL.test(line)) throw broken('control character in the header of a part');
    // A boundary before the empty line: for some readers the part ends here.
    if (line.startsWith('--')) throw broken('boundary in the header of a part');
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (open === null) throw broken('header of a part begins with a continuation');
      if (read.has(open)) {
        fields.set(open, `${fields.get(open)} ${line.trim()}`);
      }
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!NAME.test(name)) throw broken('line in the header of a part');
    open = name;
    if (!read.has(name)) continue;
    if (fields.has(name)) throw broken('field twice in the header of a part');
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/**
 * A Content-ID or a `start` parameter as it is compared: stacks write it with angle brackets and
 * without.
 */
export function withoutBrackets(id: string): string {
  const text = id.trim();
  return text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1).trim() : text;
}

const broken = (rule: string): Refusal => new Refusal('MTOM_STRUCTURE', rule);

/** Transfer encodings that change nothing: RFC 2045 section 6.2. */
export const PLAIN_CODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);
