import { refuseByLimit } from '../core/index.js';
import { type Interest, type StartTag, WATCH, type XmlHandler } from '../xml/index.js';
import { DIALECT_NAMES, DIALECTS, type Dialect } from './dialect.js';
import { elementRefusal, structureRefusal } from './header/header.js';
import { ID_NAMESPACES, type SignedIds } from './header/signed-ids.js';

const ENCODINGS: ReadonlySet<string> = new Set(
  DIALECT_NAMES.map((name) => DIALECTS[name].encodingUri),
);

/**
 * Validates the elements of a Body: encodingStyle, sizes that arrays announce, and Ids. It needs
 * only the elements with attributes of SOAP, or with Ids that are always unique; of a signed
 * message those with any Id.
 */
export class BodyValidator implements XmlHandler {
  readonly #dialect: Dialect;
  /** Null where no arrays are expected. */
  readonly #arrayItemsMax: number | null;
  readonly #ids: SignedIds | null;
  readonly watched: ReadonlySet<string>;

  constructor(dialect: Dialect, arrayItemsMax: number | null, ids: SignedIds | null) {
    this.#dialect = dialect;
    this.#arrayItemsMax = arrayItemsMax;
    this.#ids = ids;
    this.watched = ids === null ? OF_SOAP : ids.isSigned ? OF_SOAP_AND_ALL_IDS : OF_SOAP_AND_IDS;
  }

  open(tag: StartTag): Interest {
    if (tag.attributeCount > 0) {
      this.watch(tag);
    }
    return WATCH;
  }

  watch(tag: StartTag): void {
    validateEncodingStyle(tag, this.#dialect);
    if (this.#arrayItemsMax !== null) {
      validateArraySize(tag, this.#arrayItemsMax);
    }
    this.#ids?.addContentIds(tag);
  }

  close(): void {}

  text(): void {}
}

/** The namespaces of the attributes that SOAP has for elements of a Body. */
const OF_SOAP: ReadonlySet<string> = new Set(
  DIALECT_NAMES.flatMap((name) => [DIALECTS[name].encodingUri, DIALECTS[name].envelopeUri]),
);
const OF_SOAP_AND_IDS: ReadonlySet<string> = new Set([...OF_SOAP, ...ID_NAMESPACES]);
/** With those without a namespace. */
const OF_SOAP_AND_ALL_IDS: ReadonlySet<string> = new Set([...OF_SOAP_AND_IDS, '']);

/**
 * Validates the encodingStyle of an element of a Body. SOAP 1.2 part 1 section 5.4.6 has a Fault
 * for one that is not known; the other dialects leave it to the receiver. Throws
 * `DATA_ENCODING_UNKNOWN`.
 */
export function validateEncodingStyle(tag: StartTag, dialect: Dialect): void {
  if (dialect.noEncodingUri === null) return;
  const style = tag.attribute(dialect.envelopeUri, 'encodingStyle')?.trim();
  if (style === undefined || style === dialect.noEncodingUri || ENCODINGS.has(style)) return;
  throw elementRefusal('DATA_ENCODING_UNKNOWN', tag);
}

/**
 * Checks SOAP 1.2 part 1 sections 5.1 to 5.3: attributes of Envelope, Header and Body are
 * qualified; none is encodingStyle.
 */
export function checkEnvelopeAttributes(tag: StartTag, { envelopeUri }: Dialect): void {
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    if (uri === '') throw structureRefusal('an attribute without a namespace', tag);
    if (uri === envelopeUri && tag.attributeLocal(index) === 'encodingStyle') {
      throw structureRefusal('encodingStyle, which only children of Body may have', tag);
    }
  }
}

/** Whether it names the encoding of its dialect, by a declaration or by encodingStyle. */
export function declaresEncoding(tag: StartTag, dialect: Dialect): boolean {
  if (tag.declares(dialect.encodingUri)) return true;
  const style = tag.attribute(dialect.envelopeUri, 'encodingStyle');
  return style?.split(' ').includes(dialect.encodingUri) ?? false;
}

/**
 * Whether other elements may refer to it: `id` of SOAP 1.1 section 5.4.1, `enc:id` of SOAP 1.2 part
 * 2 section 3.1.5.
 */
export const hasId = (tag: StartTag, { encodingUri }: Dialect): boolean =>
  tag.attribute('', 'id') !== null || tag.attribute(encodingUri, 'id') !== null;

/** Attributes of the encodings: the length of an array, or the offset of an item in it. */
const SIZES: ReadonlySet<string> = new Set(['arrayType', 'arraySize', 'offset', 'position']);
/** A type's name and the sizes of an array of some dimensions. */
const SIZE_CHARS_MAX = 1024;

function validateArraySize(tag: StartTag, itemsMax: number): void {
  for (let index = 0; index < tag.attributeCount; index++) {
    if (!SIZES.has(tag.attributeLocal(index)) || !ENCODINGS.has(tag.attributeUri(index))) continue;
    const value = tag.attributeValue(index);
    const items = value.length > SIZE_CHARS_MAX ? null : itemsOf(value);
    if (items !== null && items <= itemsMax) continue;
    throw refuseByLimit('SOAP_ARRAY_LIMIT', 'limits.soap.arrayItems', itemsMax, items);
  }
}

/**
 * The members announced: the numbers in brackets (SOAP 1.1 section 5.4.2), or all of them (SOAP 1.2
 * part 2 3.1.6).
 */
function itemsOf(value: string): number {
  const bracket = value.indexOf('[');
  const sizes = bracket < 0 ? value : value.slice(bracket);
  let items = 1;
  for (const [digits] of sizes.matchAll(/[0-9]+/g)) {
    items *= Number(digits);
  }
  return items;
}
