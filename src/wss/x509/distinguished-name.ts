import { Buffer } from 'node:buffer';

/** Longer names are compared as texts only. */
const NAME_CHARS_MAX = 4096;

/** A type of attribute: a word or an object identifier (RFC 4514 section 3). */
const TYPE = /^(?:[A-Za-z][A-Za-z0-9-]{0,63}|\d{1,16}(?:\.\d{1,16}){1,31})$/;

/**
 * The attributes of a distinguished name (RFC 4514) as a key that does not depend on their order:
 * `CN=erp,O=Bank`, `O = Bank, CN = erp` and `o=Bank,cn=erp` have one. Values keep their case.
 * Attributes that stand in one set (`+`) stay together. Null for a text that is no such name.
 */
export function nameKey(text: string): string | null {
  const attributes = readName(text);
  if (attributes === null) return null;
  const sets: string[] = [];
  let set: string[] = [];
  for (const { key, end } of attributes) {
    set.push(key);
    if (text[end] === '+') continue;
    sets.push(JSON.stringify(set.sort()));
    set = [];
  }
  return sets.sort().join();
}

/** The key of a name in the older form of OpenSSL, `/O=Bank/CN=erp`, or in that of `nameKey`. */
export function configuredNameKey(text: string): string | null {
  if (!text.startsWith('/')) return nameKey(text);
  const parts = text.slice(1).split(/\/(?=[A-Za-z0-9.-]{1,64}=)/);
  return nameKey(
    parts.map((part) => part.replaceAll(/[,+"\\;<>]/g, (character) => `\\${character}`)).join(),
  );
}

/**
 * The attributes of a configured name, each as a key that is equal for equal attributes: `CN=erp`,
 * `cn = erp`. Null for a text that is no such name.
 */
export const attributeKeys = (text: string): readonly string[] | null =>
  readName(text)?.map(({ key }) => key) ?? null;

/**
 * A name as in RFC 2253, which begins with the last attribute. Node prints one in each line, or
 * several of one set with ` + ` between them, all escaped as there.
 */
export const rfc2253Name = (lines: string): string =>
  lines
    .trim()
    .split('\n')
    .reverse()
    .map((set) => set.split(' + ').reverse().join('+'))
    .join(',');

/** The key of one attribute by its type and value. */
export const attributeKey = (type: string, value: string): string =>
  `${type.toUpperCase()}=${Buffer.from(value).toString('base64')}`;

interface Attribute {
  readonly key: string;
  /** The offset of the separator behind the attribute, or of the end of the text. */
  readonly end: number;
}

/** The attributes of a name in their order; null for a text that is no name. */
function readName(text: string): readonly Attribute[] | null {
  if (text.length > NAME_CHARS_MAX) return null;
  const attributes: Attribute[] = [];
  for (let at = 0; ; ) {
    const attribute = readAttribute(text, at);
    if (attribute === null) return null;
    attributes.push(attribute);
    if (text[attribute.end] === undefined) return attributes;
    at = attribute.end + 1;
  }
}

/** Reads `type=value` from `at` up to a separator that is not escaped. */
function readAttribute(text: string, at: number): Attribute | null {
  const equals = text.indexOf('=', at);
  if (equals < 0) return null;
  const type = text.slice(at, equals).trim();
  if (!TYPE.test(type)) return null;
  const bytes: Buffer[] = [];
  let solid = 0;
  let index = equals + 1;
  while (text[index] === ' ') {
    index++;
  }
  // The hexadecimal form of a value is not the text that looks like it.
  const kind = text[index] === '#' ? '=#' : '=';
  for (; index < text.length && text[index] !== ',' && text[index] !== '+'; index++) {
    let character = text[index] ?? '';
    if ('"<>;'.includes(character)) return null;
    const isEscaped = character === '\\';
    if (isEscaped) {
      const hex = /^[0-9A-Fa-f]{2}/.exec(text.slice(index + 1, index + 3))?.[0];
      if (hex !== undefined) {
        bytes.push(Buffer.from(hex, 'hex'));
        index += 2;
        solid = bytes.length;
        continue;
      }
      index++;
      character = text[index] ?? '';
      if (character === '') return null;
    }
    // Both halves of a character beyond the basic plane.
    const code = text.codePointAt(index) ?? 0;
    if (code > 0xffff) {
      character = String.fromCodePoint(code);
    }
    index += character.length - 1;
    bytes.push(Buffer.from(character));
    // Blanks at the end belong to the value only where they are escaped.
    if (isEscaped || character !== ' ') {
      solid = bytes.length;
    }
  }
  const value = Buffer.concat(bytes.slice(0, solid)).toString('base64');
  return { key: `${type.toUpperCase()}${kind}${value}`, end: index };
}
