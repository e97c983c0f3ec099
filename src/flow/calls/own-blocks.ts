import type { Buffer } from 'node:buffer';
import { type RequestContext, requestEncoding } from '../../codec/index.js';
import type { MadeBlock } from '../../compile/soap/security/made-security.js';
import {
  type CallEncryption,
  callEncryption,
  sealOf,
} from '../../compile/soap/security/sealed-message.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import { type EnvelopeValidator, headerBlocks, mime } from '../../soap/index.js';
import type { Insertion, UpstreamRequest } from '../../upstream/index.js';
import { type SigningRules, unsupportedAlgorithm } from '../../wss/index.js';
import { type Encoding, UNWRITABLE } from '../../xml/index.js';

/** Header blocks that the gateway writes into one request, and where. */
export interface OwnBlocks {
  readonly place: headerBlocks.HeaderPlace;
  readonly writers: readonly headerBlocks.BlockWriter[];
  /** Whom an assertion in them is about; null for no one, or always the same. */
  readonly subject: string | null;
  /** Signs the message once they are in it; null: nothing is signed. */
  readonly signing: SigningRules | null;
  /** Encrypts the message; null: nothing is encrypted. */
  readonly encryption: CallEncryption | null;
  /** The type of the body where that is a package; null: it is the envelope. */
  readonly packageType: mime.PackageType | null;
}

/** A SOAP message as it came, for the blocks that the gateway writes into it. */
interface SoapMessage {
  readonly encoding: Encoding | null;
  /** Null for an envelope that comes as it is. */
  readonly packageType: mime.PackageType | null;
  /** It was encrypted when it came. */
  readonly wasEncrypted: boolean;
}

/**
 * The blocks of a SOAP call; null where its message stays as it is. Throws
 * `wsse:UnsupportedAlgorithm` for a message that cannot be signed or encrypted, and `FORBIDDEN` for
 * a caller without the claim that the assertion is about.
 */
export function blocksOfSoapCall(
  envelope: EnvelopeValidator,
  service: SoapService,
  message: SoapMessage,
  claims: RequestContext['claims'],
): OwnBlocks | null {
  const { packageType, wasEncrypted } = message;
  const { replacesSecurity, readers } = service;
  const encoding = message.encoding ?? 'utf-8';
  const found = placeIn(envelope, encoding);
  const isReplaced = found !== null && replacesSecurity;
  const rules = isReplaced || wasEncrypted ? service.encryption : null;
  if (found === null && rules === null) return null;
  const place = found ?? { ...NOWHERE, encoding };
  const security = isReplaced ? service.security : null;
  const subject = security === null ? null : subjectOfAssertion(security, claims);
  const writers = security === null ? [] : [security.writer(subject)];
  const signing = isReplaced ? service.signing : null;
  const encryption = callEncryption(rules, readers);
  checkForm({ signing, encryption }, encoding, packageType);
  return { place, writers, subject, signing, encryption, packageType };
}

/** The place in a message that gets no blocks. */
const NOWHERE = { offsetBytes: 0, isInHeader: true, envelopeUri: '' } as const;

/** Null where the message is not edited: in monitor mode there is no place. */
function placeIn(
  { place: found, dialect: written, bridge }: EnvelopeValidator,
  encoding: Encoding,
): headerBlocks.HeaderPlace | null {
  const dialect = bridge?.to ?? written;
  if (found === null || found.offsetBytes < 0 || dialect === null) return null;
  const { offsetBytes, isInHeader } = found;
  return { offsetBytes, isInHeader, envelopeUri: dialect.envelopeUri, encoding };
}

/** Throws `wsse:UnsupportedAlgorithm` for a message that cannot be signed or encrypted. */
function checkForm(
  { signing, encryption }: Pick<OwnBlocks, 'signing' | 'encryption'>,
  encoding: Encoding,
  type: mime.PackageType | null,
): void {
  if (signing !== null && encoding !== 'utf-8') {
    throw unsupportedAlgorithm('a message that is not in UTF-8 cannot be signed here');
  }
  if (signing !== null && type !== null && type.type !== mime.XOP_PACKAGE) {
    throw unsupportedAlgorithm(
      'attachments that the envelope does not include cannot be signed here',
    );
  }
  if (encryption === null) return;
  if (encoding !== 'utf-8' && encoding !== 'us-ascii') {
    throw unsupportedAlgorithm('a message that is not in UTF-8 cannot be encrypted here');
  }
}

/**
 * The blocks of the call of a GraphQL field, for an envelope that `encodeRequest` wrote and that
 * begins at `envelopeOffset` of its message, which is a package where `packageType` is not null;
 * null for none.
 */
export function blocksOfField(
  { security, signing, encryption: rules, ownBlocks, dialects, readers }: SoapService,
  { envelope, envelopeOffset, packageType }: WrittenEnvelope,
  claims: RequestContext['claims'],
): OwnBlocks | null {
  if (ownBlocks.length === 0) return null;
  const place = requestEncoding.placeInRequest(envelope, dialects[0]);
  const subject = security === null ? null : subjectOfAssertion(security, claims);
  return {
    place: { ...place, offsetBytes: place.offsetBytes + envelopeOffset },
    writers: security === null ? [] : [security.writer(subject)],
    subject,
    signing,
    encryption: callEncryption(rules, readers),
    packageType,
  };
}

interface WrittenEnvelope {
  readonly envelope: Buffer;
  readonly envelopeOffset: number;
  readonly packageType: mime.PackageType | null;
}

/**
 * The claim of the caller that is the subject of the assertion; null where no claim is. Throws
 * `FORBIDDEN`.
 */
function subjectOfAssertion({ claim }: MadeBlock, claims: RequestContext['claims']): string | null {
  if (claim === null) return null;
  const subject = requestEncoding.claimText(claim, { claims }) ?? '';
  if (subject === '' || UNWRITABLE.test(subject)) {
    throw new Refusal('FORBIDDEN', 'the caller has no claim that an assertion can be about', {
      found: claim,
    });
  }
  return subject;
}

/** Gets the value of the signature of each try: the reply is to the last. */
interface SignedObserver {
  signed(value: Buffer): void;
}

/** The request, into which each try writes the blocks. */
export function withBlocks(
  request: UpstreamRequest,
  blocks: OwnBlocks | null,
  observer: SignedObserver | null,
): UpstreamRequest {
  if (blocks === null || (blocks.writers.length === 0 && blocks.encryption === null))
    return request;
  return { ...request, insertion: insertionOf(blocks, observer) };
}

/** How blocks get into a message, and how that is signed with them. */
export const insertionOf = (blocks: OwnBlocks, observer: SignedObserver | null): Insertion => ({
  offsetBytes: blocks.place.offsetBytes,
  make: () => headerBlocks.printBlocks(blocks.place, blocks.writers),
  ...sealOf(blocks, (value) => observer?.signed(value)),
});
