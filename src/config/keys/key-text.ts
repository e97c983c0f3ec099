const STEP = '(\\{[^{}\\s]{0,1024}\\})?[^\\s/@{}:.]{1,256}';

/** A header block and elements in it, as a pattern: `header:{namespace}Block/child`. */
export const HEADER_STEPS = `header:${STEP}(/${STEP}){0,8}`;

/**
 * A value of a configuration as text, for rules that run before its type is checked: '' for a map
 * or a list, which has no text of its own.
 */
export const textAtKey = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '' : String(value);

/** Names in quotes: the first of them, and how many more there are. */
export function listNames(names: readonly string[], shownMax = 5): string {
  const shown = names.slice(0, shownMax).map((name) => `\`${name}\``);
  return (
    `${shown.join(', ')}` +
    `${names.length > shownMax ? ` and ${names.length - shownMax} more` : ''}`
  );
}
