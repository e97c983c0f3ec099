/** The keys and indices that lead to a value of the configuration. */
export type ConfigPath = readonly (string | number)[];

/** A path as people write it: `services.orders.urls[1]`. */
export function printPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step}`;
  }
  return text === '' ? 'The configuration' : `\`${text}\``;
}
