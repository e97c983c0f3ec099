import type { refusals } from '../core/index.js';

/** Refusals of the envelope, its header blocks, and the package around it. */
export const SOAP_REFUSALS = {
  envelope: {
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
  },
  packages: {
    // The package around the envelope.
    MTOM_STRUCTURE: {
      blame: 'peer',
      text: 'The multipart message breaks the structure of a package.',
    },
    MTOM_EXTERNAL_HREF: {
      blame: 'peer',
      text: 'An Include must name one part of its own message.',
    },
    DECOMPRESSION_LIMIT: {
      blame: 'peer',
      text: 'The message grows more than allowed when decompressed.',
    },
    ENCODING_CORRUPT: {
      blame: 'peer',
      undecodable: true,
      text: 'The compressed message is broken.',
    },
  },
} as const satisfies Record<string, Record<string, refusals.RefusalKind>>;

type Groups = typeof SOAP_REFUSALS;
type SoapRefusals = Groups['envelope'] & Groups['packages'];

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends SoapRefusals {}
}
