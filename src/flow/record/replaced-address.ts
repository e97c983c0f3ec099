import { headerBlocks } from '../../soap/index.js';
import type { ValueReplacer } from './replaced-value.js';

/** Elements of WS-Addressing whose texts name the service and what is asked of it. */
const OF_SERVICE: ReadonlySet<string> = new Set(['To', 'Action']);

const NO_ADDRESS = `${headerBlocks.WSA_1_0}/none`;

/** The user of an address, and its query: both may hold credentials. */
const CREDENTIALS = /(?<=:\/\/)[^/?#@]+(?=@)|(?<=\?)[^#]+/g;

/**
 * The text of an element of WS-Addressing as it is recorded. The action and the address of the
 * service stay, without credentials. `isReplaced`: other texts are replaced, such as addresses of
 * callers.
 */
export function addressLike(
  local: string,
  text: string,
  isReplaced: boolean,
  replacer: ValueReplacer,
): string {
  const address = text.trim();
  if (local === 'Action' || headerBlocks.isAnonymous(address) || address === NO_ADDRESS)
    return text;
  if (isReplaced && !OF_SERVICE.has(local)) return replacer.replace(text, null);
  return text.replaceAll(CREDENTIALS, (part) => replacer.replace(part, null));
}
