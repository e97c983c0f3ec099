import type { StartTag } from '../../xml/index.js';
import { ContentNames } from '../plan/content-names.js';
import { SERIALIZATION_URI, uriOfName, XSI_URI } from '../plan/xsi.js';

/** An event that is kept: an element begins, some text, null: the element that began last ends. */
export type Recorded = RecordedTag | string | null;

interface RecordedAttribute {
  readonly uri: string;
  readonly local: string;
  readonly value: string;
}

/**
 * How elements name each other: by the SOAP encoding, or by attributes `Id` and `Ref` of .NET data
 * contracts with `IsReference`.
 */
export type ReferenceStyle = 'encoding' | 'dataContract';

/** A copy of a start tag. Of the namespaces in scope it has those that its content names. */
export class RecordedTag implements StartTag {
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  readonly depth: number;
  readonly offsetBytes = 0;
  readonly contentBytes = 0;
  /** The index of this event, and of the event that ends the element. */
  readonly start: number;
  end = 0;
  /** The id by which references name the element, or null. */
  readonly id: string | null;
  /** The reference it is, as written; null for an element with a value of its own. */
  readonly reference: string | null;
  /** It is being replayed as XML: a reference to it found now is a cycle. */
  isReplayedAsXml = false;
  readonly #attributes: readonly RecordedAttribute[];
  readonly #names: ContentNames;

  /** `start`: the index of this event. */
  constructor(tag: StartTag, start: number, style: ReferenceStyle) {
    this.uri = tag.uri;
    this.local = tag.local;
    this.prefix = tag.prefix;
    this.depth = tag.depth;
    this.start = start;
    let id: string | null = null;
    let reference: string | null = null;
    const attributes: RecordedAttribute[] = [];
    this.#names = new ContentNames(tag);
    for (let index = 0; index < tag.attributeCount; index++) {
      const attribute = recordAttribute(tag, index);
      const { uri, local, value } = attribute;
      if (style === 'dataContract') {
        if (uri === SERIALIZATION_URI && local === 'Id') {
          id = value;
        } else if (uri === SERIALIZATION_URI && local === 'Ref') {
          reference = value;
        }
        attributes.push(attribute);
      } else if (local === 'id' && isOfEncoding(uri)) {
        id = value;
      } else if ((local === 'href' && uri === '') || (local === 'ref' && uri === ENCODING_12)) {
        reference = value;
      } else {
        attributes.push(attribute);
      }
      this.#names.addWhole(value);
    }
    this.id = id;
    this.reference = reference;
    this.#attributes = attributes.length === 0 ? NONE : attributes;
  }

  get attributeCount(): number {
    return this.#attributes.length;
  }

  /** True if xsi:type is base64, of XML Schema or of the encoding. */
  get isBase64(): boolean {
    const type = this.attribute(XSI_URI, 'type');
    return type !== null && BASE64.test(type) && BASE64_URIS.has(uriOfName(this, type) ?? '');
  }

  /** More of its text has come, for the names in it. */
  addText(chars: string): void {
    this.#names.add(chars);
  }

  /** A child of it begins. */
  endRun(): void {
    this.#names.endRun();
  }

  /** Length of the values of its attributes. */
  get attributeChars(): number {
    return this.#attributes.reduce((sum, { value }) => sum + value.length, 0);
  }

  attributeUri(index: number): string {
    return this.#attributes[index]?.uri ?? '';
  }

  attributeLocal(index: number): string {
    return this.#attributes[index]?.local ?? '';
  }

  attributeValue(index: number): string {
    return this.#attributes[index]?.value ?? '';
  }

  attribute(uri: string, local: string): string | null {
    for (const attribute of this.#attributes) {
      if (attribute.local === local && attribute.uri === uri) return attribute.value;
    }
    return null;
  }

  namespace(prefix: string): string | null {
    return this.#names.namespace(prefix);
  }

  declares(): boolean {
    return false;
  }
}

/**
 * The id that a reference names within its message, or null for a reference to another document.
 * `ref` is an id as it is.
 */
export const referenceOf = (written: string): string | null =>
  written.startsWith('#') ? written.slice(1) : written.includes(':') ? null : written;

/** About how much memory an event takes while it is kept, in bytes. */
export function sizeOf(event: Recorded): number {
  if (event === null) return 8;
  if (typeof event === 'string') return 24 + 2 * event.length;
  return 120 + 48 * event.attributeCount + 2 * event.attributeChars;
}

const BASE64 = /:base64(?:Binary)?\s*$/;
const BASE64_URIS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/XMLSchema',
  'http://www.w3.org/1999/XMLSchema',
  'http://www.w3.org/2000/10/XMLSchema',
  'http://schemas.xmlsoap.org/soap/encoding/',
]);

const NONE: readonly RecordedAttribute[] = [];

const ENCODING_12 = 'http://www.w3.org/2003/05/soap-encoding';

const isOfEncoding = (uri: string): boolean => uri === '' || uri === ENCODING_12;

/** Drafts of XML Schema that encoded services still write: `null` is the `nil` of today. */
const XSI_DRAFTS: ReadonlySet<string> = new Set([
  'http://www.w3.org/1999/XMLSchema-instance',
  'http://www.w3.org/2000/10/XMLSchema-instance',
]);

function recordAttribute(tag: StartTag, index: number): RecordedAttribute {
  const uri = tag.attributeUri(index);
  const local = tag.attributeLocal(index);
  const value = tag.attributeValue(index);
  const isDraft = XSI_DRAFTS.has(uri) || (uri === XSI_URI && local === 'null');
  return isDraft
    ? { uri: XSI_URI, local: local === 'null' ? 'nil' : local, value }
    : { uri, local, value };
}
