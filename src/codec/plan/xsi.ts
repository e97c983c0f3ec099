import type { QName, StartTag } from '../../xml/index.js';
import { trimXml } from './lexical.js';

/** The namespace of `xsi:nil` and `xsi:type`. */
export const XSI_URI = 'http://www.w3.org/2001/XMLSchema-instance';

/** The namespace of the prefix `xml`, which needs no declaration. */
export const XML_URI = 'http://www.w3.org/XML/1998/namespace';

/** The namespace of the attributes `Id` and `Ref` of .NET data contracts. */
export const SERIALIZATION_URI = 'http://schemas.microsoft.com/2003/10/Serialization/';

/** Whether the element has xsi:nil with true. */
export function isNil(tag: StartTag): boolean {
  const nil = tag.attributeCount === 0 ? null : tag.attribute(XSI_URI, 'nil');
  if (nil === null) return false;
  const lexical = trimXml(nil);
  return lexical === 'true' || lexical === '1';
}

/** The element's xsi:type, or null. */
export function typeNameOf(tag: StartTag): QName | null {
  const type = tag.attributeCount === 0 ? null : tag.attribute(XSI_URI, 'type');
  return type === null ? null : resolveQName(tag, type);
}

/**
 * A QName in content, by the namespaces in scope at `tag`; in no namespace where its prefix is not
 * declared.
 */
export function resolveQName(tag: StartTag, lexical: string): QName {
  const name = trimXml(lexical);
  const colon = name.indexOf(':');
  return {
    uri: tag.namespace(colon === -1 ? '' : name.slice(0, colon)) ?? '',
    local: name.slice(colon + 1),
  };
}

/** The namespace of a QName's prefix; null where it has none, or its prefix is not declared. */
export function uriOfName(tag: StartTag, lexical: string): string | null {
  const colon = lexical.indexOf(':');
  return colon === -1 ? null : tag.namespace(trimXml(lexical.slice(0, colon)));
}

/** The namespace of `enc:offset` and `enc:position` of an array (SOAP 1.1 section 5.4.2). */
const ENCODING_URI = 'http://schemas.xmlsoap.org/soap/encoding/';

/** The index that an array begins at, or an item has: `[3]` is 3. Null where none is written. */
export function arrayPositionOf(tag: StartTag, attribute: 'offset' | 'position'): number | null {
  const written = tag.attributeCount === 0 ? null : tag.attribute(ENCODING_URI, attribute);
  const index = written === null ? null : /^\[(\d{1,9})\]$/.exec(trimXml(written.slice(0, 100)));
  return index === null ? null : Number(index[1]);
}
