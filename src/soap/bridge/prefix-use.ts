import type { Buffer } from 'node:buffer';

/**
 * How often a prefix begins a name in content, as in `soap:Client`; infinite where references or
 * markup may hide it, as in `so&#97;p:Client`. Never less than there are.
 */
export function prefixUses(content: Buffer, prefix: string): number {
  return mayHidePrefix(content) ? Number.POSITIVE_INFINITY : occurrences(content, `${prefix}:`);
}

function occurrences(bytes: Buffer, needle: string): number {
  let count = 0;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    if (at === 0 || !isNameByte(bytes[at - 1] ?? 0)) {
      count++;
    }
  }
  return count;
}

/** Whether a byte may be a part of a name, or of a character that may. */
const isNameByte = (byte: number): boolean =>
  byte >= 0x80 ||
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x2d && byte <= 0x39 && byte !== 0x2f) ||
  byte === 0x5f;

function mayHidePrefix(content: Buffer): boolean {
  const hasReferences = content.includes('&#');
  const hasMarkup = content.includes('<!');
  if (!hasReferences && !hasMarkup) return false;
  const text = content.toString('latin1');
  return (hasReferences && hasNameReference(text)) || (hasMarkup && SPLIT_NAME.test(text));
}

/** A comment or a CDATA section in a name, before its colon. */
const SPLIT_NAME = /(?:--|\]\])>[-.\w\x80-\xff]*:|[-.\w\x80-\xff]<!\[CDATA\[[-.\w\x80-\xff]*:/;

const REFERENCE = /&#(?:x([0-9a-fA-F]+)|([0-9]+));/g;

/** Whether a character reference stands for a colon, or a character that names may have. */
function hasNameReference(text: string): boolean {
  for (const [, hex, decimal] of text.matchAll(REFERENCE)) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code === COLON || isNameByte(Math.min(code, 0x80))) return true;
  }
  return false;
}

const COLON = 0x3a;
