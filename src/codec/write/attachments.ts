import { Buffer } from 'node:buffer';
import { byteBuffers } from '../../core/index.js';
import { mime } from '../../soap/index.js';
import type { EncodeAttachment } from '../plan/request/request-plan.js';
import { BASE64_SCALAR } from '../values/base64.js';
import { below, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';
import { type EncodeLimits, LeafEncoder, REQUIRED } from './leaves.js';
import type { RequestContext } from './source.js';

/**
 * The attachments of one request. Throws `InputError` where an argument is missing or no base64.
 */
export function encodeAttachments(
  plans: readonly EncodeAttachment[],
  values: { readonly arguments: ReadonlyRecord; readonly context: RequestContext },
  limits: EncodeLimits,
): readonly mime.PackagePart[] {
  if (plans.length === 0) return [];
  const leaves = new LeafEncoder(limits, values.context);
  const root = { above: null, step: 'arguments', depth: 0 };
  return plans.map(({ key, part, mediaType }) => {
    const path = below(root, key);
    const member = memberOf(values.arguments, key) ?? null;
    if (member === null) {
      refuseInput(path, REQUIRED);
    }
    const id = mime.contentIdOf(part);
    if (member instanceof byteBuffers.FileContent) return { id, mediaType, bytes: member };
    const text = leaves.text(BASE64_SCALAR, member, path);
    return { id, mediaType, bytes: Buffer.from(text?.kind === 'text' ? text.value : '', 'base64') };
  });
}
