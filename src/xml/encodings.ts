import { getOrMake } from '../core/index.js';
import { CHARACTERS } from './characters-of-bytes.js';

/** An encoding of one byte for each character, with ASCII below 0x80. */
export type ByteEncoding = 'us-ascii' | 'iso-8859-1' | keyof typeof CHARACTERS;
/** UTF-16 by the order of its bytes. */
export type WideEncoding = 'utf-16le' | 'utf-16be';

/**
 * The encodings a message may come in. All but UTF-16 have markup as the same bytes, whatever their
 * table: two readers that take different ones see other letters, never other elements. Encodings
 * of several bytes, such as Shift_JIS, GBK and EUC-KR, are left out: broken characters take the
 * markup behind them away for some readers.
 */
export type Encoding = 'utf-8' | WideEncoding | ByteEncoding;

/** Characters of the bytes from 0x80 on; -1 for a byte that is not defined. */
export type CharacterTable = Int32Array;

const TABLES = new Map<ByteEncoding, CharacterTable>();

/** The table of an encoding, made when it is first asked for. */
export function characterTable(encoding: ByteEncoding): CharacterTable {
  return getOrMake(TABLES, encoding, () => {
    const table = new Int32Array(128).fill(-1);
    if (encoding !== 'us-ascii') {
      fillTable(table, encoding === 'iso-8859-1' ? '' : CHARACTERS[encoding]);
    }
    return table;
  });
}

/** Fills the end of a table with these characters, and controls of the same number before. */
function fillTable(table: CharacterTable, characters: string): void {
  const first = table.length - characters.length;
  for (let at = 0; at < table.length; at++) {
    if (at < first) {
      table[at] = 0x80 + at;
    } else if (characters[at - first] !== '_') {
      table[at] = characters.charCodeAt(at - first);
    }
  }
}

/** Whether characters have two bytes or four. */
export const isWide = (encoding: string): encoding is WideEncoding =>
  encoding === 'utf-16le' || encoding === 'utf-16be';

/** Decodes whole documents; null for bytes that the encoding does not define. */
export type Decode = (bytes: Uint8Array) => string | null;

const DECODERS = new Map<Encoding | 'utf-16', Decode>();

/** What decodes a charset of this name, in lower case; null for a name that is not read at all. */
export function decoderOf(name: string): Decode | null {
  const encoding = NAMES.get(name);
  if (encoding === undefined) return null;
  return getOrMake(DECODERS, encoding, () => makeDecoder(encoding));
}

function makeDecoder(encoding: Encoding | 'utf-16'): Decode {
  if (encoding !== 'utf-8' && encoding !== 'utf-16' && !isWide(encoding)) {
    return (bytes) => decodeBytes(bytes, characterTable(encoding));
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return null;
    }
  };
}

function decodeBytes(bytes: Uint8Array, table: CharacterTable): string | null {
  const units = new Uint16Array(bytes.length);
  for (const [at, byte] of bytes.entries()) {
    const code = byte < 0x80 ? byte : table[byte - 0x80]!;
    if (code < 0) return null;
    units[at] = code;
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
}

/**
 * The encoding of this name, in lower case, or null. Single quotes around it are left out: they
 * are part of no name.
 */
export function encodingOf(name: string | null): Encoding | 'utf-16' | null {
  if (name === null) return null;
  return NAMES.get(withoutQuotes(name)) ?? null;
}

/** A charset without single quotes around it, which are no quotes in a Content-Type. */
export const withoutQuotes = (name: string): string => /^'([^']*)'$/.exec(name)?.[1] ?? name;

const isTable = (name: string): name is keyof typeof CHARACTERS => Object.hasOwn(CHARACTERS, name);

/** Names that IANA has for the parts of ISO 8859 by their alphabets. */
const LATIN: Readonly<Record<string, keyof typeof CHARACTERS>> = {
  latin2: 'iso-8859-2',
  latin3: 'iso-8859-3',
  latin4: 'iso-8859-4',
  latin5: 'iso-8859-9',
  latin6: 'iso-8859-10',
  'latin-9': 'iso-8859-15',
  latin9: 'iso-8859-15',
  latin10: 'iso-8859-16',
  'tis-620': 'iso-8859-11',
};

/** Encodings by all the names that are read. */
const NAMES: ReadonlyMap<string, Encoding | 'utf-16'> = new Map<string, Encoding | 'utf-16'>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['utf-16', 'utf-16'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
  ['iso-8859-1', 'iso-8859-1'],
  ['iso_8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
  ['us-ascii', 'us-ascii'],
  ['ascii', 'us-ascii'],
  ...Object.keys(CHARACTERS)
    .filter(isTable)
    .flatMap((name): [string, Encoding][] => [
      [name, name],
      [name.replace('iso-', 'iso_').replace('windows-', 'cp'), name],
    ]),
  ...Object.entries(LATIN),
]);
