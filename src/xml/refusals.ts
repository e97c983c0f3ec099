import type { refusals } from '../core/index.js';

/** Refusals of the XML reader, and of limits on what a message holds. */
export const XML_REFUSALS = {
  // The XML reader.
  XML_NOT_WELLFORMED: {
    blame: 'peer',
    undecodable: true,
    text: 'The message is not well-formed XML.',
    shows: ['rule', 'expected', 'place'],
    remedy: 'Close every element, and write &amp; and &lt; for & and < in text.',
  },
  XML_DTD_FORBIDDEN: {
    blame: 'peer',
    text: 'A message must not contain a DTD.',
    shows: ['place'],
    remedy: 'Remove the DOCTYPE.',
  },
  XML_PI_FORBIDDEN: {
    blame: 'peer',
    text: 'A message must not contain a processing instruction.',
    shows: ['place'],
    remedy: 'Remove it; only the XML declaration at the beginning is allowed.',
  },
  XML_VERSION: {
    blame: 'peer',
    undecodable: true,
    text: 'Only XML version 1.0 is accepted.',
    shows: ['place'],
    remedy: 'Declare version 1.0, or leave the XML declaration out.',
  },
  XML_ENCODING: {
    blame: 'peer',
    undecodable: true,
    text: 'The character encoding is not accepted or its bytes are broken.',
    shows: ['rule', 'place'],
    remedy:
      'Send UTF-8, and name the same encoding in the Content-Type and in the XML declaration.',
  },
  XML_NS_ERROR: {
    blame: 'peer',
    undecodable: true,
    text: 'The message breaks the rules of XML namespaces.',
    shows: ['rule', 'place'],
    remedy: 'Declare every prefix, and write no attribute twice.',
  },
  XML_DEPTH_LIMIT: {
    blame: 'peer',
    text: 'The message nests more elements than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Nest fewer elements.',
  },
  XML_CHILD_LIMIT: {
    blame: 'peer',
    text: 'An element has more children than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send the list in parts.',
  },
  XML_ELEMENT_LIMIT: {
    blame: 'peer',
    text: 'The message has more elements than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send less in one message.',
  },
  XML_ATTR_LIMIT: {
    blame: 'peer',
    text: 'An element has more attributes than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send fewer attributes.',
  },
  XML_ATTR_VALUE_LIMIT: {
    blame: 'peer',
    text: 'An attribute value is longer than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send a shorter value.',
  },
  XML_NAME_LIMIT: {
    blame: 'peer',
    text: 'A name is longer than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Use a shorter name.',
  },
  XML_NS_LIMIT: {
    blame: 'peer',
    text: 'The message declares more or longer namespaces than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Declare namespaces once, on the Envelope.',
  },
  XML_TEXT_LIMIT: {
    blame: 'peer',
    text: 'A text is longer than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send a shorter text.',
  },
  XML_COMMENT_LIMIT: {
    blame: 'peer',
    text: 'A comment is longer than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Remove the comment.',
  },
  XML_IDENTITY_LIMIT: {
    blame: 'peer',
    text: 'The message has more keys and IDs than allowed.',
    shows: ['limit', 'place'],
    remedy: 'Send less in one message.',
  },
  XML_MESSAGE_LIMIT: {
    blame: 'peer',
    text: 'The message is longer than allowed.',
    shows: ['limit'],
    remedy: 'Send less in one message.',
  },
} as const satisfies Record<string, refusals.RefusalKind>;

type XmlRefusals = typeof XML_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends XmlRefusals {}
}
