import { NAME_FORMAT } from './formats.js';
import { text } from './key-types.js';

/** The key that names the class of a client. */
export const classKey = (description = 'Its class, one of `classes`.') =>
  text(description, { pattern: NAME_FORMAT });
