import { Buffer } from 'node:buffer';
import { byteBuffers } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import { textOf, trimXml } from '../plan/lexical.js';
import type { CodecLimits } from '../plan/limits.js';
import type { ContentEvent } from '../plan/request/content-events.js';
import type { EncodeAttribute, EncodeSource, EncodeText } from '../plan/request/encode-plan.js';
import { LexicalError, type Scalar } from '../plan/scalar.js';
import { qualifiedName } from '../values/qualified-name.js';
import type { BinaryParts } from './binary-parts.js';
import { below, type InputPath, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';
import { type RequestContext, refuseMissing, resolveSource } from './source.js';
import { CallerNamespaces, xmlEvents } from './xml-input.js';

export type EncodeLimits = Pick<
  CodecLimits,
  'inputItems' | 'inputDepth' | 'stringChars' | 'opaqueChars'
>;

export const REQUIRED = 'a value is required';

/**
 * Turns values without structure into events: text, attributes, XML. Its methods throw
 * `InputError`.
 */
export class LeafEncoder {
  readonly #limits: EncodeLimits;
  readonly #context: RequestContext;
  readonly #parts: BinaryParts | null;
  readonly #isEncoded: boolean;
  readonly #namespaces = new CallerNamespaces();

  /**
   * `parts`: null where the message cannot be a package. `isEncoded`: it is by the SOAP encoding.
   */
  constructor(
    limits: EncodeLimits,
    context: RequestContext,
    parts: BinaryParts | null = null,
    isEncoded = false,
  ) {
    this.#limits = limits;
    this.#context = context;
    this.#parts = parts;
    this.#isEncoded = isEncoded;
  }

  /** Null where there is nothing to write. */
  attribute(
    attribute: EncodeAttribute,
    value: ReadonlyRecord,
    above: InputPath,
  ): ContentEvent | null {
    const { key, name, fixed, required, scalar, source } = attribute;
    if (fixed !== null) return { kind: 'attribute', name, value: fixed };
    if (source !== undefined) {
      const lexical = this.resolve(source, scalar, required, below(above, key));
      return lexical === null ? null : { kind: 'attribute', name, value: lexical };
    }
    const given = memberOf(value, key);
    const member = given ?? null;
    const isNullText = scalar.nullText !== undefined && (required || given === null);
    if (member === null && !required && !isNullText) return null;
    const path = below(above, key);
    if (member === null && !isNullText) {
      refuseInput(path, REQUIRED);
    }
    const qualified = this.#qualified(scalar, member, path);
    if (qualified !== null) return { kind: 'name attribute', name, suffix: '', ...qualified };
    return { kind: 'attribute', name, value: this.#encode(scalar, member, path) };
  }

  /** The text of an element with attributes. Null for no characters. */
  simpleContent(
    { key, scalar, source, required = false }: EncodeText,
    value: ReadonlyRecord,
    above: InputPath,
    mediaType: string | null = null,
  ): ContentEvent | null {
    if (source === undefined) {
      return this.text(scalar, memberOf(value, key), below(above, key), mediaType);
    }
    const lexical = this.resolve(source, scalar, required, below(above, key)) ?? '';
    return lexical === '' ? null : { kind: 'text', value: lexical };
  }

  /**
   * Null for a text of no characters. `mediaType`: of binary content; null where it is not known.
   */
  text(
    scalar: Scalar,
    value: unknown,
    path: InputPath,
    mediaType: string | null = null,
  ): ContentEvent | null {
    if ((value === null || value === undefined) && scalar.nullText === undefined) {
      refuseInput(path, REQUIRED);
    }
    if (value instanceof byteBuffers.FileContent) return this.#file(scalar, value, path, mediaType);
    const qualified = this.#qualified(scalar, value, path);
    if (qualified !== null) return { kind: 'name', ...qualified };
    const text = this.#encode(scalar, value ?? null, path);
    if (this.#isIncluded(scalar, path)) {
      const id = this.#parts?.add(Buffer.from(text, 'base64'), mediaType ?? OCTETS) ?? '';
      return { kind: 'include', id };
    }
    return text === '' ? null : { kind: 'text', value: text };
  }

  /**
   * The lexical form of a value from another source; null where there is none and none is required.
   */
  resolve(source: EncodeSource, scalar: Scalar, required: boolean, path: InputPath): string | null {
    const lexical = resolveSource(source, scalar, this.#context, path);
    if (lexical !== null || !required) return lexical;
    // The first page of a backend that hands out cursors has none.
    if (source.from === 'page') return '';
    refuseMissing(source, path);
  }

  /**
   * The content of the element `name`, or an element of any name. Its first character decides
   * whether it is XML or text. The name of an element carries no meaning where the message is
   * encoded.
   */
  xml(value: unknown, name: QName | null, path: InputPath): readonly ContentEvent[] {
    if (value === null || value === undefined) {
      refuseInput(path, REQUIRED);
    }
    const text = this.#encode(XML_TEXT, value, path);
    const trimmed = trimXml(text);
    if (name !== null && !trimmed.startsWith('<')) {
      return text === '' ? [] : [{ kind: 'text', value: text }];
    }
    if (trimmed.length > this.#limits.opaqueChars) {
      refuseInput(path, TOO_LONG);
    }
    const depth = Math.max(1, this.#limits.inputDepth - path.depth);
    const isEncoded = this.#isEncoded;
    return xmlEvents(trimmed, {
      ...{ name, depth, path, namespaces: this.#namespaces },
      ...{ isRenamed: isEncoded, hasEncodingNames: isEncoded },
    });
  }

  /** Counts the namespace of a name that the client chose. Throws `InputError` for one too many. */
  use({ uri }: QName, path: InputPath): void {
    if (uri !== '') {
      this.#namespaces.use(uri, path);
    }
  }

  /** A QName, or of a list type several; null where none of them is in a namespace. */
  #qualified(
    scalar: Scalar,
    value: unknown,
    path: InputPath,
  ): { readonly value: QName; readonly more: QName[] } | null {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (scalar.name !== 'QName' || !items.some((item) => qualifiedName(scalar, item) !== null)) {
      return null;
    }
    this.#measure(value, path);
    const names = items.map((item) => {
      const name = qualifiedName(scalar, item);
      if (name !== null) {
        this.#namespaces.use(name.uri, path);
      }
      return (
        name ?? { uri: '', local: this.#encode(scalar, Array.isArray(value) ? [item] : item, path) }
      );
    });
    const [first, ...more] = names;
    return first === undefined ? null : { value: first, more };
  }

  /** Whether the value goes into a part of the package. */
  #isIncluded({ binary }: Scalar, path: InputPath): boolean {
    if (binary === undefined) return false;
    if (this.#parts !== null) return this.#parts.takes(binary);
    if (binary === 'included') {
      refuseInput(path, NO_PACKAGE);
    }
    return false;
  }

  #file(
    scalar: Scalar,
    file: byteBuffers.FileContent,
    path: InputPath,
    mediaType: string | null,
  ): ContentEvent {
    if (scalar.binary === undefined) {
      refuseInput(path, 'must not be a file');
    }
    if (scalar.type !== undefined) {
      refuseInput(path, 'must not be a file: its type has rules that need the whole value');
    }
    if (this.#parts === null) {
      refuseInput(path, NO_PACKAGE);
    }
    if (!this.#isIncluded(scalar, path)) {
      return { kind: 'text', value: this.#parts.addInline(file) };
    }
    return { kind: 'include', id: this.#parts.add(file, mediaType ?? OCTETS) };
  }

  #encode(scalar: Pick<Scalar, 'encode'>, value: unknown, path: InputPath): string {
    this.#measure(value, path);
    try {
      return scalar.encode(value);
    } catch (caught) {
      if (caught instanceof LexicalError) {
        refuseInput(path, caught.message);
      }
      throw caught;
    }
  }

  /** Checks the size of a value, which is a list for a list type. */
  #measure(value: unknown, path: InputPath): void {
    const { stringChars, inputItems } = this.#limits;
    if (typeof value === 'string' && value.length > stringChars) {
      refuseInput(path, TOO_LONG);
    }
    if (!Array.isArray(value)) return;
    if (value.length > inputItems) {
      refuseInput(path, 'more items than allowed');
    }
    for (const item of value) {
      if (typeof item === 'string' && item.length > stringChars) {
        refuseInput(path, TOO_LONG);
      }
    }
  }
}

const OCTETS = 'application/octet-stream';
const NO_PACKAGE = 'is sent in a part of a package (MTOM), which this message cannot be';
const TOO_LONG = 'longer than allowed';
const XML_TEXT: Pick<Scalar, 'encode'> = { encode: textOf };
