import sax from 'sax';
import { type Problem, Problems } from '../base/problem.js';
import type { QName } from '../xml/events.js';
import { XMLNS } from './namespaces.js';

/** An element of a document of start-up, with its place. White space between elements is not kept. */
export interface XmlNode {
  readonly uri: string;
  readonly local: string;
  /** Unqualified attributes by local name, others by `{uri}local`. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Namespaces declared by this very tag, by prefix. */
  readonly declares: ReadonlyMap<string, string> | null;
  readonly parent: XmlNode | null;
  readonly children: readonly XmlNode[];
  /** Character data of this element; a `documentation` has that of its descendants as well, in order. */
  readonly text: string;
  readonly source: XmlSource;
  /** Offset of the `<` of the start tag, of what follows its `>`, and of the `<` of the end tag. */
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** A document's text with what is needed to name a place in it. */
export interface XmlSource {
  readonly file: string;
  readonly text: string;
}

/** What may still be read; shared by all documents of one model. */
export interface TreeBudget {
  elements: number;
}

type OpenNode = { -readonly [K in keyof XmlNode]: XmlNode[K] } & { readonly children: XmlNode[] };

const CHUNK_CHARS = 32 * 1024;
/** A single tag longer than this makes the parser quadratic; no honest one comes near. */
const TOKEN_CHARS = 128 * 1024;
const DEPTH = 100;

/** Parses one document. Throws `Problems` with the place where it is not well-formed or goes beyond a limit. */
export function parseTree(source: XmlSource, budget: TreeBudget): XmlNode {
  const parser = sax.parser(true, { xmlns: true, position: true, ...{ strictEntities: true } });
  const open: OpenNode[] = [];
  let root: OpenNode | null = null;
  let documentation: OpenNode | null = null;
  let attributes = 0;
  let settled = 0;
  const fail = (what: string, remedy: string | null = null): never => {
    const { line, column } = placeOf(source, Math.max(0, parser.position - 1));
    throw new Problems([{ file: source.file, line, column, what, remedy }]);
  };
  const addText = (piece: string): void => {
    settled = parser.position;
    const node = documentation ?? open.at(-1);
    if (node !== undefined && (node === documentation || /\S/.test(piece))) node.text += piece;
  };
  parser.onerror = (error) => fail(`The document is not well-formed XML: ${firstLine(error.message)}.`);
  parser.ondoctype = () => fail('The document has a DTD, which is refused.', 'Remove the DOCTYPE.');
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes++;
  };
  parser.onopentag = (tag) => {
    settled = parser.position;
    if (!('uri' in tag)) return;
    if (open.length >= DEPTH) fail(`Elements nest deeper than ${DEPTH} levels.`);
    if (--budget.elements < 0) fail('The documents of this WSDL have more elements than allowed.');
    if (Object.keys(tag.attributes).length !== attributes) fail('An attribute is given twice.');
    const parent: OpenNode | null = open.at(-1) ?? null;
    const node = openNode(tag, parent, source, parser.startTagPosition - 1, parser.position);
    if (parent === null) root = node;
    else parent.children.push(node);
    if (node.local === 'documentation') documentation ??= node;
    open.push(node);
  };
  parser.onclosetag = () => {
    settled = parser.position;
    const node = open.pop();
    if (node === undefined) return;
    node.contentEnd = Math.max(node.contentStart, parser.startTagPosition - 1);
    if (node === documentation) documentation = null;
  };
  for (let at = 0; at < source.text.length; at += CHUNK_CHARS) {
    parser.write(source.text.slice(at, at + CHUNK_CHARS));
    if (parser.position - settled > TOKEN_CHARS) fail('A tag, comment or instruction is longer than allowed.');
  }
  parser.close();
  return root ?? fail('The document is empty.');
}

function openNode(
  tag: sax.QualifiedTag,
  parent: OpenNode | null,
  source: XmlSource,
  start: number,
  end: number,
): OpenNode {
  const attributes = new Map<string, string>();
  let declares: Map<string, string> | null = null;
  for (const { prefix, local, uri, value } of Object.values(tag.attributes)) {
    if (prefix === 'xmlns' || uri === XMLNS) {
      declares ??= new Map();
      declares.set(local, value);
    } else {
      attributes.set(prefix === '' ? local : `{${uri}}${local}`, value.replace(/[\t\r\n]/g, ' '));
    }
  }
  const uri = typeof tag.uri === 'string' ? tag.uri : '';
  const { local } = tag;
  return {
    uri,
    local,
    attributes,
    declares,
    parent,
    children: [],
    text: '',
    source,
    start,
    contentStart: end,
    contentEnd: end,
  };
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? message;

const lineStarts = new WeakMap<XmlSource, readonly number[]>();

/** 1-based line and column of an offset. */
export function placeOf(source: XmlSource, offset: number): { readonly line: number; readonly column: number } {
  let starts = lineStarts.get(source);
  if (starts === undefined) {
    const found = [0];
    for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) found.push(at + 1);
    starts = found;
    lineStarts.set(source, starts);
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** A problem at the start tag of a node. */
export function problemAt(node: XmlNode, what: string, remedy: string | null = null): Problem {
  return { file: node.source.file, ...placeOf(node.source, node.start), what, remedy };
}

/** The value of an unqualified attribute without white space around it, or null. */
export const attributeOf = (node: XmlNode, name: string): string | null => node.attributes.get(name)?.trim() ?? null;

/** The children with this name. */
export const childrenOf = (node: XmlNode, uri: string, local: string): readonly XmlNode[] =>
  node.children.filter((child) => child.uri === uri && child.local === local);

/** The first child with this name, or null. */
export const childOf = (node: XmlNode, uri: string, local: string): XmlNode | null =>
  node.children.find((child) => child.uri === uri && child.local === local) ?? null;

/** The name a QName in content means here, or null when its prefix is not declared. */
export function qNameAt(node: XmlNode, value: string): QName | null {
  const colon = value.indexOf(':');
  const prefix = colon === -1 ? '' : value.slice(0, colon);
  const local = value.slice(colon + 1);
  if (prefix === 'xml') return { uri: 'http://www.w3.org/XML/1998/namespace', local };
  for (let at: XmlNode | null = node; at !== null; at = at.parent) {
    const uri = at.declares?.get(prefix);
    if (uri !== undefined) return { uri, local };
  }
  return prefix === '' ? { uri: '', local } : null;
}

const DOCUMENTATION_CHARS = 10_000;

/** The text of the `documentation` in `container` (an `annotation`, or the WSDL element itself), tidied, or null. */
export function documentationIn(container: XmlNode | null, uri: string): string | null {
  if (container === null) return null;
  const text = childrenOf(container, uri, 'documentation')
    .map((child) => child.text)
    .join('\n')
    .slice(0, DOCUMENTATION_CHARS)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
  return text === '' ? null : text;
}

/** Where the value of an unqualified attribute stands in the text: between its quotes. Null when there is none. */
export function attributeSpan(node: XmlNode, name: string): { readonly start: number; readonly end: number } | null {
  const { text } = node.source;
  const isSpace = (at: number): boolean => text.charCodeAt(at) <= 0x20;
  let at = node.start + 1;
  while (at < node.contentStart && !isSpace(at)) at++;
  while (at < node.contentStart) {
    while (isSpace(at)) at++;
    const nameStart = at;
    while (at < node.contentStart && !isSpace(at) && text[at] !== '=') at++;
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
