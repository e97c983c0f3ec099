import type { refusals } from '../core/index.js';

/** Refusals of the envelope, its header blocks, and the package around it. */
export const SOAP_REFUSALS = {
  envelope: {
    // The envelope.
    SOAP_NOT_ENVELOPE: {
      blame: 'peer',
      text: 'The document element is not a SOAP Envelope.',
      shows: ['elements', 'expected', 'place'],
      remedy: 'Send a SOAP envelope.',
    },
    SOAP_STRUCTURE: {
      blame: 'peer',
      text: 'The envelope breaks the structure of a SOAP message.',
      shows: ['rule', 'elements', 'place'],
      remedy: 'Send an Envelope that has one Header at most, then one Body, and nothing else.',
    },
    SOAP_HEADER_LIMIT: {
      blame: 'peer',
      text: 'The Header is larger than allowed.',
      shows: ['rule', 'limit', 'place'],
      remedy: 'Send fewer or shorter header blocks.',
    },
    SOAP_MULTI_BODY: {
      blame: 'peer',
      text: 'The Body must hold one element, or exactly those that its operation declares.',
      shows: ['rule', 'elements', 'place'],
      remedy: 'Send one operation in a message, with the elements that the WSDL declares.',
    },
    SOAP_FAULT_CODE: { blame: 'peer', text: 'The fault code is not one of the permitted values.' },
    SOAP_ENCODING_NAMESPACE: {
      blame: 'peer',
      text: 'The message does not use the encoding namespace.',
      shows: ['expected'],
      remedy: 'Declare the namespace on the Envelope, or name it in encodingStyle.',
    },
    VERSION_MISMATCH: {
      blame: 'peer',
      fault: 'VersionMismatch',
      text: 'The Envelope is not in the namespace that is expected here.',
      shows: ['rule', 'elements', 'expected', 'place'],
      remedy:
        'Send the envelope of a SOAP version that the service speaks, under the ' +
        'media type of that version.',
    },
    MUST_UNDERSTAND: {
      blame: 'peer',
      fault: 'MustUnderstand',
      text: 'A header block that must be understood is not understood.',
      shows: ['elements'],
      remedy: 'Remove the header block, or its mustUnderstand.',
    },
    RESERVED_HEADER: {
      blame: 'peer',
      text: 'A header block is in a namespace of the gateway.',
      shows: ['elements', 'place'],
      remedy: 'Remove the header block.',
    },

    DATA_ENCODING_UNKNOWN: {
      blame: 'peer',
      fault: 'DataEncodingUnknown',
      text: 'The encoding of the data is not known.',
      shows: ['elements', 'place'],
      remedy: 'Remove encodingStyle.',
    },
    BRIDGE_UNSUPPORTED: {
      blame: 'client',
      text: 'The message cannot be put into the version of SOAP that the service speaks.',
      shows: ['rule'],
      remedy:
        'Send it in a version that `versions` of the service lists, or without what `rule` names.',
    },
    UNKNOWN_OPERATION: {
      blame: 'client',
      text: 'The service has no such operation.',
      shows: ['rule', 'elements', 'place'],
      remedy:
        'Send the request element of an operation in Body, in the namespace that the WSDL gives it.',
    },
    ACTION_MISMATCH: {
      blame: 'client',
      text: 'The action is not that of the operation in the Body.',
      shows: ['rule', 'action', 'expected', 'elements'],
      remedy: 'Send the action that the WSDL gives the operation.',
    },
    SCHEMA_INVALID: {
      blame: 'client',
      text: 'The content of the message breaks the contract of the service.',
      shows: ['rule', 'place'],
      remedy: 'Send what the schema of the WSDL declares there.',
    },
    SOAP_ARRAY_LIMIT: {
      blame: 'peer',
      text: 'An array announces more members than allowed.',
      shows: ['limit', 'place'],
      remedy: 'Send the array in parts.',
    },
    'wsa:OnlyAnonymousAddressSupported': {
      blame: 'client',
      text: 'Answers are given to the caller only.',
      shows: [],
      remedy: 'Leave ReplyTo and FaultTo out, or send the anonymous address in them.',
    },
    WSA_DESTINATION: {
      blame: 'client',
      text: 'The message is addressed to another receiver.',
      shows: [],
      remedy: 'Send the address that you call in To, or leave it out.',
    },
    WSSE_STRUCTURE: {
      blame: 'peer',
      text: 'The Security header breaks the structure of WS-Security.',
      shows: ['rule', 'limit', 'place'],
      remedy: 'Send one Security header as WS-Security describes it.',
    },
    WSSE_DUPLICATE_ID: {
      blame: 'peer',
      text: 'Two elements of the message have the same Id.',
      shows: ['place'],
      remedy: 'Give each element an Id of its own.',
    },
    'wsse:FailedAuthentication': {
      blame: 'client',
      text: 'The security token could not be authenticated.',
    },
    'wsse:MessageExpired': {
      blame: 'client',
      text: 'The message has expired.',
      shows: ['rule', 'limit'],
      remedy: 'Make Created and Expires anew for each message, and set the clock of the sender.',
    },
  },
  packages: {
    // The package around the envelope.
    MTOM_STRUCTURE: {
      blame: 'peer',
      text: 'The multipart message breaks the structure of a package.',
      shows: ['rule', 'limit'],
      remedy: 'Send a multipart/related package (RFC 2387) whose first part is the envelope.',
    },
    MTOM_EXTERNAL_HREF: {
      blame: 'peer',
      text: 'An Include must name one part of its own message.',
      shows: ['rule', 'place'],
      remedy: 'Name the Content-ID of a part of the same message in href, by cid:, once.',
    },
    DECOMPRESSION_LIMIT: {
      blame: 'peer',
      text: 'The message grows more than allowed when decompressed.',
      shows: ['limit'],
      remedy: 'Send the message without compression, or in parts.',
    },
    ENCODING_CORRUPT: {
      blame: 'peer',
      undecodable: true,
      text: 'The compressed message is broken.',
      shows: ['rule'],
      remedy: 'Send whole gzip data, or no Content-Encoding.',
    },
  },
} as const satisfies Record<string, Record<string, refusals.RefusalKind>>;

type Groups = typeof SOAP_REFUSALS;
type SoapRefusals = Groups['envelope'] & Groups['packages'];

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends SoapRefusals {}
}
