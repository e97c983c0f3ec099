import { NAME } from './formats.js';
import { string, type TextOptions } from './key-types.js';

/** The key that names the class of a client. */
export const classKey = (options: TextOptions = {}) =>
  string({ description: 'Its class, one of `classes`.', pattern: NAME, ...options });
