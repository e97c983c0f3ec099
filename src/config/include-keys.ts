import { array, string } from './key-types.js';

/** Further files of the configuration. */
export const INCLUDE = array(string({ minLength: 1, maxLength: 4096 }), {
  description:
    'Further files of this configuration, relative to it: `services/*.yaml`. Each has keys as this file has; maps such as `services` are joined, and each of their entries stands in one file. Paths in a file are relative to that file.',
  maxItems: 64,
  uniqueItems: true,
  default: [],
});

/** Included files, at most. */
export const INCLUDED_FILES_MAX = 1000;
