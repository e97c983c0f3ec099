import type { Buffer } from 'node:buffer';
import { type RequestContext, requestEncoding } from '../../codec/index.js';
import type { MadeBlock } from '../../compile/soap/security/made-security.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import { type EnvelopeValidator, headerBlocks, mime } from '../../soap/index.js';
import type { Insertion, UpstreamRequest } from '../../upstream/index.js';
import {
  type SigningRules,
  signMessage,
  signPackage,
  unsupportedAlgorithm,
} from '../../wss/index.js';
import { type Encoding, UNWRITABLE } from '../../xml/index.js';

/** Header blocks that the gateway writes into one request, and where. */
export interface OwnBlocks {
  readonly place: headerBlocks.HeaderPlace;
  readonly writers: readonly headerBlocks.BlockWriter[];
  /** Whom an assertion in them is about; null for no one, or always the same. */
  readonly subject: string | null;
  /** Signs the message once they are in it; null: nothing is signed. */
  readonly signing: SigningRules | null;
  /** The type of the body where that is a package; null: it is the envelope. */
  readonly packageType: mime.PackageType | null;
}

/**
 * The blocks of a SOAP call; null where its message stays as it is. Throws
 * `wsse:UnsupportedAlgorithm` for a message that cannot be signed, and `FORBIDDEN` for a caller
 * without the claim that the assertion is about.
 */
export function blocksOfSoapCall(
  { place: found, dialect: written, bridge }: EnvelopeValidator,
  { security, signing, replacesSecurity }: SoapService,
  encoding: Encoding | null,
  type: mime.PackageType | null,
  claims: RequestContext['claims'],
): OwnBlocks | null {
  const dialect = bridge?.to ?? written;
  // Monitor mode makes no edits, so that there is no place.
  if (found === null || found.offsetBytes < 0 || dialect === null) return null;
  const { offsetBytes, isInHeader } = found;
  const { envelopeUri } = dialect;
  const place = { offsetBytes, isInHeader, envelopeUri, encoding: encoding ?? 'utf-8' };
  const subject =
    security !== null && replacesSecurity ? subjectOfAssertion(security, claims) : null;
  const writers = security !== null && replacesSecurity ? [security.writer(subject)] : [];
  if (signing !== null && replacesSecurity && place.encoding !== 'utf-8') {
    throw unsupportedAlgorithm('a message that is not in UTF-8 cannot be signed here');
  }
  if (signing !== null && replacesSecurity && type !== null && type.type !== mime.XOP_PACKAGE) {
    throw unsupportedAlgorithm(
      'attachments that the envelope does not include cannot be signed here',
    );
  }
  return {
    place,
    writers,
    subject,
    signing: replacesSecurity ? signing : null,
    packageType: type,
  };
}

/**
 * The blocks of the call of a GraphQL field, for an envelope that `encodeRequest` wrote and that
 * begins at `envelopeOffset` of its message, which is a package where `packageType` is not null;
 * null for none.
 */
export function blocksOfField(
  { security, signing, ownBlocks, dialects }: SoapService,
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
  if (blocks === null || blocks.writers.length === 0) return request;
  return { ...request, insertion: insertionOf(blocks, observer) };
}

/** How blocks get into a message, and how that is signed with them. */
export const insertionOf = (blocks: OwnBlocks, observer: SignedObserver | null): Insertion => ({
  offsetBytes: blocks.place.offsetBytes,
  make: () => headerBlocks.printBlocks(blocks.place, blocks.writers),
  ...sealOf(blocks, observer),
});

function sealOf(
  { signing, packageType }: OwnBlocks,
  observer: SignedObserver | null,
): Pick<Insertion, 'seal'> {
  if (signing === null) return {};
  const onSigned = (value: Buffer): void => observer?.signed(value);
  return {
    seal: (body) =>
      packageType === null
        ? signMessage(body, signing, onSigned)
        : signPackage(body, packageType, signing, onSigned),
  };
}
