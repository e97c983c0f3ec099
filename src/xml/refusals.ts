import type { refusals } from '../core/index.js';

/** Refusals of the XML reader, and of limits on what a message holds. */
export const XML_REFUSALS = {
  // The XML reader.
  XML_NOT_WELLFORMED: {
    blame: 'peer',
    undecodable: true,
    text: 'The message is not well-formed XML.',
  },
  XML_DTD_FORBIDDEN: { blame: 'peer', text: 'A message must not contain a DTD.' },
  XML_PI_FORBIDDEN: { blame: 'peer', text: 'A message must not contain a processing instruction.' },
  XML_VERSION: { blame: 'peer', undecodable: true, text: 'Only XML version 1.0 is accepted.' },
  XML_ENCODING: {
    blame: 'peer',
    undecodable: true,
    text: 'The character encoding is not accepted or its bytes are broken.',
  },
  XML_NS_ERROR: {
    blame: 'peer',
    undecodable: true,
    text: 'The message breaks the rules of XML namespaces.',
  },
  XML_DEPTH_LIMIT: { blame: 'peer', text: 'The message nests more elements than allowed.' },
  XML_CHILD_LIMIT: { blame: 'peer', text: 'An element has more children than allowed.' },
  XML_ELEMENT_LIMIT: { blame: 'peer', text: 'The message has more elements than allowed.' },
  XML_ATTR_LIMIT: { blame: 'peer', text: 'An element has more attributes than allowed.' },
  XML_ATTR_VALUE_LIMIT: { blame: 'peer', text: 'An attribute value is longer than allowed.' },
  XML_NAME_LIMIT: { blame: 'peer', text: 'A name is longer than allowed.' },
  XML_NS_LIMIT: {
    blame: 'peer',
    text: 'The message declares more or longer namespaces than allowed.',
  },
  XML_TEXT_LIMIT: { blame: 'peer', text: 'A text is longer than allowed.' },
  XML_COMMENT_LIMIT: { blame: 'peer', text: 'A comment is longer than allowed.' },
  XML_IDENTITY_LIMIT: { blame: 'peer', text: 'The message has more keys and IDs than allowed.' },
  XML_MESSAGE_LIMIT: { blame: 'peer', text: 'The message is longer than allowed.' },
} as const satisfies Record<string, refusals.RefusalKind>;

type XmlRefusals = typeof XML_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends XmlRefusals {}
}
