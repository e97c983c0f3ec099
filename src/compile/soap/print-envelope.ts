import { addressingBlocks } from '../../codec/write/addressing-blocks.js';
import { encodeRequest } from '../../codec/write/encode.js';
import type { EncodeLimits } from '../../codec/write/leaves.js';
import { skeletonOf } from '../../codec/write/skeleton.js';
import type { BoundField } from '../../graphql/fields/bound-field.js';
import type { CallInput } from '../../graphql/run/field-call.js';
import type { SoapService } from './service.js';

/** The envelope of a call, without what the configuration or a caller's header fields give. */
export function printEnvelope(
  limits: EncodeLimits,
  service: SoapService,
  bound: BoundField,
  input: CallInput,
  standIns: ReadonlySet<string>,
): string {
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(bound.operation) ?? null;
  const blocks = addressing === null ? [] : addressingBlocks(addressing, dialect, 'urn:uuid:***');
  const plan = skeletonOf(bound.requestPlan, standIns);
  return encodeRequest(plan, dialect, { ...input, blocks }, limits).toString();
}
