/** Names in quotes: the first of them, and how many more there are. */
export function listNames(names: readonly string[], shownMax = 5): string {
  const shown = names.slice(0, shownMax).map((name) => `\`${name}\``);
  return `${shown.join(', ')}${names.length > shownMax ? ` and ${names.length - shownMax} more` : ''}`;
}
