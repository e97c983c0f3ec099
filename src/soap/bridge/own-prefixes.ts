import { Refusal } from '../../core/index.js';
import type { StartTag } from '../../xml/index.js';
import type { TagChange } from './tag-change.js';

/** Prefixes that the bridge declares where a message has none for a namespace. */
export const ENVELOPE_PREFIX = 'soap-bridge';
export const ENCODING_PREFIX = 'soap-encoding';
export const XSD_PREFIX = 'soap-xsd';

/** Declares one of them, with a number where a tag has a prefix by this name; returns its name. */
export function declareOwn(tag: StartTag, change: TagChange, prefix: string, uri: string): string {
  const free = freePrefix(tag, prefix);
  change.declare(free, uri);
  return free;
}

/** The prefix, or one with a number that is bound to nothing where the tag is. */
export function freePrefix(tag: StartTag, prefix: string): string {
  let free = prefix;
  for (let number = 2; tag.namespace(free) !== null; number++) {
    free = `${prefix}-${number}`;
  }
  return free;
}

/** The refusal of what another version of SOAP cannot express. */
export const unsupported = (rule: string): Refusal => new Refusal('BRIDGE_UNSUPPORTED', rule);
