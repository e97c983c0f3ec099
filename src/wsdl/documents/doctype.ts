import { ConfigurationError } from '../../core/index.js';
import { positionOf, type XmlSource } from './xml-tree.js';

/** Longest document type declaration that is skipped; those of the W3C schemas have 2 KiB. */
export const DOCTYPE_CHARS = 64 * 1024;

/** A document without its document type declaration. */
export interface WithoutDoctype {
  /**
   * The text; white space of the same length stands where the declaration was, so that positions
   * stay.
   */
  readonly text: string;
  /** The offset at which the declaration began; null where there was none. */
  readonly start: number | null;
}

/**
 * Replaces the document type declaration (XML 1.0 section 2.8) by white space. It is neither
 * interpreted nor fetched: the entities and default values that it declares do not exist. Null
 * where it does not end, or is longer than `DOCTYPE_CHARS`.
 */
export function withoutDoctype(text: string): WithoutDoctype | null {
  const start = afterProlog(text);
  if (!text.startsWith('<!DOCTYPE', start)) return { text, start: null };
  const declaration = text.slice(start, start + DOCTYPE_CHARS);
  const end = endOf(declaration);
  if (end === null) return null;
  const blank = declaration.slice(0, end).replace(/[^\r\n]/g, ' ');
  return { text: text.slice(0, start) + blank + text.slice(start + end), start };
}

/**
 * The offset behind the XML declaration, and the comments and processing instructions that follow
 * it.
 */
function afterProlog(text: string): number {
  let at = 0;
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 0x20) {
      at++;
    }
    const closing = closingOf(text, at);
    const end = closing === null ? -1 : text.indexOf(closing, at + 2);
    if (closing === null || end === -1) return at;
    at = end + closing.length;
  }
}

/**
 * The offset behind the `>` of the declaration; quotes, comments and instructions in its subset may
 * hold any character.
 */
function endOf(declaration: string): number | null {
  let isInSubset = false;
  let at = '<!DOCTYPE'.length;
  while (at < declaration.length) {
    const char = declaration[at];
    const closing = char === '"' || char === "'" ? char : closingOf(declaration, at);
    if (closing !== null) {
      const end = declaration.indexOf(closing, at + (closing === '-->' ? 4 : 1));
      if (end === -1) return null;
      at = end + closing.length;
      continue;
    }
    if (char === '>' && !isInSubset) return at + 1;
    if (char === '[') {
      isInSubset = true;
    } else if (char === ']') {
      isInSubset = false;
    }
    at++;
  }
  return null;
}

/** The end of the comment or processing instruction that begins at `at`; null where none does. */
function closingOf(text: string, at: number): '-->' | '?>' | null {
  if (text.startsWith('<!--', at)) return '-->';
  return text.startsWith('<?', at) ? '?>' : null;
}

/** The remedy for a document with one. */
export const NO_DTD = 'Remove the DOCTYPE.';

/** The error for a WSDL whose declaration begins at `start`. */
export const refusedDtd = (source: XmlSource, start: number): ConfigurationError =>
  new ConfigurationError([
    {
      file: source.file,
      ...positionOf(source, start),
      what: 'The WSDL has a DTD, which is refused.',
      remedy: NO_DTD,
    },
  ]);
