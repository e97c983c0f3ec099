import { internal, KIB, type Limits, type LimitTable, limit, MIB, Refusal } from '../core/index.js';

/** Limits inside the reader: checked while a token is still open, at constant cost per byte. */
export const XML_LIMITS = {
  messageBytes: limit(
    10 * MIB,
    [KIB, 2048 * MIB],
    'bytes',
    'XML_MESSAGE_LIMIT',
    'Bytes of one message. Kong allows 10 MiB, DataPower 4 MiB; streaming makes more cheap ' +
      'for us, not for the backend.',
  ),
  depth: limit(
    100,
    [4, 1000],
    'levels',
    'XML_DEPTH_LIMIT',
    'Elements open at once. CXF allows 100; several parsers behind us grow faster ' +
      'than linearly with depth.',
  ),
  children: limit(
    50_000,
    [1, 100_000_000],
    'count',
    'XML_CHILD_LIMIT',
    'Child elements of one element. CXF allows 50,000; SOAP arrays need more than the 100 of Kong.',
  ),
  elements: limit(
    5_000_000,
    [1, 1_000_000_000],
    'count',
    'XML_ELEMENT_LIMIT',
    'Elements of one message.',
  ),
  attributes: limit(
    100,
    [1, 1000],
    'count',
    'XML_ATTR_LIMIT',
    'Attributes of one element, namespace declarations not counted. As long as it is 100, ' +
      'elements of replies may have 500, as in CXF: rows of SharePoint have one for each column.',
  ),
  attributeValueBytes: limit(
    64 * KIB,
    [64, MIB],
    'bytes',
    'XML_ATTR_VALUE_LIMIT',
    'Bytes of one attribute value as written.',
  ),
  nameChars: limit(
    256,
    [16, 4096],
    'chars',
    'XML_NAME_LIMIT',
    'Length of one name with its prefix, in UTF-8 bytes as written.',
  ),
  namespacesOnRoot: limit(
    256,
    [1, 1000],
    'count',
    'XML_NS_LIMIT',
    'Namespace declarations on the document element: gSOAP and CXF declare ' +
      'all there, 39 were seen.',
  ),
  namespacesPerElement: internal(
    256,
    [1, 1000],
    'count',
    'XML_NS_LIMIT',
    'Namespace declarations on one element other than the document element: ' +
      'JAXB declares those of all packages on one, 25 to 100 in travel, health and UBL.',
  ),
  namespacesInScope: limit(
    1024,
    [4, 4096],
    'count',
    'XML_NS_LIMIT',
    'Namespace declarations in force at once.',
  ),
  namespaceUriBytes: internal(
    1024,
    [64, 64 * KIB],
    'bytes',
    'XML_NS_LIMIT',
    'Bytes of one namespace name.',
  ),
  textBytes: limit(
    MIB,
    [KIB, 64 * MIB],
    'bytes',
    'XML_TEXT_LIMIT',
    'Bytes of one text that is read as a value (GraphQL fields, fault parts). ' +
      'Text that only passes is not limited; base64 is, by `codec.attachmentBytes`.',
  ),
  commentBytes: internal(KIB, [0, MIB], 'bytes', 'XML_COMMENT_LIMIT', 'Bytes of one comment.'),
} satisfies LimitTable;

export type XmlLimits = Limits<typeof XML_LIMITS>;

/** Attributes of one element of a reply, as long as `attributes` has its default. */
const REPLY_ATTRIBUTES = 500;

/** The limits of messages of backends: those of callers are read by `limits` as they are. */
export const limitsOfReplies = (limits: XmlLimits): XmlLimits =>
  limits.attributes === XML_LIMITS.attributes.default
    ? { ...limits, attributes: REPLY_ATTRIBUTES }
    : limits;

/** Namespace declarations allowed on an element below `depth` open ones. */
export const declarationsMax = (limits: XmlLimits, depth: number): number =>
  depth === 0 ? limits.namespacesOnRoot : limits.namespacesPerElement;

/** Makes the refusal for a limit that is exceeded at `offset`. */
export const refuseByXmlLimit = (
  limit: keyof XmlLimits,
  limits: XmlLimits,
  offset: number,
): Refusal =>
  new Refusal(XML_LIMITS[limit].refusal, null, {
    limit: { key: `limits.xml.${limit}`, value: limits[limit] },
    facts: { offsetBytes: offset },
  });
