import type { QName } from '../../xml/index.js';
import {
  isBuiltInNamespace,
  OLDER_XSD,
  SOAP_ENCODINGS,
  WSI_REFERENCES,
  XMIMES,
  XML,
  XOP,
  XSD,
  XSI,
} from '../documents/namespaces.js';
import {
  ANYTHING,
  type AttributeDeclaration,
  type ComplexType,
  type Content,
  type ElementDeclaration,
  NO_FACETS,
  type SimpleType,
  type XsdType,
} from '../model.js';
import { plainComplexType, plainElement, plainSimpleType } from '../plain.js';
import { freezeDeep } from './freeze.js';

/**
 * The built-in types of XML Schema, and the supported ones of the SOAP encoding, MIME and XOP
 * schemas.
 */
const ATOMIC: ReadonlySet<string> = new Set(
  (
    'string boolean decimal float double duration dateTime time date gYearMonth gYear ' +
    'gMonthDay gDay gMonth hexBinary ' +
    'base64Binary anyURI QName NOTATION normalizedString token language NMTOKEN Name NCName ' +
    'ID IDREF ENTITY integer ' +
    'nonPositiveInteger negativeInteger long int short byte nonNegativeInteger ' +
    'unsignedLong unsignedInt ' +
    'unsignedShort unsignedByte positiveInteger'
  ).split(' '),
);

/**
 * Built-in lists, and types of XSD 1.1 and of drafts that some stacks write, with the type of 1.0
 * that decides their values.
 */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['NMTOKENS', 'NMTOKEN'],
  ['IDREFS', 'IDREF'],
  ['ENTITIES', 'ENTITY'],
]);
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['anySimpleType', 'string'],
  ['anyAtomicType', 'string'],
  ['dateTimeStamp', 'dateTime'],
  ['dayTimeDuration', 'duration'],
  ['yearMonthDuration', 'duration'],
  ['CDATA', 'normalizedString'],
  ['binary', 'string'],
  ['century', 'string'],
  ['month', 'gYearMonth'],
  ['recurringDate', 'gMonthDay'],
  ['recurringDay', 'gDay'],
  ['recurringDuration', 'string'],
  ['timeDuration', 'duration'],
  ['timeInstant', 'dateTime'],
  ['timePeriod', 'string'],
  ['uriReference', 'anyURI'],
  ['year', 'gYear'],
]);

function simple(
  uri: string,
  local: string,
  variety: 'atomic' | 'list',
  builtIn: string,
  item: SimpleType | null = null,
): SimpleType {
  const facets = item === null ? NO_FACETS : { ...NO_FACETS, minLength: 1 };
  return freezeDeep(plainSimpleType({ uri, local }, builtIn, { variety, item, facets }));
}

function makeSimple(uri: string, local: string): SimpleType | null {
  if (uri === XSD || OLDER_XSD.includes(uri) || SOAP_ENCODINGS.includes(uri)) {
    if (ATOMIC.has(local)) return simple(uri, local, 'atomic', local);
    const item = LISTS.get(local);
    if (item !== undefined) {
      return simple(uri, local, 'list', item, simple(XSD, item, 'atomic', item));
    }
    const like =
      OTHERS.get(local) ?? (uri !== XSD && local === 'base64' ? 'base64Binary' : undefined);
    return like === undefined ? null : simple(uri, local, 'atomic', like);
  }
  if (uri === WSI_REFERENCES) {
    return local === 'swaRef' ? simple(uri, local, 'atomic', 'anyURI') : null;
  }
  if (local === 'base64Binary' || local === 'hexBinary') return simple(uri, local, 'atomic', local);
  return null;
}

const made = new Map<string, SimpleType | null>();

/** The built-in simple type with this name, or null. Only for names of built-in namespaces. */
export function builtInSimple(name: QName): SimpleType | null {
  const key = `${name.uri} ${name.local}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const type = makeSimple(name.uri, name.local);
  // The built-in names are few; names that are none of them come from documents and are not kept.
  if (type !== null) {
    made.set(key, type);
  }
  return type;
}

export const STRING: SimpleType = simple(XSD, 'string', 'atomic', 'string');
export const BASE64: SimpleType = simple(XSD, 'base64Binary', 'atomic', 'base64Binary');
export const ANY_SIMPLE: SimpleType = simple(XSD, 'anySimpleType', 'atomic', 'string');

/** A complex type with unknown content, kept as XML. */
export const opaqueType = (name: QName | null): ComplexType =>
  plainComplexType(name, { kind: 'opaque', mixed: null }, { anyAttribute: ANYTHING });

export const ANY_TYPE: ComplexType = freezeDeep(opaqueType({ uri: XSD, local: 'anyType' }));

/** The content of `soapenc:Array` by itself: items of any type (SOAP 1.1 section 5.4.2). */
const ANY_ARRAY: Content = freezeDeep({ kind: 'array', item: ANY_TYPE, dimensions: 1 });

function encoded(uri: string): ReadonlyMap<string, ComplexType> {
  const array = freezeDeep({ ...opaqueType({ uri, local: 'Array' }), content: ANY_ARRAY });
  const struct = freezeDeep(opaqueType({ uri, local: 'Struct' }));
  return new Map([
    ['Array', array],
    ['Struct', struct],
  ]);
}

const ENCODED: ReadonlyMap<string, ReadonlyMap<string, ComplexType>> = new Map(
  SOAP_ENCODINGS.map((uri) => [uri, encoded(uri)]),
);

/** The built-in type with this name, or null. Only for names of built-in namespaces. */
export function builtInType(name: QName): XsdType | null {
  const isSchema = name.uri === XSD || OLDER_XSD.includes(name.uri);
  if (isSchema && (name.local === 'anyType' || name.local === 'ur-type')) return ANY_TYPE;
  return ENCODED.get(name.uri)?.get(name.local) ?? builtInSimple(name);
}

/** The name of a schema within a message. */
export const SCHEMA_NAME: QName = Object.freeze({ uri: XSD, local: 'schema' });
const SCHEMA_ELEMENT = freezeDeep(plainElement(SCHEMA_NAME, ANY_TYPE));
const INCLUDE_ELEMENT = freezeDeep(plainElement({ uri: XOP, local: 'Include' }, ANY_TYPE));

/**
 * Binary content whose schema declares the Include itself: base64 in replies that are no package,
 * an Include in requests.
 */
export const INCLUDED: SimpleType = simple(XOP, 'Include', 'atomic', 'base64Binary');

/** Whether this is the declaration of `xop:Include`. */
export const isInclude = (element: ElementDeclaration): boolean => element === INCLUDE_ELEMENT;

/**
 * The global element of a built-in namespace: a schema within a message (as data sets have),
 * `xop:Include`; or null.
 */
export function builtInElement({ uri, local }: QName): ElementDeclaration | null {
  if (uri === XSD && local === 'schema') return SCHEMA_ELEMENT;
  return uri === XOP && local === 'Include' ? INCLUDE_ELEMENT : null;
}

/** True where `builtInAttribute` knows all there is. */
export const isBuiltInAttributeNamespace = (uri: string): boolean =>
  uri === XSI || isBuiltInNamespace(uri);

/**
 * The attribute with this name of a built-in namespace: `xml:lang` and its like. Null for those of
 * no interest.
 */
export function builtInAttribute(
  name: QName,
): Pick<AttributeDeclaration, 'type' | 'default' | 'fixed' | 'documentation'> | null {
  if (name.uri !== XML && !XMIMES.includes(name.uri)) return null;
  const builtIn = name.local === 'lang' ? 'language' : name.local === 'base' ? 'anyURI' : 'string';
  return {
    type: builtInSimple({ uri: XSD, local: builtIn }) ?? STRING,
    default: null,
    fixed: null,
    documentation: null,
  };
}
