/** An error in an entry of `links` or `subscriptions`. `path` begins with the entry's name. */
export interface EntryError {
  readonly path: readonly string[];
  readonly part: 'key' | 'value';
  readonly what: string;
  readonly remedy: string | null;
  /** The name that was not found, and those that exist; null where no name is wrong. */
  readonly unknown: { readonly name: string; readonly known: readonly string[] } | null;
}

/** Takes an error in the entry at hand; there is nothing for it. `path` begins below its name. */
export type Report = (
  path: readonly string[],
  what: string,
  remedy?: string | null,
  unknown?: EntryError['unknown'],
  part?: EntryError['part'],
) => null;

/** Collects the errors of the entry of this name. */
export const reportInto =
  (errors: EntryError[], name: string): Report =>
  (path, what, remedy = null, unknown = null, part = 'value') => {
    errors.push({ path: [name, ...path], part, what, remedy, unknown });
    return null;
  };
