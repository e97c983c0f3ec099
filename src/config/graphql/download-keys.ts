import { PATH } from '../keys/formats.js';
import { closed, list, millis, string, text } from '../keys/key-types.js';

/** Keys about the addresses of binary content. */
export const DOWNLOAD_KEYS = closed(
  {
    path: text('The path under which the addresses are.', { default: '/downloads', ...PATH }),
    keys: list(
      string({ minLength: 32, maxLength: 4096 }),
      'The secrets that addresses are sealed with, the same in all replicas. ' +
        'The first makes them, all others are still read: a new one comes first, and the old ' +
        'one goes when its addresses have ended.',
      { minItems: 1, maxItems: 8, uniqueItems: true },
    ),
    lifetimeMillis: millis('How long an address can be used.', [1000, 86_400_000], 300_000),
  },
  'Lets queries ask for the address of binary content with `@url`, from which it streams. ' +
    'The gateway keeps nothing for it: a download repeats the call.',
);
