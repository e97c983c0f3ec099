import { encodeRequest, requestEncoding } from '../../codec/index.js';
import type { BoundField, CallInput } from '../../graphql/index.js';
import type { mime } from '../../soap/index.js';
import type { SoapService } from './service.js';

/**
 * The envelope of a call, and the parts that it includes, without what the configuration or a
 * caller's header fields give.
 */
export function printEnvelope(
  limits: requestEncoding.EncodeLimits,
  service: SoapService,
  bound: BoundField,
  input: CallInput,
  standIns: ReadonlySet<string>,
): { readonly text: string; readonly parts: readonly mime.PackagePart[] } {
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(bound.operation) ?? null;
  const blocks =
    addressing === null
      ? []
      : requestEncoding.addressingBlocks(addressing, dialect, 'urn:uuid:***');
  const plan = requestEncoding.skeletonOf(bound.requestPlan, standIns);
  const { included } = service.callHead(bound.operation);
  let count = 0;
  const parts = new requestEncoding.BinaryParts(included, () => `part-${++count}@soapstone`);
  const text = encodeRequest(plan, dialect, { ...input, blocks, parts }, limits).toString();
  return { text, parts: parts.parts };
}
