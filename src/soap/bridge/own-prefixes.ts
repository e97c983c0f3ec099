import { Refusal } from '../../core/index.js';
import type { StartTag } from '../../xml/index.js';
import type { TagChange } from './tag-change.js';

/** Prefixes that the bridge declares where a message has none for a namespace. */
export const ENVELOPE_PREFIX = 'soap-bridge';
export const ENCODING_PREFIX = 'soap-encoding';
export const XSD_PREFIX = 'soap-xsd';

/** Declares one of them; refused where the message has a prefix by this name. */
export function declareOwn(tag: StartTag, change: TagChange, prefix: string, uri: string): void {
  if (tag.namespace(prefix) !== null) throw unsupported(`a prefix ${prefix} of its own`);
  change.declare(prefix, uri);
}

/** The refusal of what another version of SOAP cannot express. */
export const unsupported = (rule: string): Refusal => new Refusal('BRIDGE_UNSUPPORTED', rule);
