import { OTHER } from './metrics/tally.js';

/** Characters of a name that a client gives itself. */
const NAME = /^[\x20-\x7e]{0,64}$/;

/**
 * The name that a client gives itself in a header field; `_other` for one that is too long or not
 * printable.
 */
export function clientNameIn(value: string | readonly string[] | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' && NAME.test(value) ? value : OTHER;
}
