/** The keys on the way to links, through lists; those that nothing is beneath of hold a link, or may. */
export type Walk = ReadonlyMap<string, Walk>;
