import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  YAMLParseError,
} from 'yaml';
import type { Steps } from '../../core/index.js';

/** Lexemes that are parsed without a pause. */
const LEXEMES_TOGETHER = 64;

/** Entries and items that are composed without a pause: 10 ms. */
const COMPOSED_TOGETHER = 500;

/** Aliases that stand for more nodes than this are taken for an attack on memory. */
const MAX_ALIASES = 100;

/**
 * Keys that stand twice are found by the caller: the library compares each with all others of its
 * map.
 */
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  prettyErrors: false,
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
};

/** A document of YAML as nodes, which have their offsets in the text. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly hasAliases: boolean;
}

/**
 * What `parseDocument` of the library reads, in steps: a file of 10,000 API keys takes a second.
 */
export function* parseYaml(text: string, lines: LineCounter): Steps<ParsedYaml> {
  const tokens = yield* tokensOf(text, lines);
  const documents = tokens.filter(({ type }) => type === 'document');
  const isPlain = documents.length === 1 && !tokens.some(({ type }) => type === 'directive');
  const cut = new CutCollections();
  for (const token of documents) {
    cut.measure(token, isPlain);
  }
  const composer = new Composer({ ...OPTIONS, keepSourceTokens: cut.hasParts });
  const [document, another] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) throw new Error('a composer that makes no document');
  if (another !== undefined) {
    const what = 'The source has several documents.';
    const [from, to] = another.range;
    document.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', what));
  }
  yield;
  yield* cut.join(document);
  return { document, hasAliases: cut.hasAliases };
}

function* tokensOf(text: string, lines: LineCounter): Steps<readonly CST.Token[]> {
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (++count % LEXEMES_TOGETHER === 0) {
      yield;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/**
 * Collections whose later items are composed by themselves, since the library composes a document
 * at once.
 */
class CutCollections {
  hasAliases = false;
  /** Copies of a collection with the items that were taken out of it. */
  readonly #parts = new Map<CST.Token, readonly Collection[]>();

  get hasParts(): boolean {
    return this.#parts.size > 0;
  }

  /**
   * Counts the items within a token. With `isCut`, those beyond the first are taken out in parts.
   */
  measure(token: CST.Token | null | undefined, isCut: boolean): number {
    if (token === null || token === undefined) return 0;
    if (token.type === 'alias') {
      this.hasAliases = true;
    }
    if (token.type === 'document') return this.measure(token.value, isCut);
    if (!isCollection(token)) return 0;
    const cuts: number[] = [];
    let size = 0;
    for (const [at, { key, value }] of token.items.entries()) {
      const own = 1 + this.measure(key, isCut) + this.measure(value, isCut);
      if (isCut && size + own > COMPOSED_TOGETHER && mayCutBefore(token, at)) {
        cuts.push(at);
        size = 0;
      }
      size += own;
    }
    if (cuts.length === 0) return size;
    this.#parts.set(
      token,
      cuts.map((from, index) => withItems(token, from, cuts[index + 1])),
    );
    token.items.splice(cuts[0] ?? 0);
    return COMPOSED_TOGETHER;
  }

  /** Composes the parts of the collections of a document, and adds them to it. */
  *join(document: Document.Parsed): Steps<void> {
    if (!this.hasParts) return;
    const pending: unknown[] = [document.contents];
    let visited = 0;
    while (pending.length > 0) {
      const node = pending.pop();
      if (++visited % COMPOSED_TOGETHER === 0) {
        yield;
      }
      if (isPair(node)) {
        pending.push(node.key, node.value);
      }
      if (!isMap(node) && !isSeq(node)) continue;
      for (const item of node.items) {
        pending.push(item);
      }
      const parts = node.srcToken === undefined ? [] : (this.#parts.get(node.srcToken) ?? []);
      delete node.srcToken;
      for (const part of parts) {
        const composed = composePart(part, document);
        if (isMap(node) && isMap(composed)) {
          node.items.push(...composed.items);
        }
        if (isSeq(node) && isSeq(composed)) {
          node.items.push(...composed.items);
        }
        if (composed !== null) {
          pending.push(composed);
        }
        yield;
      }
    }
  }
}

const isCollection = (token: CST.Token): token is Collection =>
  token.type === 'block-map' || token.type === 'block-seq' || token.type === 'flow-collection';

/** Nothing is cut where commas are wrong: the library would not see that in the parts. */
function mayCutBefore(token: Collection, at: number): boolean {
  if (at === 0 || token.type !== 'flow-collection') return at > 0;
  const [before, item] = token.items.slice(at - 1, at + 1);
  return !isEmpty(before) && !isEmpty(item) && item?.start.filter(isComma).length === 1;
}

const isEmpty = (item: CST.CollectionItem | undefined): boolean =>
  (item?.key ?? item?.value ?? null) === null;

const isComma = ({ type }: CST.SourceToken): boolean => type === 'comma';

/**
 * A copy of a collection with some of its items, which begins at the first of them: the library
 * counts the length of a key from there. The comma before the first one is left out.
 */
function withItems(token: Collection, from: number, to: number | undefined): Collection {
  const offset = offsetOf(token.items[from]) ?? token.offset;
  if (token.type === 'block-map') return { ...token, offset, items: token.items.slice(from, to) };
  if (token.type === 'block-seq') return { ...token, offset, items: token.items.slice(from, to) };
  const items = token.items.slice(from, to).map((item, at) => {
    if (at > 0) return item;
    return { ...item, start: item.start.filter((each) => !isComma(each)) };
  });
  return { ...token, items };
}

/**
 * The offset of an item: it begins with what stands before its key, or with the key or value
 * itself.
 */
const offsetOf = (item: CST.CollectionItem | undefined): number | undefined =>
  (item?.start[0] ?? item?.key ?? item?.sep?.[0] ?? item?.value)?.offset;

/** Composes a part of a collection. What is wrong with it is added to the document. */
function composePart(value: Collection, { errors, warnings }: Document.Parsed): unknown {
  const composer = new Composer({ ...OPTIONS, keepSourceTokens: true });
  const { offset } = value;
  const [part] = composer.compose([{ type: 'document', offset, start: [], value }]);
  if (part === undefined) return null;
  errors.push(...part.errors);
  warnings.push(...part.warnings);
  return part.contents;
}

/**
 * The plain data of a document, as its method `toJS` makes them, in steps. Throws `ReferenceError`
 * for aliases that expand to too much.
 */
export function* plainData({ document, hasAliases }: ParsedYaml): Steps<unknown> {
  // The library counts what aliases stand for over the whole document.
  if (hasAliases) return document.toJS({ maxAliasCount: MAX_ALIASES });
  return yield* plainOf(document.contents, document);
}

function* plainOf(node: unknown, document: Document.Parsed): Steps<unknown> {
  if (isMap(node) && node.items.every(({ key }) => isScalar(key))) {
    const plain = {};
    for (const { key, value } of node.items) {
      Object.defineProperty(plain, isScalar(key) ? String(key.value ?? '') : '', {
        value: yield* plainOf(value, document),
        writable: true,
        enumerable: true,
        configurable: true,
      });
      yield;
    }
    return plain;
  }
  if (isSeq(node)) {
    const plain: unknown[] = [];
    for (const item of node.items) {
      plain.push(yield* plainOf(item, document));
    }
    return plain;
  }
  return isNode(node) ? node.toJS(document) : null;
}
