import type { RefusalGuide } from './guide.js';

/** Why requests are refused, and the remedies: messages: XML, envelopes, WS-Addressing, WS-Security, packages. */
export const MESSAGE_GUIDE = {
  XML_NOT_WELLFORMED: {
    why: 'Parsers disagree about broken XML, and an attack hides where they do (XML 1.0, section 1.2).',
    change: 'Correct the sender: the log line has the byte. No key admits broken XML.',
  },
  XML_DTD_FORBIDDEN: {
    why: 'A DTD can define entities that grow without end or read files (XXE); SOAP forbids it.',
    change: 'Remove the `<!DOCTYPE>`. No key admits it.',
  },
  XML_PI_FORBIDDEN: {
    why: 'SOAP 1.2 forbids processing instructions, and backends may act on them.',
    change: 'Remove the `<?...?>` behind the XML declaration. No key admits it.',
  },
  XML_VERSION: {
    why: 'XML 1.1 has other characters and line ends, which SOAP does not know.',
    change: 'Write `<?xml version="1.0"?>`, or no declaration.',
  },
  XML_ENCODING: {
    why: 'Header, byte order mark and declaration must name one encoding; text that two parsers read differently passes checks.',
    change: 'Send UTF-8 with `charset=utf-8`. UTF-16, ISO-8859-1, US-ASCII and windows-1252 are read too.',
  },
  XML_NS_ERROR: {
    why: 'A prefix that is not declared, or an attribute that comes twice, has no meaning (Namespaces in XML 1.0).',
    change: 'Declare every prefix in the message, once. Fragments that are pasted in often lack it.',
  },
  XML_DEPTH_LIMIT: {
    why: 'Deep nesting exhausts the stack of many parsers.',
    change: 'Nest less, or raise the limit for the service.',
  },
  XML_CHILD_LIMIT: {
    why: 'One element with very many children takes memory in every stack behind the gateway.',
    change: 'Send lists in parts, or raise the limit for the service.',
  },
  XML_ELEMENT_LIMIT: {
    why: 'Each element costs memory in a backend that builds a tree.',
    change: 'Send less at once, or raise the limit for the service.',
  },
  XML_ATTR_LIMIT: {
    why: 'Attributes of one element are compared with each other: many of them take quadratic time in some parsers.',
    change: 'Use fewer attributes, or raise the limit for the service.',
  },
  XML_ATTR_VALUE_LIMIT: {
    why: 'An attribute value is held as a whole by every parser.',
    change: 'Move long content into an element, or raise the limit for the service.',
  },
  XML_NAME_LIMIT: {
    why: 'Names are interned by parsers and never freed by some.',
    change: 'Shorten the name. A legitimate message rarely has one this long.',
  },
  XML_NS_LIMIT: {
    why: 'Every element inherits all namespaces in scope: many of them multiply the work of parsers.',
    change: 'Declare namespaces once at the root, or raise the limit for the service.',
  },
  XML_TEXT_LIMIT: {
    why: 'A text is held as a whole by most parsers.',
    change: 'Send large data as an attachment (MTOM), or raise the limit for the service.',
  },
  XML_COMMENT_LIMIT: {
    why: 'Comments have no meaning in SOAP and may be used to fill memory.',
    change: 'Remove the comment, or raise the limit for the service.',
  },
  XML_IDENTITY_LIMIT: {
    why: 'Keys and IDs of the schema (`xs:key`, `xs:ID`) are held until the message ends.',
    change: 'Send less at once, or raise the limit. `validate` of the service decides whether they are checked.',
  },
  XML_MESSAGE_LIMIT: {
    why: 'An unbounded message keeps a connection, and memory of the backend, for as long as its sender likes.',
    change: 'Send it in parts or as an attachment, or raise the limit for the service.',
  },
  SOAP_NOT_ENVELOPE: {
    why: 'The address takes SOAP messages only.',
    change:
      'Send an Envelope. For JSON use `/graphql`; a WSDL is at `?wsdl`. Paths without envelopes belong into `routes`.',
  },
  SOAP_STRUCTURE: {
    why: 'Elements or attributes at a place that SOAP does not know are read differently by different stacks.',
    change: 'Put one Header at most, then one Body, into the Envelope. `mode: monitor` shows which callers do not.',
  },
  SOAP_HEADER_LIMIT: {
    why: 'Header blocks are held until the last of them is read.',
    change: 'Send fewer or shorter header blocks, or raise the limit.',
  },
  SOAP_MULTI_BODY: {
    why: 'With two elements in Body, gateway and backend may act on different ones (signature wrapping).',
    change: 'Send the one element that the WSDL declares. Operations with several parts are known by their WSDL.',
  },
  SOAP_FAULT_CODE: {
    why: 'SOAP 2001-12 knows four fault codes only.',
    change: 'Use Client, Server, MustUnderstand or VersionMismatch.',
  },
  SOAP_ENCODING_NAMESPACE: {
    why: 'Messages of 2001-12 must declare the encoding namespace before the first child of Body ends.',
    change:
      'Declare `http://www.w3.org/2001/12/soap-encoding`, or set `encodingStyle`. The other dialects do not ask for it.',
  },
  VERSION_MISMATCH: {
    why: 'The service does not speak the SOAP version of this Envelope.',
    change: 'Use the namespace of one of the `versions` of the service, or add the version there.',
  },
  MUST_UNDERSTAND: {
    why: 'SOAP demands a Fault for a block that must be understood and is not.',
    change: 'Leave the block out, or name it in `understands` of the gateway or of the service.',
  },
  RESERVED_HEADER: {
    why: 'Blocks of this namespace are written by the gateway: a caller could pretend to be it.',
    change: 'Remove the block. No key admits it.',
  },
  DATA_ENCODING_UNKNOWN: {
    why: '`encodingStyle` names rules that nothing here knows.',
    change: 'Use the encoding of the SOAP version, or leave the attribute out.',
  },
  UNKNOWN_OPERATION: {
    why: 'The child of Body is the input of no operation of the WSDL, or of none that is offered.',
    change:
      'Call an operation of `?wsdl`. Where the WSDL is incomplete: `unknownOperations: pass`. An operation may be `false` in `operations`.',
  },
  ACTION_MISMATCH: {
    why: 'Some stacks dispatch by SOAPAction and some by Body: a message with two meanings gets past rights.',
    change: 'Send the action that the WSDL gives the operation, or an empty one.',
  },
  SCHEMA_INVALID: {
    why: 'Content that breaks the schema reaches code of the backend that never expects it.',
    change:
      'Correct the content: the log line has the place and the rule. `validate` of the service is `enforce`, `monitor` or off.',
  },
  SOAP_ARRAY_LIMIT: {
    why: '`arrayType` announces members, for which stacks reserve memory before they come.',
    change: 'Announce the members that are sent, or raise the limit.',
  },
  'wsa:OnlyAnonymousAddressSupported': {
    why: 'A reply to another address would let a caller aim the backend at any host.',
    change:
      'Leave `ReplyTo` and `FaultTo` out, or use the anonymous address. `addressing: { check: false }` passes them on.',
  },
  WSA_DESTINATION: {
    why: '`To` names another service; a backend may route by it.',
    change: 'Write the address of this service, or add the other to `addressing.destinations`.',
  },
  WSSE_STRUCTURE: {
    why: 'A Security header that stacks read differently is how signatures are wrapped.',
    change: 'Send one Security block for each receiver, with each of its elements once (WS-Security 1.1).',
  },
  WSSE_DUPLICATE_ID: {
    why: 'A signature names its element by Id: with two of them, gateway and backend may check different ones.',
    change: 'Give each element an Id of its own.',
  },
  'wsse:FailedAuthentication': {
    why: 'The token of the Security header, or the missing credentials, identify no client.',
    change: 'Send valid credentials; `clients` has the kinds that are accepted. The log line has the reason.',
  },
  'wsse:MessageExpired': {
    why: 'A message outside of its time, or with a nonce that was used, may be a replay.',
    change:
      'Set the clocks, and make a new Created and Nonce for each message. `limits.soap.securityMillis` is the tolerance.',
  },
  MTOM_STRUCTURE: {
    why: 'Parts that begin or end differently for different readers hide content.',
    change: 'Send `multipart/related` with the envelope as its root part (XOP), or raise the limit.',
  },
  MTOM_EXTERNAL_HREF: {
    why: 'An Include of another address makes the backend fetch it (SSRF).',
    change: 'Use `cid:` and the Content-ID of a part of the same message, each part once.',
  },
  DECOMPRESSION_LIMIT: {
    why: 'A small gzip body can become gigabytes.',
    change: 'Send it uncompressed, or raise the limit.',
  },
  ENCODING_CORRUPT: {
    why: 'The gzip stream is broken or ends early: what would be left is not the message of the sender.',
    change: 'Correct the compression, or send the message uncompressed.',
  },
} as const satisfies Record<string, RefusalGuide>;
