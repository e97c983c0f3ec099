/**
 * A value of a configuration as text, for rules that run before its type is checked: '' for a map
 * or a list, which has no text of its own.
 */
export const textAtKey = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '' : String(value);
