import type { Buffer } from 'node:buffer';
import { placeInRequest } from '../../codec/write/encode.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { EnvelopeValidator } from '../../soap/envelope.js';
import { type BlockWriter, type HeaderPlace, printBlocks } from '../../soap/header/header-place.js';
import type { UpstreamRequest } from '../../upstream/reply.js';
import type { Encoding } from '../../xml/transcode.js';

/** Header blocks that the gateway writes into one request, and where. */
export interface OwnBlocks {
  readonly place: HeaderPlace;
  readonly writers: readonly BlockWriter[];
}

/** The blocks of a SOAP call; null where its message stays as it is. */
export function blocksOfSoapCall(
  { place: found, dialect }: EnvelopeValidator,
  { security, replacesSecurity }: SoapService,
  encoding: Encoding | null,
): OwnBlocks | null {
  // Monitor mode makes no edits, so that there is no place.
  if (found === null || found.offsetBytes < 0 || dialect === null) return null;
  const { offsetBytes, isInHeader } = found;
  const { envelopeUri } = dialect;
  const place = { offsetBytes, isInHeader, envelopeUri, encoding: encoding ?? 'utf-8' };
  return { place, writers: security !== null && replacesSecurity ? [security] : [] };
}

/**
 * The blocks of the call of a GraphQL field, for an envelope that `encodeRequest` wrote and that begins at `offset` of
 * its message; null for none.
 */
export function blocksOfField(
  { security, ownBlocks, dialects }: SoapService,
  envelope: Buffer,
  offset = 0,
): OwnBlocks | null {
  if (ownBlocks.length === 0) return null;
  const place = placeInRequest(envelope, dialects[0]);
  return { place: { ...place, offsetBytes: place.offsetBytes + offset }, writers: security === null ? [] : [security] };
}

/** The request, into which each try writes the blocks. */
export function withBlocks(request: UpstreamRequest, blocks: OwnBlocks | null): UpstreamRequest {
  if (blocks === null || blocks.writers.length === 0) return request;
  const { place, writers } = blocks;
  return { ...request, insertion: { offsetBytes: place.offsetBytes, make: () => printBlocks(place, writers) } };
}
