import { invariant } from '../../core/index.js';
import {
  type CanonicalRun,
  type Interest,
  type NamespaceBinding,
  STREAM,
  type StartTag,
  type WrittenName,
  type WrittenTag,
  type XmlHandler,
} from '../events.js';
import { Rewriting, rewriteText } from '../rewrite-text.js';
import type { CanonicalMethod } from './canonical-method.js';
import { compareByCodePoint } from './code-points.js';

/** An attribute with the prefix that it is written with. */
export interface WrittenAttribute {
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  readonly value: string;
}

/** Receives canonical XML in pieces of any length. */
export interface CanonicalSink {
  write(chars: string): void;
  /** Writes a tag without attributes: `before`, which is ASCII, the name, and `>`. */
  writeTag(before: '<' | '</', name: string): void;
  /**
   * Writes a text that lies in these bytes, which are plain ASCII, as it stands, and returns true.
   * Writes nothing of one with `>` or a carriage return, which canonical XML writes as references.
   * The bytes are lent.
   */
  writeAscii(bytes: Uint8Array, start: number, end: number): boolean;
  /** Writes these bytes, which are lent, as they stand. */
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
}

const XML = 'http://www.w3.org/XML/1998/namespace';

/**
 * Writes one element as canonical XML while its events come by: Exclusive XML Canonicalization 1.0
 * (section 3), Canonical XML 1.0 and 1.1 (section 2.3). It keeps the names of the elements open and
 * the namespaces written for them, which the limits of the reader bound.
 */
export class CanonicalWriter implements XmlHandler {
  readonly #method: CanonicalMethod;
  readonly #sink: CanonicalSink;
  /** Attributes `xml:` in force around the element, for the inclusive ways. */
  readonly #inherited: readonly WrittenAttribute[];
  /** The element declares that there is no default namespace, whatever its names need. */
  readonly #declaresNoDefault: boolean;
  /** The names of the elements open, as written. */
  readonly #names: string[] = [];
  /** The namespaces written so far and in force, by prefix. */
  readonly #rendered = new Map<string, string>();
  /** What each change of `#rendered` hid, and the length of this list at each element open. */
  readonly #hidden: HiddenNamespace[] = [];
  readonly #marks: number[] = [];

  constructor(
    method: CanonicalMethod,
    sink: CanonicalSink,
    inherited: readonly WrittenAttribute[] = [],
    declaresNoDefault = false,
  ) {
    this.#method = method;
    this.#sink = sink;
    this.#inherited = inherited;
    this.#declaresNoDefault = declaresNoDefault;
  }

  /** Another number, of all writers, where `isWritten` may answer otherwise. */
  version = nextVersion();

  /** The depth of the innermost open element with a declaration; 1 for none. */
  get declaredDepth(): number {
    return Math.max(1, this.#hidden.at(-1)?.depth ?? 1);
  }

  /** Whether a name with this prefix needs no declaration. */
  isWritten(prefix: string, uri: string): boolean {
    const known = this.#rendered.get(prefix);
    return known === uri || (known === undefined && prefix === '' && uri === '');
  }

  /** Writes content that is canonical; `closed`: elements that were open before. */
  content({ bytes, start, end, opened, emptyTags }: CanonicalRun, closed: number): void {
    this.#names.length -= closed;
    this.#marks.length -= closed;
    for (const name of opened) {
      this.#names.push(qualified(name));
      this.#marks.push(this.#hidden.length);
    }
    let from = start;
    for (const { slash, nameStart, nameEnd } of emptyTags) {
      this.#sink.writeBytes(bytes, from, slash);
      this.#sink.write('></');
      this.#sink.writeBytes(bytes, nameStart, nameEnd);
      // The `>` of the tag ends the end tag.
      from = slash + 1;
    }
    this.#sink.writeBytes(bytes, from, end);
  }

  /** Elements open: 0 once the element is written. */
  get depth(): number {
    return this.#names.length;
  }

  open(tag: StartTag): Interest {
    const name = qualified(tag);
    this.#marks.push(this.#hidden.length);
    const sink = this.#sink;
    if (this.#isRendered(tag)) {
      this.#names.push(name);
      sink.writeTag('<', name);
      return STREAM;
    }
    const namespaces = this.#namespaces(tag);
    this.#names.push(name);
    sink.write('<');
    sink.write(name);
    for (const { prefix, uri } of namespaces) {
      sink.write(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`);
      sink.write(canonicalValue(uri));
      sink.write('"');
    }
    if (tag.attributeCount > 0 || (this.depth === 1 && this.#inherited.length > 0)) {
      sink.write(this.#attributes(tag));
    }
    sink.write('>');
    return STREAM;
  }

  close(): void {
    this.#sink.writeTag('</', this.#names.pop() ?? '');
    const mark = this.#marks.pop() ?? 0;
    if (this.#hidden.length > mark) {
      this.version = nextVersion();
    }
    while (this.#hidden.length > mark) {
      const hidden = this.#hidden.pop();
      if (hidden === undefined) break;
      if (hidden.uri === undefined) {
        this.#rendered.delete(hidden.prefix);
      } else {
        this.#rendered.set(hidden.prefix, hidden.uri);
      }
    }
  }

  text(chars: string): void {
    this.#sink.write(escapeText(chars));
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#sink.writeAscii(bytes, start, end);
  }

  comment(chars: string): void {
    if (this.#method.withComments) {
      this.#sink.write(`<!--${chars.replaceAll('\r', '&#xD;')}-->`);
    }
  }

  /** The declarations to write, in their order; they are in force from here on. */
  #namespaces(tag: StartTag): readonly NamespaceBinding[] {
    const due: NamespaceBinding[] = [];
    if (this.#method.kind === 'exclusive') {
      this.#addUtilized(tag, due);
    } else {
      this.#addDeclared(tag, due);
    }
    if (this.#declaresNoDefault && this.depth === 0 && !due.some(({ prefix }) => prefix === '')) {
      due.push({ prefix: '', uri: '' });
      this.#render('', '');
    }
    return due.length < 2
      ? due
      : due.sort((one, other) => compareByCodePoint(one.prefix, other.prefix));
  }

  /**
   * Whether an element without attributes, as most are, has a name whose namespace is written
   * already.
   */
  #isRendered({ prefix, uri, attributeCount }: StartTag): boolean {
    const { kind, inclusivePrefixes } = this.#method;
    return (
      kind === 'exclusive' &&
      attributeCount === 0 &&
      inclusivePrefixes.size === 0 &&
      this.depth > 0 &&
      this.#rendered.get(prefix) === uri
    );
  }

  /** Exclusive: those that names of this tag use, and those of the listed prefixes. */
  #addUtilized(tag: StartTag, due: NamespaceBinding[]): void {
    this.#add(tag.prefix, tag.uri, due);
    if (tag.attributeCount > 0) {
      const written = writtenOf(tag);
      for (let index = 0; index < tag.attributeCount; index++) {
        const prefix = written.attributePrefix(index);
        if (prefix !== '') {
          this.#add(prefix, tag.attributeUri(index), due);
        }
      }
    }
    for (const prefix of this.#method.inclusivePrefixes) {
      const uri = tag.namespace(prefix);
      if (uri !== null) {
        this.#add(prefix, uri, due);
      }
    }
  }

  /** Inclusive: the element that is signed has all in scope, those below what they declare. */
  #addDeclared(tag: StartTag, due: NamespaceBinding[]): void {
    const written = writtenOf(tag);
    if (this.depth === 0) {
      for (const { prefix, uri } of written.namespacesInScope()) {
        this.#add(prefix, uri, due);
      }
      return;
    }
    for (let index = 0; index < written.declarationCount; index++) {
      this.#add(written.declaredPrefix(index), written.declaredUri(index), due);
    }
  }

  #add(prefix: string, uri: string, due: NamespaceBinding[]): void {
    if (prefix === 'xml' || this.isWritten(prefix, uri)) return;
    due.push({ prefix, uri });
    this.#render(prefix, uri);
  }

  #render(prefix: string, uri: string): void {
    this.#hidden.push({ prefix, uri: this.#rendered.get(prefix), depth: this.depth + 1 });
    this.#rendered.set(prefix, uri);
    this.version = nextVersion();
  }

  #attributes(tag: StartTag): string {
    const attributes = attributesOf(tag, tag.attributeCount === 0 ? undefined : writtenOf(tag));
    if (this.depth === 1) {
      for (const attribute of this.#inherited) {
        if (tag.attribute(XML, attribute.local) === null) {
          attributes.push(attribute);
        }
      }
    }
    if (attributes.length > 1) {
      attributes.sort(byName);
    }
    let result = '';
    for (const { prefix, local, value } of attributes) {
      result += ` ${prefix === '' ? local : `${prefix}:${local}`}="${canonicalValue(value)}"`;
    }
    return result;
  }
}

/** A namespace that is written for an element, and the one that its prefix had around it. */
interface HiddenNamespace {
  readonly prefix: string;
  readonly uri: string | undefined;
  readonly depth: number;
}

const qualified = ({ prefix, local }: WrittenName): string =>
  prefix === '' ? local : `${prefix}:${local}`;

let versions = 0;

/** A number that no other state of any writer has or had. */
const nextVersion = (): number => ++versions;

/** The attributes of a tag, with the prefixes that they are written with. */
export function attributesOf(tag: StartTag, written: WrittenTag | undefined): WrittenAttribute[] {
  const attributes: WrittenAttribute[] = [];
  for (let index = 0; index < tag.attributeCount; index++) {
    attributes.push({
      uri: tag.attributeUri(index),
      local: tag.attributeLocal(index),
      prefix: written?.attributePrefix(index) ?? '',
      value: tag.attributeValue(index),
    });
  }
  return attributes;
}

/** Attributes without a namespace come first, as '' is less than any. */
const byName = (one: WrittenAttribute, other: WrittenAttribute): number =>
  compareByCodePoint(one.uri, other.uri) || compareByCodePoint(one.local, other.local);

function writtenOf({ written }: StartTag): NonNullable<StartTag['written']> {
  invariant(written !== undefined, 'canonical XML is of tags that a message has');
  return written;
}

/** Characters of texts that are not written as they stand. */
export const GREATER = 0x3e;
export const RETURN = 0x0d;

const escapeText = (chars: string): string =>
  TEXT.test(chars) ? rewriteText(chars, TEXT_ESCAPES) : chars;

/** A value of an attribute as canonical XML has it, between double quotes. */
export const canonicalValue = (value: string): string =>
  VALUE.test(value) ? rewriteText(value, VALUE_ESCAPES) : value;

const TEXT = /[&<>\r]/;
const TEXT_ESCAPES = new Rewriting([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\r', '&#xD;'],
]);

const VALUE = /[&<"\t\n\r]/;
const VALUE_ESCAPES = new Rewriting([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['"', '&quot;'],
  ['\t', '&#x9;'],
  ['\n', '&#xA;'],
  ['\r', '&#xD;'],
]);
