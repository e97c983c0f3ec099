import sax from 'sax';
import { ConfigurationError, type Steps } from '../../core/index.js';
import { normaliseValue } from '../../xml/index.js';
import { XMLNS } from './namespaces.js';
import { meantNamespace, type OnRepair, spelt, UNBOUND } from './repairs.js';
import { positionOf, type XmlNode, type XmlSource } from './xml-tree.js';

/** The number of elements that may still be read; shared by all documents of one model. */
interface TreeBudget {
  elements: number;
}

type OpenNode = { -readonly [K in keyof XmlNode]: XmlNode[K] } & { readonly children: XmlNode[] };

/** A step of the work: a millisecond or two. */
const CHUNK_CHARS = 8 * 1024;
/** A single tag longer than this makes the parser quadratic; real ones are far shorter. */
const TOKEN_CHARS = 128 * 1024;
const DEPTH = 100;

/**
 * Parses one document. Throws `ConfigurationError` with the position where it is not well-formed or
 * goes beyond a limit. What has one meaning all the same is repaired and reported.
 */
export function* parseTree(
  source: XmlSource,
  budget: TreeBudget,
  onRepair: OnRepair,
): Steps<XmlNode> {
  // Only the five entities of XML: the typings do not know the option.
  const options = { xmlns: true, position: true, strictEntities: true };
  const parser = sax.parser(true, options);
  const open: OpenNode[] = [];
  let root: OpenNode | null = null;
  let documentation: OpenNode | null = null;
  let attributes = 0;
  let consumed = 0;
  const fail = (what: string, remedy: string | null = null): never => {
    const { line, column } = positionOf(source, Math.max(0, parser.position - 1));
    throw new ConfigurationError([{ file: source.file, line, column, what, remedy }]);
  };
  const addText = (chunk: string): void => {
    consumed = parser.position;
    const node = documentation ?? open.at(-1);
    if (node !== undefined && (node === documentation || /\S/.test(chunk))) {
      node.text += chunk;
    }
  };
  parser.onerror = ({ message }) => {
    if (message.startsWith(UNBOUND) && open.length > 0) {
      parser.resume();
      return;
    }
    const isEntity = message.startsWith('Invalid character entity');
    const isText = message.startsWith('Non-whitespace before first tag');
    const remedy = isEntity
      ? 'Entities of a DTD are not read: write the text in their place.'
      : isText
        ? 'Check that the path or the address is that of a WSDL.'
        : 'Mend the document there, or fetch it again.';
    fail(`The document is not well-formed XML: ${firstLine(message).replace(/\.$/, '')}.`, remedy);
  };
  // The one that a document may have was removed before (`doctype.ts`).
  parser.ondoctype = () =>
    fail('The document is not well-formed XML: a DTD stands where none may.');
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes++;
  };
  parser.onopentag = (tag) => {
    consumed = parser.position;
    if (!('uri' in tag)) return;
    if (open.length >= DEPTH) {
      fail(`Elements nest deeper than ${DEPTH} levels.`);
    }
    if (--budget.elements < 0) {
      fail('The documents of this WSDL have more elements than allowed.');
    }
    const parent: OpenNode | null = open.at(-1) ?? null;
    const node = openNode(tag, parent, source, parser.startTagPosition - 1, parser.position);
    node.uri = meantNamespace(node, tag, parent, onRepair);
    if (Object.keys(tag.attributes).length !== attributes) {
      onRepair(node, 'An attribute is given twice; the last one counts.');
    }
    if (parent === null) {
      root = node;
    } else {
      parent.children.push(node);
    }
    if (documentation !== null) {
      documentation.text += breakBefore(node.local);
    }
    if (node.local === 'documentation') {
      documentation ??= node;
    }
    open.push(node);
  };
  parser.onclosetag = () => {
    consumed = parser.position;
    const node = open.pop();
    if (node === undefined) return;
    node.contentEnd = Math.max(node.contentStart, parser.startTagPosition - 1);
    if (node === documentation) {
      documentation = null;
    } else if (documentation !== null) {
      documentation.text += breakBehind(node.local);
    }
  };
  for (let at = 0; at < source.text.length; at += CHUNK_CHARS) {
    parser.write(source.text.slice(at, at + CHUNK_CHARS));
    if (parser.position - consumed > TOKEN_CHARS) {
      fail('A tag, comment or instruction is longer than allowed.');
    }
    yield;
  }
  parser.close();
  return root ?? fail('The document is empty.', 'Fetch it again.');
}

/** Elements within a line of documentation. Others are paragraphs, whatever they are called. */
const WITHIN_LINES: ReadonlySet<string> = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'big',
    'c',
    'code',
    'em',
    'font',
    'i',
    'kbd',
    'q',
    's',
    'see',
    'small',
    'span',
    'strong',
  ],
  ...['sub', 'sup', 'tt', 'u', 'var', 'documentation'],
]);

const LINES: ReadonlySet<string> = new Set(['br', 'tr', 'dt', 'dd']);
/** Cells of one line. */
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);

/** What separates an element of documentation from the text before it. */
function breakBefore(name: string): string {
  const local = name.toLowerCase();
  if (local === 'li') return '\n- ';
  if (LINES.has(local)) return '\n';
  return CELLS.has(local) ? ' ' : breakBehind(name);
}

function breakBehind(name: string): string {
  const local = name.toLowerCase();
  const isWithin =
    WITHIN_LINES.has(local) || CELLS.has(local) || LINES.has(local) || local === 'li';
  return isWithin ? '' : '\n\n';
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
  const all = Object.values(tag.attributes);
  const written = all.some(({ value }) => WHITE.test(value))
    ? writtenValues(source.text.slice(start, end))
    : null;
  for (const { name, prefix, local, uri, value: parsed } of all) {
    if (prefix !== '' && prefix !== 'xmlns' && prefix !== 'xml' && !(prefix in tag.ns)) continue;
    const raw = written?.get(name);
    const value = raw === undefined ? parsed : normaliseValue(raw);
    if (prefix === 'xmlns' || uri === XMLNS) {
      declares ??= new Map();
      declares.set(local, spelt(value));
    } else {
      attributes.set(prefix === '' ? local : `{${uri}}${local}`, value);
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

const WHITE = /[\t\r\n]/;
const ATTRIBUTE = /\s([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * The attributes of a well-formed tag as they are written, by name. The parser resolves references
 * in them, and then a line end, which is read as a space, can no more be distinguished from a
 * reference to one, which is not (XML 1.0 section 3.3.3).
 */
const writtenValues = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [
      name,
      double ?? single ?? '',
    ]),
  );
