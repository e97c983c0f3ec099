import type { EncodeSource } from '../../codec/index.js';
import { getOrMake } from '../../core/index.js';
import type { FieldConversion } from '../types/mapping.js';
import type { ServiceNames } from '../types/type-names.js';

/** The mapping of one argument, or of an input field in it. */
export interface InputMapping {
  /** The name in GraphQL; null: by rule. */
  readonly name: string | null;
  /** What its texts mean; null: as the type has it. */
  readonly convert: FieldConversion | null;
  /** The source of the value; null: the caller sends it. */
  readonly source: EncodeSource | null;
  /** A caller without the value is refused, also where the type does not require it. */
  readonly isRequired: boolean;
  /** Maps XML names to the mappings within; `@name` is an attribute. */
  readonly inner: InputMappings;
  /** The path of the mapping in the configuration, from the keys of the service on. */
  readonly path: readonly string[];
}

export type InputMappings = ReadonlyMap<string, InputMapping>;

/** One entry as the configuration has it, by a path of XML names: `Order/Customer/@id`. */
export interface InputEntry {
  readonly name?: string;
  readonly value?: string;
  readonly header?: string;
  readonly claim?: string;
  readonly convert?: FieldConversion | null;
  readonly required?: boolean;
}

interface Node {
  name: string | null;
  convert: FieldConversion | null;
  source: EncodeSource | null;
  isRequired: boolean;
  readonly inner: Map<string, Node>;
  path: readonly string[];
}

/**
 * Entries as the tree that their paths describe. `path` leads to them from the keys of the service.
 */
export function inputMappings(
  entries: Readonly<Record<string, InputEntry>>,
  path: readonly string[],
): InputMappings {
  const root = new Map<string, Node>();
  for (const [key, entry] of Object.entries(entries)) {
    const node = nodeAt(root, key, [...path, key]);
    if (node === null) continue;
    node.name = entry.name ?? null;
    node.convert = entry.convert ?? null;
    node.source = sourceOf(entry);
    node.isRequired = entry.required === true;
  }
  return root;
}

/**
 * An argument that the gateway fills itself, by its path of XML names. `path` leads to it in the
 * configuration.
 */
export interface FilledArgument {
  readonly argument: string;
  readonly source: EncodeSource;
  readonly path: readonly string[];
}

/** The mappings with those arguments, which callers do not see. */
export function withFilled(
  mappings: InputMappings,
  filled: readonly FilledArgument[],
): InputMappings {
  const root = copied(mappings);
  for (const { argument, source, path } of filled) {
    const node = nodeAt(root, argument, path);
    if (node !== null) {
      node.source = source;
    }
  }
  return root;
}

/** The node at these steps, which are added; `path` leads to what names it. Null without steps. */
function nodeAt(root: Map<string, Node>, steps: string, path: readonly string[]): Node | null {
  let level = root;
  let node: Node | null = null;
  for (const step of stepsOf(steps)) {
    node = getOrMake(level, step, () => ({
      name: null,
      convert: null,
      source: null,
      isRequired: false,
      inner: new Map(),
      path,
    }));
    level = node.inner;
  }
  if (node !== null) {
    node.path = path;
  }
  return node;
}

/** As deep as the paths of the configuration, which are bounded. */
const copied = (mappings: InputMappings): Map<string, Node> =>
  new Map(
    [...mappings].map(([key, mapping]) => [key, { ...mapping, inner: copied(mapping.inner) }]),
  );

/** The source that an entry names, or null. */
export function sourceOf({ value, header, claim }: InputEntry): EncodeSource | null {
  if (value !== undefined) return { from: 'constant', lexical: value };
  if (header !== undefined) return { from: 'header', header: header.toLowerCase() };
  return claim === undefined ? null : { from: 'claim', claim };
}

/** The steps of a path; those of a namespace may hold `/`. */
export const stepsOf = (path: string): readonly string[] =>
  path.match(/(?:\{[^}]*\}|[^/{])+/g) ?? [];

export const NO_MAPPINGS: InputMappings = new Map();

/** Whether something in there comes from elsewhere than from the caller. */
export const hasSource = ({ source, inner }: InputMapping): boolean =>
  source !== null || [...inner.values()].some((each) => hasSource(each));

/** Whether the page that a call asks for is in there. */
export const hasPage = ({ source, inner }: InputMapping): boolean =>
  source?.from === 'page' || [...inner.values()].some((each) => hasPage(each));

/** Reports mappings of unknown members. */
export function refuseUnknown(
  mappings: InputMappings,
  known: readonly string[],
  { names }: { readonly names: ServiceNames },
): void {
  for (const [key, { path }] of mappings) {
    if (known.includes(key)) continue;
    const remedy = known.length === 0 ? 'The message has nothing of the kind.' : null;
    names.refuse(path, `There is no \`${key}\` to map.`, remedy, known, key);
  }
}
