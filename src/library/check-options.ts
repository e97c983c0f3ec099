import { type ConfigurationError, diagnosis, isRecord, spelling } from '../core/index.js';

/** The type of an option; of a text also a value that may be absent. */
type Kind = 'text' | 'function' | 'object' | 'list';

/** The options of a function, with the type of each. */
export type OptionKinds = Readonly<Record<string, Kind>>;

/** The folder and the variables of a configuration, which all functions take. */
export const COMMON_OPTIONS: OptionKinds = { folder: 'text', environment: 'object' };

const IS_OF_KIND: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  function: (value) => typeof value === 'function',
  object: isRecord,
  list: Array.isArray,
};

/**
 * Checks options, which programs without types may give wrong. `hasMore`: names that are not listed
 * are checked elsewhere. Throws `ConfigurationError`.
 */
export function checkOptions(
  owner: string,
  options: unknown,
  kinds: OptionKinds,
  { hasMore = false }: { readonly hasMore?: boolean } = {},
): void {
  if (!isRecord(options)) {
    throw wrong(`The options of \`${owner}\` are ${typeName(options)}.`, 'Give an object.');
  }
  const names = Object.keys(kinds);
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      if (hasMore) continue;
      const known = `It takes ${names.map((each) => `\`${each}\``).join(', ')}.`;
      const remedy = spelling.didYouMean(name, names) ?? known;
      throw wrong(`\`${name}\` is no option of \`${owner}\`.`, remedy);
    }
    if (value !== undefined && !IS_OF_KIND[kind](value)) {
      const what = `The option \`${name}\` of \`${owner}\` is ${typeName(value)}.`;
      throw wrong(what, `Give ${WRITTEN[kind]}.`);
    }
  }
}

/** Checks an object of keys; `what` begins the sentence. Throws `ConfigurationError`. */
export function checkKeys(what: string, keys: unknown, remedy: string): void {
  if (!isRecord(keys) || keys instanceof URL) throw wrong(`${what} ${typeName(keys)}.`, remedy);
}

const WRITTEN: Readonly<Record<Kind, string>> = {
  text: 'a text',
  function: 'a function',
  object: 'an object',
  list: 'a list',
};

const wrong = (what: string, remedy: string): ConfigurationError =>
  diagnosis.unplacedError(what, remedy);

/** The type of a value in words. Its content may be a secret. */
function typeName(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof URL) return 'a URL';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
