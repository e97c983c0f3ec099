import { Buffer } from 'node:buffer';
import { defaultsOf, Refusal } from '../../core/index.js';
import { dialectOfUri } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
import {
  ALL,
  type Interest,
  type QName,
  type StartTag,
  XML_LIMITS,
  type XmlHandler,
  XmlReader,
} from '../../xml/index.js';
import { ContentNames, sharedBindings } from '../plan/content-names.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import { resolveQName, XSI_URI } from '../plan/xsi.js';
import { type InputPath, refuseInput } from './input-error.js';
import { refuseReserved, refuseReservedContent } from './reserved-names.js';

/** Which element an XML value may be, and how deep. */
interface XmlInputOptions {
  /** The name the element must have; null for any. */
  readonly name: QName | null;
  /**
   * True if the name carries no meaning: the element is written under `name`, whatever it is
   * called.
   */
  readonly isRenamed?: boolean;
  /** Elements that may be open at once. */
  readonly depth: number;
  readonly path: InputPath;
  readonly namespaces: CallerNamespaces;
  /**
   * Attributes of the envelope's namespace may stand on the element: `mustUnderstand`, `actor`. Of
   * the configuration only.
   */
  readonly isBlock?: boolean;
  /** Names of the SOAP encoding may stand in it. */
  readonly hasEncodingNames?: boolean;
}

/**
 * The namespaces in the arguments of one request. All are declared on the Envelope, where parsers
 * count them.
 */
export class CallerNamespaces {
  readonly #uris = new Set<string>();

  /** Throws `InputError` for one too many. */
  use(uri: string, path: InputPath): void {
    this.#uris.add(uri);
    if (this.#uris.size > MAX_NAMESPACES) {
      refuseInput(path, 'more namespaces than allowed');
    }
  }
}

const MAX_NAMESPACES = 16;

/**
 * Parses one element that a client wrote as XML. It is written anew, so the result is well-formed
 * whatever its prefixes were; prefixes that texts and values may use keep their bindings. With a
 * name, the events are the element's attributes and content; else the element too. Throws
 * `InputError`.
 */
export function xmlEvents(text: string, options: XmlInputOptions): readonly ContentEvent[] {
  const collector = new Collector(options);
  const reader = new XmlReader(collector, { ...defaultsOf(XML_LIMITS), depth: options.depth });
  try {
    reader.begin('utf-8');
    reader.write(Buffer.from(text));
    reader.end();
  } catch (caught) {
    if (!(caught instanceof Refusal) || caught.code === 'BAD_USER_INPUT') throw caught;
    refuseInput(options.path, caught.code.endsWith('_LIMIT') ? TOO_BIG : NOT_XML);
  }
  return collector.finish();
}

class Collector implements XmlHandler {
  readonly #events: ContentEvent[] = [];
  readonly #options: XmlInputOptions;
  readonly #open: ContentNames[] = [];
  /** The bindings of elements whose texts and values have prefixes, by index in the events. */
  readonly #bindings: { readonly at: number; readonly names: ContentNames }[] = [];

  constructor(options: XmlInputOptions) {
    this.#options = options;
  }

  open(tag: StartTag): Interest {
    const { name, path, isRenamed = false } = this.#options;
    const own = this.#open.length === 0 ? name : null;
    this.#open.at(-1)?.endRun();
    const names = new ContentNames(tag);
    this.#open.push(names);
    if (own !== null && !isRenamed && (tag.uri !== own.uri || tag.local !== own.local)) {
      refuseInput(
        path,
        `must be an element ${own.local}` +
          `${own.uri === '' ? ' in no namespace' : ` in the namespace ${own.uri}`}`,
      );
    }
    if (own === null) {
      this.#events.push({ kind: 'open', name: this.#name(tag.uri, tag.local) });
    }
    this.#bindings.push({ at: this.#events.length, names });
    this.#events.push(NO_BINDINGS);
    for (let index = 0; index < tag.attributeCount; index++) {
      this.#attribute(tag, index, names);
    }
    return ALL;
  }

  text(chars: string): void {
    if (chars === '') return;
    this.#open.at(-1)?.add(chars);
    this.#events.push({ kind: 'text', value: chars });
  }

  close(): void {
    this.#open.pop();
    if (this.#open.length > 0 || this.#options.name === null) {
      this.#events.push(CLOSE);
    }
  }

  /** The events, when every element is closed. */
  finish(): readonly ContentEvent[] {
    const { shared, own } = sharedBindings(this.#bindings.map(({ names }) => names.bound));
    let chars = 0;
    for (const { at, names } of this.#bindings) {
      const bound = at === this.#bindings[0]?.at ? new Map(shared) : new Map<string, string>();
      if (own.size > 0) {
        for (const [prefix, uri] of names.bound) {
          if (own.has(prefix)) {
            bound.set(prefix, uri);
          }
        }
      }
      if (bound.size === 0) continue;
      for (const [prefix, uri] of bound) {
        this.#options.namespaces.use(uri, this.#options.path);
        chars += prefix.length + uri.length;
      }
      if (chars > BINDINGS_CHARS) {
        refuseInput(this.#options.path, TOO_BIG);
      }
      this.#events[at] = { kind: 'bindings', bound };
    }
    return this.#events.filter((event) => event !== NO_BINDINGS);
  }

  #attribute(tag: StartTag, index: number, names: ContentNames): void {
    if (isEncodingMark(tag.attributeUri(index), tag.attributeLocal(index))) return;
    const isOfBlock = this.#options.isBlock === true && this.#open.length === 1;
    const name = isOfBlock
      ? { uri: tag.attributeUri(index), local: tag.attributeLocal(index) }
      : this.#name(tag.attributeUri(index), tag.attributeLocal(index));
    if (name.uri === XSI_URI && name.local.endsWith('chemaLocation')) {
      refuseInput(this.#options.path, 'must not name schemas');
    }
    const value = tag.attributeValue(index);
    if (name.uri === XSI_URI && name.local === 'type') {
      const type = resolveQName(tag, value);
      refuseReserved(type.uri, this.#options.path);
      this.#options.namespaces.use(type.uri, this.#options.path);
      this.#events.push({ kind: 'name attribute', name, value: type, suffix: '' });
      return;
    }
    names.addWhole(value);
    this.#events.push({ kind: 'attribute', name, value });
  }

  #name(uri: string, local: string): QName {
    refuseReservedContent(uri, this.#options.hasEncodingNames === true, this.#options.path);
    this.#options.namespaces.use(uri, this.#options.path);
    return { uri, local };
  }
}

/**
 * Attributes that replies by the SOAP encoding have on values, and that mean nothing in a request.
 */
const isEncodingMark = (uri: string, local: string): boolean =>
  (local === 'encodingStyle' && dialectOfUri(uri) !== null) ||
  (local === 'root' && namespaces.SOAP_ENCODINGS.includes(uri));

/** Placeholder for an element's bindings, until they are known. */
const NO_BINDINGS: ContentEvent = { kind: 'bindings', bound: new Map() };

/** Characters of prefixes and namespaces that one value may have declared again. */
const BINDINGS_CHARS = 65_536;

const TOO_BIG = 'XML that is longer or deeper than allowed';
const NOT_XML = 'must be one well-formed XML element, without DTD and processing instructions';
