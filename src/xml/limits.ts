import { GIB, KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';
import { Refusal } from '../base/refusals/refusal.js';

/** Limits inside the reader: checked while a token is still open, at constant cost per byte. */
export const XML_LIMITS = {
  messageBytes: {
    default: 10 * MIB,
    min: KIB,
    max: 2 * GIB,
    unit: 'bytes',
    refusal: 'XML_MESSAGE_LIMIT',
    text: 'Bytes of one message. Kong allows 10 MiB, DataPower 4 MiB; streaming makes more cheap for us, not for the backend.',
  },
  depth: {
    default: 100,
    min: 4,
    max: 1000,
    unit: 'levels',
    refusal: 'XML_DEPTH_LIMIT',
    text: 'Elements open at once. CXF allows 100; several parsers behind us grow faster than linearly with depth.',
  },
  children: {
    default: 50_000,
    min: 1,
    max: 100_000_000,
    unit: 'count',
    refusal: 'XML_CHILD_LIMIT',
    text: 'Child elements of one element. CXF allows 50,000; SOAP arrays need more than the 100 of Kong.',
  },
  elements: {
    default: 5_000_000,
    min: 1,
    max: 1_000_000_000,
    unit: 'count',
    refusal: 'XML_ELEMENT_LIMIT',
    text: 'Elements of one message.',
  },
  attributes: {
    default: 100,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'XML_ATTR_LIMIT',
    text: 'Attributes of one element, namespace declarations not counted.',
  },
  attributeValueBytes: {
    default: 64 * KIB,
    min: 64,
    max: MIB,
    unit: 'bytes',
    refusal: 'XML_ATTR_VALUE_LIMIT',
    text: 'Bytes of one attribute value as written.',
  },
  nameChars: {
    default: 256,
    min: 16,
    max: 4096,
    unit: 'chars',
    refusal: 'XML_NAME_LIMIT',
    text: 'Length of one name with its prefix, in UTF-8 bytes as written.',
  },
  namespacesOnRoot: {
    default: 64,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'XML_NS_LIMIT',
    text: 'Namespace declarations on the document element: gSOAP and CXF declare all there, 39 were seen.',
  },
  namespacesPerElement: {
    default: 20,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'XML_NS_LIMIT',
    text: 'Namespace declarations on one element other than the document element.',
  },
  namespacesInScope: {
    default: 1024,
    min: 4,
    max: 4096,
    unit: 'count',
    refusal: 'XML_NS_LIMIT',
    text: 'Namespace declarations in force at once.',
  },
  namespaceUriBytes: {
    default: 1024,
    min: 64,
    max: 64 * KIB,
    unit: 'bytes',
    refusal: 'XML_NS_LIMIT',
    text: 'Bytes of one namespace name.',
  },
  textBytes: {
    default: MIB,
    min: KIB,
    max: 64 * MIB,
    unit: 'bytes',
    refusal: 'XML_TEXT_LIMIT',
    text: 'Bytes of one text that is read as a value (GraphQL fields, fault parts). Text that only passes is not limited; base64 is, by `codec.attachmentBytes`.',
  },
  commentBytes: {
    default: KIB,
    min: 0,
    max: MIB,
    unit: 'bytes',
    refusal: 'XML_COMMENT_LIMIT',
    text: 'Bytes of one comment.',
  },
} as const satisfies LimitTable;

export type XmlLimits = Limits<typeof XML_LIMITS>;

/** Namespace declarations allowed on an element below `depth` open ones. */
export const declarationsMax = (limits: XmlLimits, depth: number): number =>
  depth === 0 ? limits.namespacesOnRoot : limits.namespacesPerElement;

/** Makes the refusal for a limit that is exceeded at `offset`. */
export const refuseByXmlLimit = (limit: keyof XmlLimits, limits: XmlLimits, offset: number): Refusal =>
  new Refusal(XML_LIMITS[limit].refusal, null, {
    limit: { key: `limits.xml.${limit}`, value: limits[limit] },
    facts: { offsetBytes: offset },
  });
