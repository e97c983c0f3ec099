import type { refusals } from '../core/index.js';

/**
 * The three dialects of the envelope protocol: one table, one row each. What differs in envelopes,
 * headers and Faults is here. Files that know what WSDL says of a version are listed in the recipe
 * "A dialect" of `src/README.md`.
 *
 * Sources: SOAP 1.1 (W3C Note 8 May 2000), SOAP 1.2 part 1 (second edition) and, for 2001-12, the
 * working draft of that month as the owner's description quotes it.
 */
export const DIALECTS = {
  '2001-12': {
    name: '2001-12',
    envelopeUri: 'http://www.w3.org/2001/12/soap-envelope',
    encodingUri: 'http://www.w3.org/2001/12/soap-encoding',
    arrayForm: 'arrayType',
    mediaType: 'application/soap+xml',
    targetAttribute: 'actor',
    nextTargets: ['http://www.w3.org/2001/12/soap-envelope/actor/next'],
    noneTarget: 'http://www.w3.org/2001/12/soap-envelope/actor/none',
    ultimateTarget: null,
    mustUnderstandTrue: ['1'],
    mustUnderstandFalse: ['0'],
    faultForm: 'faultcode',
    /** Bare codes only: a QName or a subcode with a dot is not permitted. */
    faultCodesAreQNames: false,
    senderCode: 'Client',
    receiverCode: 'Server',
    senderFaultStatus: 500,
    undecodable: 'empty 400',
    needsEncodingNamespace: true,
    needsContentLength: true,
    ownHeaderBlocks: [],
    actionHeader: true,
    hasRelay: false,
    noEncodingUri: null,
  },
  '1.1': {
    name: '1.1',
    envelopeUri: 'http://schemas.xmlsoap.org/soap/envelope/',
    encodingUri: 'http://schemas.xmlsoap.org/soap/encoding/',
    arrayForm: 'arrayType',
    mediaType: 'text/xml',
    targetAttribute: 'actor',
    nextTargets: ['http://schemas.xmlsoap.org/soap/actor/next'],
    noneTarget: null,
    ultimateTarget: null,
    mustUnderstandTrue: ['1'],
    mustUnderstandFalse: ['0'],
    faultForm: 'faultcode',
    faultCodesAreQNames: true,
    senderCode: 'Client',
    receiverCode: 'Server',
    senderFaultStatus: 500,
    undecodable: 'fault',
    needsEncodingNamespace: false,
    needsContentLength: false,
    ownHeaderBlocks: [],
    actionHeader: true,
    hasRelay: false,
    noEncodingUri: null,
  },
  '1.2': {
    name: '1.2',
    envelopeUri: 'http://www.w3.org/2003/05/soap-envelope',
    encodingUri: 'http://www.w3.org/2003/05/soap-encoding',
    arrayForm: 'itemType',
    mediaType: 'application/soap+xml',
    targetAttribute: 'role',
    nextTargets: ['http://www.w3.org/2003/05/soap-envelope/role/next'],
    noneTarget: 'http://www.w3.org/2003/05/soap-envelope/role/none',
    ultimateTarget: 'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
    mustUnderstandTrue: ['1', 'true'],
    mustUnderstandFalse: ['0', 'false'],
    faultForm: 'Code',
    faultCodesAreQNames: true,
    senderCode: 'Sender',
    receiverCode: 'Receiver',
    senderFaultStatus: 400,
    undecodable: 'fault',
    needsEncodingNamespace: false,
    needsContentLength: false,
    ownHeaderBlocks: ['Upgrade', 'NotUnderstood'],
    actionHeader: false,
    hasRelay: true,
    noEncodingUri: 'http://www.w3.org/2003/05/soap-envelope/encoding/none',
  },
} as const satisfies Record<string, DialectRow>;

export type DialectName = keyof typeof DIALECTS;
export type Dialect = DialectRow & { readonly name: DialectName };

interface DialectRow extends refusals.FaultForm {
  readonly name: string;
  readonly envelopeUri: string;
  readonly encodingUri: string;
  /**
   * How the encoding names the items of an array: in one attribute with the size (SOAP 1.1 section
   * 5.4.2), or in two (SOAP 1.2 part 2 section 3.1.6). References and ids differ likewise.
   */
  readonly arrayForm: 'arrayType' | 'itemType';
  readonly mediaType: string;
  /** The attribute of a header block that names its receiver. */
  readonly targetAttribute: 'actor' | 'role';
  readonly nextTargets: readonly string[];
  readonly noneTarget: string | null;
  /** The explicit name of the final receiver; no target at all means the same. */
  readonly ultimateTarget: string | null;
  readonly mustUnderstandTrue: readonly string[];
  readonly mustUnderstandFalse: readonly string[];
  readonly faultForm: 'faultcode' | 'Code';
  readonly faultCodesAreQNames: boolean;
  readonly senderCode: 'Client' | 'Sender';
  readonly receiverCode: 'Server' | 'Receiver';
  readonly needsEncodingNamespace: boolean;
  readonly needsContentLength: boolean;
  /**
   * Header blocks in the namespace of the envelope itself: SOAP 1.2 part 1 sections 5.4.7 and
   * 5.4.8.
   */
  readonly ownHeaderBlocks: readonly string[];
  /** The action travels in the header field SOAPAction; else in the Content-Type. */
  readonly actionHeader: boolean;
  /**
   * A header block may ask to be passed on where it is not understood: SOAP 1.2 part 1 section
   * 5.2.4.
   */
  readonly hasRelay: boolean;
  /**
   * The encodingStyle for "none", where the dialect rules attributes: encodingStyle stands below
   * Header and Body only, an unknown one has a Fault of its own, and those of Envelope, Header and
   * Body are qualified (SOAP 1.2 part 1 section 5.1). Null where attributes are not restricted.
   */
  readonly noEncodingUri: string | null;
}

export const DIALECT_NAMES: readonly DialectName[] = Object.values(DIALECTS).map(
  ({ name }) => name,
);

/** The media types of envelopes. */
export const ENVELOPE_MEDIA_TYPES: readonly string[] = [
  ...new Set(DIALECT_NAMES.map((name) => DIALECTS[name].mediaType)),
];

const BY_URI: ReadonlyMap<string, Dialect> = new Map(
  DIALECT_NAMES.map((name): [string, Dialect] => [DIALECTS[name].envelopeUri, DIALECTS[name]]),
);

/** The dialect whose envelope namespace this is, or null. */
export const dialectOfUri = (uri: string): Dialect | null => BY_URI.get(uri) ?? null;

/** The dialect of this name, or null. */
export const dialectOfName = (name: string): Dialect | null =>
  DIALECT_NAMES.map((known): Dialect => DIALECTS[known]).find((dialect) => dialect.name === name) ??
  null;

/** The actors and roles that the dialects define. */
export const STANDARD_TARGETS: ReadonlySet<string> = new Set(
  DIALECT_NAMES.map((name): Dialect => DIALECTS[name]).flatMap(
    ({ nextTargets, noneTarget, ultimateTarget }) =>
      [...nextTargets, noneTarget, ultimateTarget].filter((uri) => uri !== null),
  ),
);
