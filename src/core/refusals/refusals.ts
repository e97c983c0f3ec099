import { GRAPHQL_REFUSALS } from './graphql-refusals.js';
import type { RefusalKind } from './refusal-kind.js';

/**
 * The closed table of all refusals and failures at run time.
 *
 * A row names the party to blame; HTTP status, SOAP fault code and GraphQL status are derived from
 * that and from the dialect, so they cannot disagree with it. Texts are public: they never hold
 * input, addresses or upstream bodies.
 *
 * `peer` is the sender of the message: the XML reader and the envelope validator do not know the
 * direction. `asUpstream` turns a peer's refusal of a reply into `UPSTREAM_INVALID_RESPONSE`.
 */
export const REFUSALS = {
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

  // The envelope.
  SOAP_NOT_ENVELOPE: { blame: 'peer', text: 'The document element is not a SOAP Envelope.' },
  SOAP_STRUCTURE: { blame: 'peer', text: 'The envelope breaks the structure of a SOAP message.' },
  SOAP_HEADER_LIMIT: { blame: 'peer', text: 'The Header is larger than allowed.' },
  SOAP_MULTI_BODY: {
    blame: 'peer',
    text: 'The Body must hold one element, or exactly those that its operation declares.',
  },
  SOAP_FAULT_CODE: { blame: 'peer', text: 'The fault code is not one of the permitted values.' },
  SOAP_ENCODING_NAMESPACE: {
    blame: 'peer',
    text: 'The message does not use the encoding namespace.',
  },
  VERSION_MISMATCH: {
    blame: 'peer',
    fault: 'VersionMismatch',
    text: 'The Envelope is not in the namespace that is expected here.',
  },
  MUST_UNDERSTAND: {
    blame: 'peer',
    fault: 'MustUnderstand',
    text: 'A header block that must be understood is not understood.',
  },
  RESERVED_HEADER: { blame: 'peer', text: 'A header block is in a namespace of the gateway.' },

  DATA_ENCODING_UNKNOWN: {
    blame: 'peer',
    fault: 'DataEncodingUnknown',
    text: 'The encoding of the data is not known.',
  },
  UNKNOWN_OPERATION: { blame: 'client', text: 'The service has no such operation.' },
  ACTION_MISMATCH: {
    blame: 'client',
    text: 'The action is not that of the operation in the Body.',
  },
  SCHEMA_INVALID: {
    blame: 'client',
    text: 'The content of the message breaks the contract of the service.',
  },
  SOAP_ARRAY_LIMIT: { blame: 'peer', text: 'An array announces more members than allowed.' },
  'wsa:OnlyAnonymousAddressSupported': {
    blame: 'client',
    text: 'Answers are given to the caller only.',
  },
  WSA_DESTINATION: { blame: 'client', text: 'The message is addressed to another receiver.' },
  WSSE_STRUCTURE: {
    blame: 'peer',
    text: 'The Security header breaks the structure of WS-Security.',
  },
  WSSE_DUPLICATE_ID: { blame: 'peer', text: 'Two elements of the message have the same Id.' },
  'wsse:FailedAuthentication': {
    blame: 'client',
    text: 'The security token could not be authenticated.',
  },
  'wsse:MessageExpired': { blame: 'client', text: 'The message has expired.' },
  // WS-Security 1.1, section 12.
  'wsse:InvalidSecurity': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The Security header is missing, incomplete, or breaks the rules of WS-Security.',
  },
  'wsse:InvalidSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token of the message is broken.',
  },
  'wsse:FailedCheck': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A signature or a digest of the message does not match.',
  },
  'wsse:UnsupportedAlgorithm': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message is signed by an algorithm that is not accepted.',
  },
  'wsse:UnsupportedSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message has a security token of a kind that is not accepted.',
  },
  'wsse:SecurityTokenUnavailable': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token that the message refers to could not be found.',
  },

  // The package around the envelope.
  MTOM_STRUCTURE: {
    blame: 'peer',
    text: 'The multipart message breaks the structure of a package.',
  },
  MTOM_EXTERNAL_HREF: { blame: 'peer', text: 'An Include must name one part of its own message.' },
  DECOMPRESSION_LIMIT: {
    blame: 'peer',
    text: 'The message grows more than allowed when decompressed.',
  },
  ENCODING_CORRUPT: { blame: 'peer', undecodable: true, text: 'The compressed message is broken.' },

  // The HTTP layer: a real status, no body, no SOAP message exists yet.
  HTTP_BAD_REQUEST: { blame: 'client', status: 400, text: 'The request is malformed.' },
  HTTP_TINY_CHUNKS: {
    blame: 'client',
    status: 400,
    isAbrupt: true,
    text: 'The body comes in pieces of a few bytes.',
  },
  HTTP_NOT_FOUND: { blame: 'client', status: 404, text: 'There is nothing at this address.' },
  HTTP_METHOD: { blame: 'client', status: 405, text: 'The method is not offered at this address.' },
  HTTP_TIMEOUT: { blame: 'client', status: 408, text: 'The request took too long to arrive.' },
  HTTP_LENGTH_REQUIRED: { blame: 'client', status: 411, text: 'A Content-Length is required.' },
  HTTP_TOO_LARGE: { blame: 'client', status: 413, text: 'The request is longer than allowed.' },
  HTTP_URI_TOO_LONG: {
    blame: 'client',
    status: 414,
    text: 'The request target is longer than allowed.',
  },
  HTTP_HEADER_LIMIT: {
    blame: 'client',
    status: 431,
    text: 'The request has more header fields than allowed.',
  },
  HTTP_TRANSFER_CODING: {
    blame: 'client',
    status: 501,
    text: 'Chunked is the only transfer coding accepted.',
  },
  HTTP_VERSION: { blame: 'client', status: 505, text: 'Only HTTP 1.0 and 1.1 are spoken here.' },
  HTTP_MEDIA_TYPE: {
    blame: 'client',
    status: 415,
    text: 'The Content-Type or coding is not accepted.',
  },

  HTTP_EXPECTATION: {
    blame: 'client',
    status: 417,
    text: 'The only expectation met is 100-continue.',
  },
  HTTP_CONNECTIONS: { blame: 'client', status: 429, text: 'The client has too many connections.' },

  HTTP_ORIGIN: {
    blame: 'client',
    status: 403,
    text: 'Pages of this origin may not open a WebSocket here.',
  },

  HTTP_MISDIRECTED: { blame: 'client', status: 421, text: 'The Host is not one of this gateway.' },

  // The upstream.
  UPSTREAM_UNREACHABLE: { blame: 'upstream', text: 'The service cannot be reached.' },
  UPSTREAM_CONNECT_TIMEOUT: {
    blame: 'upstream',
    httpStatus: 504,
    text: 'The service did not accept a connection in time.',
  },
  UPSTREAM_TLS: { blame: 'upstream', text: 'No trusted connection to the service could be made.' },
  UPSTREAM_TIMEOUT: {
    blame: 'upstream',
    httpStatus: 504,
    text: 'The service did not answer in time.',
  },
  UPSTREAM_IDLE_TIMEOUT: {
    blame: 'upstream',
    httpStatus: 504,
    text: 'The service stopped in the middle of its answer.',
  },
  UPSTREAM_RESET: {
    blame: 'upstream',
    text: 'The service closed the connection without an answer.',
  },
  UPSTREAM_TRUNCATED: { blame: 'upstream', text: 'The answer of the service is incomplete.' },
  UPSTREAM_INVALID_RESPONSE: { blame: 'upstream', text: 'The service gave no valid answer.' },
  UPSTREAM_RESPONSE_LIMIT: {
    blame: 'upstream',
    text: 'The answer of the service is larger than allowed: it exceeds a limit of the gateway.',
  },
  UPSTREAM_SCHEMA_INVALID: { blame: 'upstream', text: 'The service left its own contract.' },
  UPSTREAM_REDIRECT: { blame: 'upstream', text: 'The service answered with a redirect.' },
  UPSTREAM_AUTH: {
    blame: 'upstream',
    text: 'The service did not accept the credentials of the gateway.',
  },
  UPSTREAM_UNAUTHENTICATED: {
    blame: 'client',
    httpStatus: 401,
    text: 'The service did not accept the credentials of the caller.',
  },
  UPSTREAM_OVERLOADED: { blame: 'upstream', text: 'The service is overloaded.' },
  UPSTREAM_DESYNC: {
    blame: 'upstream',
    text: 'The service gave an answer that does not belong to the request.',
  },
  CIRCUIT_OPEN: { blame: 'upstream', text: 'The service failed repeatedly and is given a rest.' },
  POOL_EXHAUSTED: { blame: 'upstream', text: 'Too many requests are waiting for the service.' },
  UPSTREAM_RATE_LIMITED: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    text: 'More calls are waiting for the service than its rate allows.',
  },
  // The Idempotency-Key of a request that writes.
  IDEMPOTENCY_KEY_REUSED: {
    blame: 'client',
    httpStatus: 422,
    text: 'The idempotency key was used for another request.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    blame: 'client',
    httpStatus: 409,
    text: 'A request with the same idempotency key is in progress.',
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    blame: 'client',
    httpStatus: 409,
    text: 'The request was sent once before, and its outcome is not known.',
  },
  IDEMPOTENCY_UNAVAILABLE: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 1,
    text: 'Idempotency keys cannot be looked up at present; nothing was sent.',
  },
  IDEMPOTENCY_LIMIT: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 60,
    text: 'No further idempotency key can be remembered; nothing was sent.',
  },
  SOAP_FAULT: { blame: 'upstream', level: 'info', text: 'The service answered with a Fault.' },
  VALUE_NOT_REPRESENTABLE: {
    blame: 'us',
    level: 'warn',
    text: 'A value of the service is none that the type of its field can have.',
  },
  GRAPHQL_UPSTREAM_ERROR: {
    blame: 'upstream',
    level: 'info',
    text: 'The service answered with an error.',
  },

  ...GRAPHQL_REFUSALS,

  // Authentication, authorization and budgets. SOAP callers get a Fault.
  UNAUTHENTICATED: { blame: 'client', httpStatus: 401, text: 'The credentials were not accepted.' },
  FORBIDDEN: { blame: 'client', httpStatus: 403, text: 'The client may not call this operation.' },
  RATE_LIMITED: {
    blame: 'client',
    httpStatus: 429,
    text: 'The limit is reached for now: the budget is spent, or too much is in progress.',
  },

  CREDENTIALS_UNVERIFIED: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    text: 'The credentials cannot be verified at present.',
  },

  // The gateway.
  OVERLOADED: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 1,
    text: 'The gateway is overloaded.',
  },
  AUDIT_UNAVAILABLE: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 1,
    text: 'Decisions cannot be recorded at present.',
  },
  LOOP_DETECTED: {
    blame: 'us',
    level: 'warn',
    httpStatus: 508,
    text: 'The request has passed this gateway before.',
  },
  CLIENT_GONE: { blame: 'client', level: 'info', text: 'The client closed the connection.' },
  INTERNAL: { blame: 'us', text: 'Unexpected error.' },
} as const satisfies Record<string, RefusalKind>;

/** The public text of `UNAUTHENTICATED` where a request has no credentials. */
export const CREDENTIALS_MISSING = 'Credentials are required.';

export type RefusalCode = keyof typeof REFUSALS;

const isCode = (text: string): text is RefusalCode => Object.hasOwn(REFUSALS, text);

/** All codes, in the order of the table. */
export const REFUSAL_CODES: readonly RefusalCode[] = Object.keys(REFUSALS).filter(isCode);

/** Whether a value of another process is a code. */
export const isRefusalCode = (code: unknown): code is RefusalCode =>
  typeof code === 'string' && isCode(code);

export const kindOf = (code: RefusalCode): RefusalKind => REFUSALS[code];
