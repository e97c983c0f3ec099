import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  type QName,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { type Dialect, dialectOfUri } from '../dialect.js';
import type { Edit } from '../edit.js';
import { type DetailRules, keepsActor, keepsEntry, keepsInner } from './fault-policy.js';
import { FaultStructure } from './fault-structure.js';

/** An event of a detail, for its translation. */
export type DetailEvent =
  | { readonly kind: 'open'; readonly tag: DetailTag }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'close' };

export interface DetailTag {
  readonly name: QName;
  readonly prefix: string;
  readonly attributes: readonly { readonly name: QName; readonly value: string }[];
  /** Bindings of the prefixes that QNames in its content may use. */
  readonly bindings: readonly (readonly [prefix: string, uri: string])[];
}

/** Enough for any Fault that explains something; codes deeper down are left out. */
const SUBCODES_MAX = 8;

/** Texts of a Fault by the element they stand in, and a code with the namespace of its prefix. */
interface CodeText {
  readonly uri: string | null;
  readonly local: string;
}

/**
 * Reads a whole message that is a Fault, of either form in any dialect: for its translation, and
 * for the bytes of its detail that are to be cut. The message was validated before.
 *
 * A QName in a text can be resolved only while its element is open, and its text comes later. So a
 * message is read twice: the first time finds the prefixes, the second uses them.
 */
export class FaultMessage implements XmlHandler {
  /** That of Envelope. */
  dialect: Dialect | null = null;
  /** That of Fault, which differs where its envelope was put into another one. */
  ownDialect: Dialect | null = null;
  /**
   * The form of the Fault, which may differ from the envelope's: gSOAP puts one of 1.1 into an
   * envelope of 1.2 and the reverse.
   */
  form: Dialect['faultForm'] | null = null;
  /** The code, and its subcodes from outside in. */
  readonly codes: CodeText[] = [];
  readonly texts: { readonly text: string; readonly language: string | null }[] = [];
  /** Null when there is none, or callers may not see it. */
  actor: string | null = null;
  node: string | null = null;
  /** Null when there is none, or the policy removes all of it. */
  detail: DetailEvent[] | null = null;
  /** The ranges that the policy removes. */
  readonly cuts: Edit[] = [];
  /** The Fault, from its start tag to its end; null while that has not come. */
  range: { readonly startBytes: number; readonly endBytes: number } | null = null;
  /** Adds to the code the prefix that it lacks; null where nothing is to be added. */
  codeRepair: Edit | null = null;
  /** Prefixes of names in texts and values. */
  readonly prefixes = new Set<string>();
  #structure: FaultStructure | null = null;
  readonly #rules: DetailRules;
  readonly #known: ReadonlySet<string>;
  /** Local names of the elements open, inside Fault. */
  readonly #path: string[] = [];
  #depth = 0;
  #faultStart = 0;
  /** The prefix of the element whose text is read, and where its content begins. */
  #textTag = { prefix: '', startBytes: 0 };
  #text = '';
  /** The end of the text before, in an element of the detail. */
  #textEnd = '';
  #language: string | null = null;
  #scope: ReadonlyMap<string, string> = new Map();
  /**
   * The prefix of Envelope, which is nearly always that of the code too: then one reading is
   * enough.
   */
  #prefix = '';
  #defaultUri: string | null = null;
  #inDetail = false;
  #inFault = false;
  /** The offset at which the element that is cut begins, and its depth; -1 for none. */
  #cutStart = -1;
  #cutDepth = 0;
  #partStart = 0;
  /**
   * Between the entries of detail: where that begins, whether there is text in it, and how long its
   * blanks are.
   */
  #gapStart = 0;
  #gapHasText = false;
  #gapChars = 0;
  #gapLines = 0;

  /** `known` are the prefixes that the first reading found. */
  constructor(rules: DetailRules, known: ReadonlySet<string>) {
    this.#rules = rules;
    this.#known = known;
  }

  /** It is valid in its dialect. Only SOAP 1.2 is checked; needs the prefixes of the codes. */
  get isValid(): boolean {
    return this.#structure?.isValid !== false;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) {
      this.dialect = dialectOfUri(tag.uri);
      this.#prefix = tag.prefix;
    }
    if (this.#depth < 3) return tag.local === 'Header' ? SKIP : ELEMENTS_ONLY;
    if (this.#depth === 3) {
      this.#inFault = tag.local === 'Fault';
      if (this.#inFault) {
        this.#faultStart = tag.offsetBytes;
        this.ownDialect = dialectOfUri(tag.uri) ?? this.dialect;
        if (this.ownDialect?.faultForm === 'Code') {
          this.#structure = new FaultStructure(this.ownDialect.envelopeUri);
        }
        this.#structure?.open(tag);
        return ELEMENTS_ONLY;
      }
      // A multi-ref element of an encoded Fault belongs to its detail; to which entry is not known.
      return this.#rules.policy === 'unsafe:pass' ? SKIP : this.#cut(tag);
    }
    if (this.#cutStart >= 0) return SKIP;
    if (this.#inDetail) return this.#openInDetail(tag);
    this.#structure?.open(tag);
    this.#path.push(tag.local);
    if (this.#path.length === 1) return this.#openPart(tag);
    return this.#openInPart(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    const depth = this.#depth--;
    if (depth === 5) {
      this.#beginGap(endBytes);
    }
    if (this.#cutStart >= 0) {
      if (depth > this.#cutDepth) return;
      this.cuts.push({ startBytes: this.#cutStart, endBytes, replacement: null });
      this.#cutStart = -1;
      if (depth === 4) {
        this.#endPart();
      }
      return;
    }
    if (this.#inDetail && depth === 4) {
      this.#endGap(contentEndBytes);
    }
    if (!this.#inFault || depth < 4) {
      if (depth === 3 && this.#inFault) {
        this.#structure?.close();
        this.range = { startBytes: this.#faultStart, endBytes };
      }
      if (depth === 3) {
        this.#inFault = false;
      }
      return;
    }
    if (this.#inDetail && depth > 4) {
      this.#textEnd = '';
      this.detail?.push({ kind: 'close' });
      return;
    }
    this.#inDetail = false;
    this.#endText(contentEndBytes, endBytes);
    this.#endPart();
  }

  #endPart(): void {
    this.#structure?.close();
    this.#path.pop();
  }

  text(piece: string): void {
    if (!this.#inDetail) {
      this.#text += piece;
      return;
    }
    if (this.#depth === 4) {
      if (piece.trim() !== '') {
        this.#gapHasText = true;
      }
      this.#gapChars += piece.length;
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) {
        this.#gapLines++;
      }
      return;
    }
    // A reference or a comment may be in the midst of a name.
    const text = this.#textEnd + piece;
    this.#addPrefix(text);
    this.#textEnd = text.slice(-PREFIX_CHARS_MAX);
    this.detail?.push({ kind: 'text', text: piece });
  }

  #openPart(tag: StartTag): Interest {
    this.#partStart = tag.offsetBytes;
    switch (tag.local) {
      case 'faultcode':
      case 'faultstring':
      case 'faultactor':
        this.form = 'faultcode';
        return this.#read(tag);
      case 'Code':
      case 'Reason':
        this.form = 'Code';
        return ELEMENTS_ONLY;
      case 'Role':
      case 'Node':
        return this.#read(tag);
      case 'detail':
      case 'Detail':
        if (this.#rules.policy === 'none') return this.#cut(tag);
        this.#inDetail = true;
        this.#beginGap(tag.contentBytes);
        this.detail ??= [];
        return ALL;
      default:
        // No part of a Fault: some stacks put their trace there.
        return keepsEntry(this.#rules, tag) ? SKIP : this.#cut(tag);
    }
  }

  /** Code/Value, Code/Subcode/Value and so on, and Reason/Text. */
  #openInPart(tag: StartTag): Interest {
    const [part] = this.#path;
    if (part === 'Reason' && tag.local === 'Text') {
      this.#language = tag.attribute('http://www.w3.org/XML/1998/namespace', 'lang');
      return this.#read(tag);
    }
    if (part !== 'Code') return SKIP;
    if (tag.local === 'Subcode') return ELEMENTS_ONLY;
    return tag.local === 'Value' ? this.#read(tag) : SKIP;
  }

  #openInDetail(tag: StartTag): Interest {
    this.#textEnd = '';
    const keeps = this.#depth === 5 ? keepsEntry(this.#rules, tag) : keepsInner(this.#rules, tag);
    if (this.#depth === 5) {
      this.#endGap(tag.offsetBytes);
    }
    if (!keeps) return this.#cut(tag);
    const attributes = [];
    for (let index = 0; index < tag.attributeCount; index++) {
      const value = tag.attributeValue(index);
      this.#addPrefix(value);
      attributes.push({
        name: { uri: tag.attributeUri(index), local: tag.attributeLocal(index) },
        value,
      });
    }
    const { uri, local, prefix } = tag;
    this.detail?.push({
      kind: 'open',
      tag: { name: { uri, local }, prefix, attributes, bindings: [...this.#bindings(tag)] },
    });
    return ALL;
  }

  #beginGap(startBytes: number): void {
    this.#gapStart = startBytes;
    this.#gapHasText = false;
    this.#gapChars = 0;
    this.#gapLines = 0;
  }

  /** Cuts text and comments between entries, which no schema declares. */
  #endGap(endBytes: number): void {
    // A line end of two bytes is reported as one character (XML 1.0 section 2.11).
    const besideBlanks = endBytes - this.#gapStart - this.#gapChars;
    const hasMore = this.#gapHasText || (besideBlanks !== 0 && besideBlanks !== this.#gapLines);
    if (hasMore && this.#rules.policy === 'declared' && this.#rules.declared !== null) {
      this.cuts.push({ startBytes: this.#gapStart, endBytes, replacement: null });
    }
  }

  #cut(tag: StartTag): Interest {
    this.#cutStart = tag.offsetBytes;
    this.#cutDepth = this.#depth;
    return SKIP;
  }

  #read(tag: StartTag): Interest {
    this.#text = '';
    this.#textTag = { prefix: tag.prefix, startBytes: tag.contentBytes };
    this.#defaultUri = tag.namespace('');
    this.#scope = new Map([
      [this.#prefix, tag.namespace(this.#prefix) ?? ''],
      ...this.#bindings(tag),
    ]);
    return ALL;
  }

  /** A name without a prefix may be in the default namespace. */
  *#bindings(tag: StartTag): Generator<readonly [string, string]> {
    yield ['', tag.namespace('') ?? ''];
    for (const prefix of this.#known) {
      const uri = tag.namespace(prefix);
      if (uri !== null) {
        yield [prefix, uri];
      }
    }
  }

  #endText(contentEndBytes: number, endBytes: number): void {
    const [part, inner] = this.#path;
    const text = this.#text.trim();
    const name = this.#path.at(-1);
    if (part === 'faultcode' || (part === 'Code' && name === 'Value')) {
      const code = this.#code(text);
      if (this.codes.length === 0 && !this.#repairs(text, contentEndBytes)) {
        this.#structure?.checkCode(text === code.local ? this.#defaultUri : code.uri, code.local);
      }
      if (this.codes.length <= SUBCODES_MAX) {
        this.codes.push(code);
      }
    } else if (part === 'faultstring' || (part === 'Reason' && inner === 'Text')) {
      this.texts.push({ text, language: this.#language });
    } else if ((part === 'faultactor' || part === 'Role' || part === 'Node') && text !== '') {
      this.#endActor(part, text, endBytes);
    }
    this.#text = '';
    this.#language = null;
  }

  /**
   * Whether the outermost code of SOAP 1.2 lacks its prefix alone, which is that of its element
   * then.
   */
  #repairs(text: string, endBytes: number): boolean {
    const { prefix, startBytes } = this.#textTag;
    const uri = this.ownDialect?.envelopeUri;
    if (this.#structure?.isCode(text) !== true || this.#defaultUri === uri) return false;
    if (!/^[A-Za-z_][\w.-]*$/.test(prefix)) return false;
    this.codeRepair = { startBytes, endBytes, replacement: `${prefix}:${text}` };
    return true;
  }

  #endActor(part: string, text: string, endBytes: number): void {
    if (!keepsActor(this.#rules, text)) {
      this.cuts.push({ startBytes: this.#partStart, endBytes, replacement: null });
    } else if (part === 'Node') {
      this.node = text;
    } else {
      this.actor = text;
    }
  }

  #code(text: string): CodeText {
    this.#addPrefix(text);
    const colon = text.indexOf(':');
    if (colon < 0) return { uri: null, local: text };
    return { uri: this.#scope.get(text.slice(0, colon)) ?? null, local: text.slice(colon + 1) };
  }

  #addPrefix(text: string): void {
    for (const [, prefix = ''] of text.matchAll(PREFIX)) {
      if (this.prefixes.size >= PREFIXES_MAX) return;
      if (prefix !== 'xml') {
        this.prefixes.add(prefix);
      }
    }
  }
}

/** Prefixes of one Fault; further ones keep their text and lose their binding. */
const PREFIXES_MAX = 32;
const PREFIX_CHARS_MAX = 64;
const PREFIX = /(?<![\p{L}\p{N}\p{M}_.:-])([\p{L}_][\p{L}\p{N}\p{M}_.-]{0,63}):(?![\s/])/gu;
