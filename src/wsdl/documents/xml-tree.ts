import type { Diagnostic } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import { XML } from './namespaces.js';

/** An element of a WSDL or schema, with its position. White space between elements is not kept. */
export interface XmlNode {
  readonly uri: string;
  readonly local: string;
  /** Unqualified attributes by local name, others by `{uri}local`. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Namespaces declared by this very tag, by prefix. */
  readonly declares: ReadonlyMap<string, string> | null;
  readonly parent: XmlNode | null;
  readonly children: readonly XmlNode[];
  /**
   * Character data of this element; a `documentation` has that of its descendants as well, in
   * order.
   */
  readonly text: string;
  readonly source: XmlSource;
  /** Offset of the `<` of the start tag, of what follows its `>`, and of the `<` of the end tag. */
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** A document's file name and text. */
export interface XmlSource {
  readonly file: string;
  readonly text: string;
}

const lineStarts = new WeakMap<XmlSource, readonly number[]>();

/** 1-based line and column of an offset. */
export function positionOf(
  source: XmlSource,
  offset: number,
): { readonly line: number; readonly column: number } {
  let starts = lineStarts.get(source);
  if (starts === undefined) {
    const found = [0];
    for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) {
      found.push(at + 1);
    }
    starts = found;
    lineStarts.set(source, starts);
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** A diagnostic at the start tag of a node. */
export function diagnosticAtNode(
  node: XmlNode,
  what: string,
  remedy: string | null = null,
): Diagnostic {
  return { file: node.source.file, ...positionOf(node.source, node.start), what, remedy };
}

/** The value of an unqualified attribute without white space around it, or null. */
export const attributeOf = (node: XmlNode, name: string): string | null =>
  node.attributes.get(name)?.trim() ?? null;

/** The name that an element gives to what it defines; empty without one. */
export const nameOfNode = (node: XmlNode): string => attributeOf(node, 'name') ?? '';

/** The children with this name. */
export const childrenOf = (node: XmlNode, uri: string, local: string): readonly XmlNode[] =>
  node.children.filter((child) => child.uri === uri && child.local === local);

/** The first child with this name, or null. */
export const childOf = (node: XmlNode, uri: string, local: string): XmlNode | null =>
  node.children.find((child) => child.uri === uri && child.local === local) ?? null;

/** Resolves a QName in content, or returns null when its prefix is not declared. */
export function qNameAt(node: XmlNode, value: string): QName | null {
  const colon = value.indexOf(':');
  const prefix = colon === -1 ? '' : value.slice(0, colon);
  const local = value.slice(colon + 1);
  if (prefix === 'xml') return { uri: XML, local };
  for (let at: XmlNode | null = node; at !== null; at = at.parent) {
    const uri = at.declares?.get(prefix);
    if (uri !== undefined) return { uri, local };
  }
  return prefix === '' ? { uri: '', local } : null;
}

const DOCUMENTATION_CHARS = 10_000;

/**
 * The text of the `documentation` in `container` (an `annotation`, or the WSDL element itself),
 * tidied, or null.
 */
export function documentationIn(container: XmlNode | null, uri: string): string | null {
  if (container === null) return null;
  const text = childrenOf(container, uri, 'documentation')
    .map((child) => child.text)
    .join('\n')
    .slice(0, DOCUMENTATION_CHARS)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/^-\n+/gm, '- ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text === '' ? null : text;
}

/**
 * The offsets of the value of an unqualified attribute, between its quotes. Null when there is
 * none.
 */
export function attributeSpan(
  node: XmlNode,
  name: string,
): { readonly start: number; readonly end: number } | null {
  const { text } = node.source;
  const isSpace = (at: number): boolean => text.charCodeAt(at) <= 0x20;
  let at = node.start + 1;
  while (at < node.contentStart && !isSpace(at)) {
    at++;
  }
  while (at < node.contentStart) {
    while (isSpace(at)) {
      at++;
    }
    const nameStart = at;
    while (at < node.contentStart && !isSpace(at) && text[at] !== '=') {
      at++;
    }
    const found = text.slice(nameStart, at);
    const open = text.slice(at, node.contentStart).search(/["']/);
    if (open === -1) return null;
    const start = at + open + 1;
    const end = text.indexOf(text[start - 1] ?? '"', start);
    if (end === -1) return null;
    if (found === name) return { start, end };
    at = end + 1;
  }
  return null;
}
