import { isRecord } from '../../core/index.js';
import { closed, flag, list, type StaticOf, text, unsafe } from '../keys/key-types.js';

const PATTERN = { minLength: 1, maxLength: 4096 };

const FILES = closed({
  files: text('A file, or a pattern.', PATTERN),
  optional: flag('Whether there may be none.', false),
});

/** Further files of the configuration. */
export const INCLUDE = list(
  unsafe<string | StaticOf<typeof FILES>>({
    ...FILES,
    ...PATTERN,
    type: ['string', 'object'],
    description: 'A file or a pattern, or `{ files, optional }`.',
  }),
  'Further files of this configuration, relative to it: `services/*.yaml`. ' +
    'Each has keys as this file has; maps such as `services` are joined, and each of their ' +
    'entries stands in one file. Paths in a file are relative to that file. ' +
    'A pattern that matches no file is an error, unless it is `{ files: ' +
    'services/*.yaml, optional: true }`.',
  { maxItems: 64, default: [] },
);

/** The pattern of an entry, and whether it may match nothing; null for what is neither. */
export function includeOf(
  entry: unknown,
): { readonly pattern: string; readonly isOptional: boolean } | null {
  const pattern = isRecord(entry) ? entry['files'] : entry;
  if (typeof pattern !== 'string' || pattern === '') return null;
  return { pattern, isOptional: isRecord(entry) && entry['optional'] === true };
}

/** Included files, at most. */
export const INCLUDED_FILES_MAX = 1000;
