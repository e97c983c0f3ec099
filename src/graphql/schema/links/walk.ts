/**
 * The response keys on the way to links, through lists; a key without further ones is, or may be, a
 * link.
 */
export type Walk = ReadonlyMap<string, Walk>;
