import { Buffer } from 'node:buffer';
import { invariant } from '../core/index.js';

/**
 * Texts of callers that are written anew, character by character, in time proportional to them. A
 * regular expression that calls a function for each match takes three times as long for short
 * texts, and ten times for long ones: 800 KB of `<` held the event loop for 80 ms.
 */

/** The texts that are written for characters of ASCII; a character may be left out. */
export class Rewriting {
  /** Texts by the codes of their characters; undefined: the character itself. */
  readonly texts: readonly (string | undefined)[];
  readonly lengths: readonly number[];
  /** The eight bytes of each, as two numbers: they are written at once. */
  readonly low: readonly number[];
  readonly high: readonly number[];

  constructor(written: Iterable<readonly [string, string]>) {
    const byCharacter = new Map(written);
    const characters = Array.from({ length: ASCII }, (_, code) => String.fromCharCode(code));
    this.texts = characters.map((character) => byCharacter.get(character));
    const all = characters.map((character) => byCharacter.get(character) ?? character);
    invariant(
      all.every((text) => text.length <= WRITTEN_UNITS_MAX),
      'an escape is short',
    );
    this.lengths = all.map((text) => text.length);
    const bytes = all.map((text) => Buffer.from(text.padEnd(WRITTEN_UNITS_MAX, '\0'), 'latin1'));
    this.low = bytes.map((each) => each.readInt32LE(0));
    this.high = bytes.map((each) => each.readInt32LE(4));
  }
}

const ASCII = 0x80;
const LATIN_1_MAX = 0xff;
/** `&#65535;` is the longest for one UTF-16 unit. */
const WRITTEN_UNITS_MAX = 8;
/** Longer texts are written through memory: joined strings of single characters take 30 bytes. */
const JOINED_UNITS_MAX = 128;
const SLICE_UNITS = 2048;
/** A slice may end with a character of two units, and an escape is written with what pads it. */
const memory = Buffer.allocUnsafeSlow(2 * (SLICE_UNITS + 2) * WRITTEN_UNITS_MAX);
/** A view: once a buffer of the process is detached, each access to a typed array is checked. */
const view = new DataView(memory.buffer);

/** Writes a text with these texts for its characters: with its escapes, or without its spaces. */
export function rewriteText(text: string, rewriting: Rewriting): string {
  if (text.length <= JOINED_UNITS_MAX) return joinRewritten(text, rewriting);
  let written = '';
  for (let from = 0; from < text.length; from += SLICE_UNITS) {
    const end = Math.min(text.length, from + SLICE_UNITS);
    written +=
      rewriteLatin1(text, from, end, rewriting) ?? rewriteUnits(text, from, end, rewriting);
  }
  return written;
}

function joinRewritten(text: string, { texts }: Rewriting): string {
  let written = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const other = code < ASCII ? texts[code] : undefined;
    if (other === undefined) continue;
    if (at > start) {
      written += text.slice(start, at);
    }
    written += other;
    start = at + 1;
  }
  return start < text.length ? written + text.slice(start) : written;
}

/** Null for a text with characters beyond Latin-1. */
function rewriteLatin1(
  text: string,
  from: number,
  end: number,
  { lengths, low, high }: Rewriting,
): string | null {
  let to = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < ASCII) {
      const length = lengths[code] ?? 0;
      view.setInt32(to, low[code] ?? 0, true);
      if (length > 4) {
        view.setInt32(to + 4, high[code] ?? 0, true);
      }
      to += length;
    } else if (code <= LATIN_1_MAX) {
      view.setUint8(to++, code);
    } else {
      return null;
    }
  }
  return memory.latin1Slice(0, to);
}

function rewriteUnits(text: string, from: number, end: number, { texts }: Rewriting): string {
  let to = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    const other = code < ASCII ? texts[code] : undefined;
    if (other === undefined) {
      view.setUint16(to, code, true);
      to += 2;
    } else {
      for (let of = 0; of < other.length; of++, to += 2) {
        view.setUint16(to, other.charCodeAt(of), true);
      }
    }
  }
  return memory.toString('utf16le', 0, to);
}

/** Writes a text in ASCII: other characters, and control characters, as references of XML. */
export function writeInAscii(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  let written = '';
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + SLICE_UNITS);
    let to = 0;
    while (at < end) {
      const code = text.codePointAt(at) ?? 0;
      at += code > 0xffff ? 2 : 1;
      if (isAscii(code)) {
        view.setUint8(to++, code);
      } else {
        to = writeReference(code, to);
      }
    }
    written += memory.latin1Slice(0, to);
  }
  return written;
}

const BEYOND_ASCII = /[^\t\n\r\x20-\x7e]/;
const isAscii = (code: number): boolean =>
  code < 0x20 ? code === 0x09 || code === 0x0a || code === 0x0d : code <= 0x7e;

/** Writes `&#`, the digits and `;`; returns the offset behind. */
function writeReference(code: number, to: number): number {
  view.setUint16(to, 0x2623);
  let digits = 1;
  for (let rest = code; rest >= 10; rest = Math.floor(rest / 10)) {
    digits++;
  }
  const end = to + 2 + digits;
  for (let at = end - 1, rest = code; at >= to + 2; at--, rest = Math.floor(rest / 10)) {
    view.setUint8(at, 0x30 + (rest % 10));
  }
  view.setUint8(end, 0x3b);
  return end + 1;
}

/** Writes each run of white space of XML as one space. */
export function collapseSpaces(text: string): string {
  const isLatin1 = !BEYOND_LATIN_1.test(text);
  let written = '';
  let isSpace = false;
  for (let from = 0; from < text.length; from += SLICE_UNITS) {
    const end = Math.min(text.length, from + SLICE_UNITS);
    let to = 0;
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at);
      const wasSpace = isSpace;
      isSpace = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
      if (isSpace && wasSpace) continue;
      if (isLatin1) {
        view.setUint8(to++, isSpace ? 0x20 : code);
      } else {
        view.setUint16(to, isSpace ? 0x20 : code, true);
        to += 2;
      }
    }
    written += isLatin1 ? memory.latin1Slice(0, to) : memory.toString('utf16le', 0, to);
  }
  return written;
}

const BEYOND_LATIN_1 = /[^\0-\xff]/;
