import { NAME } from './formats.js';

/** The key that names the class of a client. */
export const CLASS = { type: 'string', description: 'Its class, one of `classes`.', pattern: NAME } as const;
