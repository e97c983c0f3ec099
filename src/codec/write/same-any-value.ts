import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { defaultsOf } from '../../base/limit.js';
import { Refusal } from '../../base/refusals/refusal.js';
import { XSD } from '../../wsdl/documents/namespaces.js';
import { typeKey } from '../../wsdl/model.js';
import { ALL, type XmlHandler } from '../../xml/events.js';
import { XML_LIMITS } from '../../xml/limits.js';
import { XmlReader } from '../../xml/reader.js';
import type { AnyTypes } from '../plan/any-types.js';
import { typeNameOf } from '../plan/xsi.js';
import { AnyValueReader } from '../read/any-value.js';
import { memberOf, type ReadonlyRecord } from './raw-input.js';

/**
 * Whether the `type` and `value` of an argument are those that a reply with its XML would give. Absent ones are. `xml` is
 * of bounded length.
 */
export function isSameAnyValue(raw: ReadonlyRecord, xml: string, types: AnyTypes): boolean {
  const found = xml.startsWith('<') ? read(xml, types) : { type: null, value: xml };
  if (found === null) return false;
  const { type, value } = found;
  const given = memberOf(raw, 'type') ?? null;
  if (given !== null && (type === null || (given !== type && `{${XSD}}${String(given)}` !== type))) return false;
  const own = memberOf(raw, 'value');
  return own === undefined || isDeepStrictEqual(plain(own), plain(value));
}

/** Null for XML that breaks the rules. */
function read(xml: string, types: AnyTypes): { readonly type: string | null; readonly value: unknown } | null {
  const value = new AnyValueReader(types, Number.POSITIVE_INFINITY);
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
    text: (piece: string) => value.text(piece),
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
