import { type QName, type StartTag, XmlWriter } from '../../xml/index.js';
import { ContentNames, sharedBindings } from '../plan/content-names.js';
import { resolveQName, XML_URI, XSI_URI } from '../plan/xsi.js';
import { CanonicalHash } from '../values/canonical-hash.js';
import { AnyValueReader } from './any-value.js';
import { DataSetReader } from './data-set.js';
import type { SlotProgram } from './program.js';

/**
 * Writes an element with its content as standalone XML text. Elements use the default namespace,
 * whatever their prefixes were; prefixes that texts and values may use keep their bindings.
 */
class OpaqueXml {
  /** Null ends the element that began last. */
  readonly #events: (Element | string | null)[] = [];
  readonly #open: Element[] = [];
  readonly #maxChars: number;
  #chars = 0;

  /** `maxChars`: how long the text may become. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** True when it is longer than allowed: it takes no more and comes to nothing. */
  get isTooLong(): boolean {
    return this.#chars > this.#maxChars;
  }

  open(tag: StartTag): void {
    if (!this.#take(tag.local.length + 5)) return;
    if (tag.uri !== (this.#open.at(-1)?.uri ?? '')) {
      this.#take(tag.uri.length + 10);
    }
    this.#open.at(-1)?.names.endRun();
    const element = new Element(tag);
    this.#events.push(element);
    this.#open.push(element);
    for (let index = 0; index < tag.attributeCount; index++) {
      if (!this.#take(tag.attributeLocal(index).length + tag.attributeValue(index).length)) return;
      element.add(tag, index);
    }
  }

  text(chars: string): void {
    if (!this.#take(chars.length)) return;
    this.#open.at(-1)?.names.add(chars);
    this.#events.push(chars);
  }

  close(): void {
    if (this.isTooLong) return;
    this.#open.pop();
    this.#events.push(null);
  }

  /** The text, or null where it was too long. To be called when every element is closed. */
  finish(): string | null {
    if (this.isTooLong) return null;
    const { shared, own } = sharedBindings(this.#bound());
    const writer = new XmlWriter();
    const kept = [...shared.keys(), ...own];
    // Prefixes declared here must differ from those kept.
    let prefixStart = '_';
    while (kept.some((prefix) => prefix.startsWith(prefixStart))) {
      prefixStart += '_';
    }
    const uris: string[] = [];
    for (const event of this.#events) {
      if (typeof event === 'string') {
        writer.text(event);
      } else if (event === null) {
        uris.pop();
        writer.close();
      } else {
        writer.open(null, event.local);
        const outer = uris.at(-1);
        if (event.uri !== (outer ?? '')) {
          writer.namespace(null, event.uri);
        }
        if (outer === undefined) {
          this.#declare(writer, shared);
        }
        if (own.size > 0) {
          this.#declare(writer, ownOf(event, own));
        }
        uris.push(event.uri);
        for (const [index, attribute] of event.attributes.entries()) {
          this.#attribute(writer, attribute, prefixStart, index);
        }
      }
      if (this.isTooLong) return null;
    }
    return writer.finish().toString('utf8');
  }

  *#bound(): Iterable<ReadonlyMap<string, string>> {
    for (const event of this.#events) {
      if (event !== null && typeof event !== 'string') {
        yield event.names.bound;
      }
    }
  }

  #attribute(
    writer: XmlWriter,
    { name, value, type }: Attribute,
    prefixStart: string,
    index: number,
  ): void {
    const prefix = name.uri === '' ? null : name.uri === XML_URI ? 'xml' : `${prefixStart}${index}`;
    if (prefix !== null && prefix !== 'xml') {
      this.#declare(writer, [[prefix, name.uri]]);
    }
    const isQualified = type !== null && type.uri !== '';
    if (isQualified) {
      this.#declare(writer, [[`${prefixStart}t`, type.uri]]);
    }
    writer.attribute(
      prefix,
      name.local,
      isQualified ? `${prefixStart}t:${type.local}` : (type?.local ?? value),
    );
  }

  #declare(writer: XmlWriter, bindings: Iterable<readonly [prefix: string, uri: string]>): void {
    for (const [prefix, uri] of bindings) {
      if (!this.#take(prefix.length + uri.length + 9)) return;
      writer.namespace(prefix, uri);
    }
  }

  /** Whether so much more may be written. */
  #take(chars: number): boolean {
    this.#chars += chars;
    return !this.isTooLong;
  }
}

interface Attribute {
  readonly name: QName;
  readonly value: string;
  /** The value of xsi:type; null for other attributes. */
  readonly type: QName | null;
}

class Element {
  readonly uri: string;
  readonly local: string;
  readonly attributes: Attribute[] = [];
  /** The prefixes that the values and the own text of the element use. */
  readonly names: ContentNames;

  constructor(tag: StartTag) {
    this.uri = tag.uri;
    this.local = tag.local;
    this.names = new ContentNames(tag);
  }

  add(tag: StartTag, index: number): void {
    const name = { uri: tag.attributeUri(index), local: tag.attributeLocal(index) };
    const value = tag.attributeValue(index);
    const isType = name.uri === XSI_URI && name.local === 'type';
    if (!isType) {
      this.names.addWhole(value);
    }
    this.attributes.push({ name, value, type: isType ? resolveQName(tag, value) : null });
  }
}

const ownOf = (
  { names }: Element,
  own: ReadonlySet<string>,
): readonly (readonly [string, string])[] => [...names.bound].filter(([prefix]) => own.has(prefix));

/** Takes an element with all that is in it, as XML or as JSON. */
export interface WholeReader {
  /** It is longer than allowed, and comes to nothing. */
  readonly isTooLong: boolean;
  open(tag: StartTag): void;
  text(chars: string): void;
  close(): void;
  finish(): unknown;
}

/** The reader of an element that is taken as a whole; null for others. */
export function wholeReader(
  { value }: Pick<SlotProgram, 'value'>,
  limits: { readonly opaqueChars: number; readonly listItems: number },
): WholeReader | null {
  const { opaqueChars: maxChars } = limits;
  if (value.kind === 'tables') return new DataSetReader(value, limits);
  if (value.kind === 'any') return new AnyValueReader(value.types, maxChars, value.isNamed);
  if (value.kind === 'digest') return new DigestReader();
  return value.kind === 'opaque' ? new OpaqueXml(maxChars) : null;
}

/** Hashes an element in its canonical form. */
class DigestReader implements WholeReader {
  readonly isTooLong = false;
  readonly #hash = new CanonicalHash({ isData: true });

  open(tag: StartTag): void {
    this.#hash.open(tag);
  }

  text(chars: string): void {
    this.#hash.text(chars);
  }

  close(): void {
    this.#hash.close();
  }

  finish(): string {
    return this.#hash.digest() ?? '';
  }
}
