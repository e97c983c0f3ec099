import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { defaultsOf, isRecord, Refusal } from '../../core/index.js';
import { namespaces, typeKey, type Wildcard, xsd } from '../../wsdl/index.js';
import {
  ALL,
  isNcName,
  type QName,
  XML_LIMITS,
  type XmlHandler,
  XmlReader,
} from '../../xml/index.js';
import type { AnyTypes } from '../plan/any-types.js';
import { trimXml } from '../plan/lexical.js';
import { type ContentEvent, OWN_NAMES } from '../plan/request/content-events.js';
import type { EncodeValue } from '../plan/request/encode-plan.js';
import { typeNameOf } from '../plan/xsi.js';
import { AnyValueReader } from '../read/any-value.js';
import { parseQualifiedName } from '../values/qualified-name.js';
import type { AnyTools } from './any-output.js';
import { AnyValueWriter } from './any-value.js';
import { below, type InputPath, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';
import { REQUIRED } from './leaves.js';
import { refuseReservedContent } from './reserved-names.js';
import { ANY_TYPE_NAME, hasTypeAttribute, TYPE, typeOfXml } from './type-attributes.js';

/**
 * The attributes and the content of an element of any type, which is open: JSON with its type, or
 * XML.
 */
export const anyContent = (...of: Parameters<typeof contentOf>): readonly ContentEvent[] => [
  OWN_NAMES,
  ...contentOf(...of),
];

function contentOf(
  value: unknown,
  {
    types,
    isSimple,
    isPlain = false,
    refusesNil = false,
    family,
  }: Extract<EncodeValue, { readonly kind: 'any' }>,
  name: QName | null,
  path: InputPath,
  tools: AnyTools,
): readonly ContentEvent[] {
  if (!isRecord(value)) {
    refuseInput(path, 'must be an object');
  }
  const xml = memberOf(value, 'xml') ?? null;
  if (xml === null && refusesNil && memberOf(value, 'value') === null) {
    refuseInput(below(path, 'value'), 'must not be null');
  }
  const writer = (): AnyValueWriter => new AnyValueWriter(types, isSimple, tools);
  if (xml === null && family !== undefined) return writer().writeMember(value, family, path);
  if (xml === null) return writer().write(value, path, isPlain ? name : null);
  const hasValue = (memberOf(value, 'type') ?? memberOf(value, 'value') ?? null) !== null;
  const text = trimXml(String(xml));
  // A reply has both: what came in one is taken back as it was. XML that is too long is refused
  // below.
  if (
    hasValue &&
    text.length <= tools.limits.opaqueChars &&
    !isSameAnyValue(value, text.startsWith('<') ? text : String(xml), types)
  ) {
    refuseInput(path, 'must not have a value and XML that differ');
  }
  const events = tools.leaves.xml(xml, name, below(path, 'xml'));
  // As without XML: a string has its type.
  const isString = hasValue && !isPlain && events.every(({ kind }) => kind === 'text');
  const type = tools.encodingUri === null && !isString ? null : typeOfXml(events, ANY_TYPE_NAME);
  return type === null ? events : [TYPE(type), ...events];
}

/** An element of any name: by its name, with its type and the value as JSON, or as XML. */
export function anyElement(...of: Parameters<typeof elementOf>): readonly ContentEvent[] {
  const [first, ...rest] = elementOf(...of);
  return first === undefined ? [] : [first, OWN_NAMES, ...rest];
}

function elementOf(
  value: unknown,
  { types, isSimple }: Extract<EncodeValue, { readonly kind: 'any' }>,
  wildcards: readonly Wildcard[],
  path: InputPath,
  tools: AnyTools,
): readonly ContentEvent[] {
  if (!isRecord(value)) {
    refuseInput(path, 'must be an object');
  }
  const xml = memberOf(value, 'xml') ?? null;
  const written = memberOf(value, 'name') ?? null;
  if (xml === null) {
    const name = elementName(written, wildcards, below(path, 'name'), tools.encodingUri !== null);
    const hasType = (memberOf(value, 'type') ?? null) !== null;
    if (!hasType && isUndeclared(name, types, wildcards)) {
      refuseInput(below(path, 'name'), UNDECLARED);
    }
    return new AnyValueWriter(types, isSimple, tools).writeNamed(value, name, path);
  }
  const events = tools.leaves.xml(xml, null, below(path, 'xml'));
  const [first, ...inner] = events;
  if (
    first?.kind === 'open' &&
    !hasTypeAttribute(inner) &&
    isUndeclared(first.name, types, wildcards)
  ) {
    refuseInput(below(path, 'xml'), UNDECLARED);
  }
  const isOther = written !== null && (first?.kind !== 'open' || typeKey(first.name) !== written);
  const hasValue = (memberOf(value, 'type') ?? memberOf(value, 'value') ?? null) !== null;
  if (isOther || (hasValue && !isSameAnyValue(value, trimXml(String(xml)), types, true))) {
    refuseInput(path, 'must not have a name or a value that its XML does not have');
  }
  return events;
}

const UNDECLARED =
  'must be an element that the schema declares, or have a type: the schema wants it declared';

/**
 * Whether an element without a type is declared nowhere, and each wildcard that allows it wants it
 * declared (XSD part 1 section 3.10.4, `strict`).
 */
function isUndeclared(name: QName, types: AnyTypes, wildcards: readonly Wildcard[]): boolean {
  const allowing = wildcards.filter((wildcard) => xsd.allows(wildcard, name.uri));
  const isDeclaredOnly =
    allowing.length > 0 && allowing.every((wildcard) => wildcard.isDeclaredOnly === true);
  return isDeclaredOnly && types.element?.(name) === null;
}

/**
 * `{namespace}name`; a name alone is in the namespace that the wildcard allows, where there is but
 * one, else in none.
 */
function elementName(
  written: unknown,
  wildcards: readonly Wildcard[],
  path: InputPath,
  isEncoded: boolean,
): QName {
  if (written === null) {
    refuseInput(path, REQUIRED);
  }
  const text = String(written);
  const [first] = wildcards;
  const only =
    wildcards.length === 1 && first?.namespaces.kind === 'only' ? first.namespaces.uris : [];
  const uri = only.length === 1 ? (only[0] ?? '') : '';
  const name = parseQualifiedName(text) ?? (isNcName(text) ? { uri, local: text } : null);
  if (name === null) {
    refuseInput(path, 'must be {namespace}name');
  }
  refuseReservedContent(name.uri, isEncoded, path);
  return name;
}

/**
 * Whether the `type` and `value` of an argument are those that a reply with its XML would give.
 * Absent ones are. `xml` is of bounded length.
 */
function isSameAnyValue(
  raw: ReadonlyRecord,
  xml: string,
  types: AnyTypes,
  isNamed = false,
): boolean {
  const found = xml.startsWith('<') ? read(xml, types, isNamed) : { type: null, value: xml };
  if (found === null) return false;
  const { type, value } = found;
  const given = memberOf(raw, 'type') ?? null;
  if (
    given !== null &&
    (type === null || (given !== type && `{${namespaces.XSD}}${String(given)}` !== type))
  ) {
    return false;
  }
  const own = memberOf(raw, 'value');
  return own === undefined || isDeepStrictEqual(plain(own), plain(value));
}

/** Null for XML that breaks the rules. */
function read(
  xml: string,
  types: AnyTypes,
  isNamed: boolean,
): { readonly type: string | null; readonly value: unknown } | null {
  const value = new AnyValueReader(types, Number.POSITIVE_INFINITY, isNamed);
  let type: string | null = null;
  let isRoot = true;
  const handler: XmlHandler = {
    open(tag) {
      if (isRoot) {
        const name = typeNameOf(tag);
        type = name === null ? null : typeKey(name);
      }
      isRoot = false;
      value.open(tag);
      return ALL;
    },
    text: (chars: string) => value.text(chars),
    close: () => value.close(),
  };
  const reader = new XmlReader(handler, defaultsOf(XML_LIMITS));
  try {
    reader.begin('utf-8');
    reader.write(Buffer.from(xml));
    reader.end();
  } catch (caught) {
    if (caught instanceof Refusal) return null;
    throw caught;
  }
  return { type, value: value.finish() };
}

/** Without prototypes, which differ by who made the object. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
