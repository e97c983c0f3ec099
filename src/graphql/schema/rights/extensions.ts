export type Extensions = Readonly<Record<string, unknown>>;

/**
 * The extensions of all fields and types that have none. graphql-js gives each that has no object
 * without a prototype an empty one of its own, which takes 200 bytes.
 */
export const NO_EXTENSIONS: Readonly<Record<string, never>> = Object.freeze(Object.create(null));

/** The extensions of one field, from several sources. */
export function joinedExtensions(...parts: readonly Extensions[]): Extensions {
  const [only = NO_EXTENSIONS, ...others] = parts.filter((part) => part !== NO_EXTENSIONS);
  return others.length === 0 ? only : Object.assign({}, only, ...others);
}
