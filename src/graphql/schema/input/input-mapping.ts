import type { requestPlans } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import type { FieldConversion } from '../types/mapping.js';
import type { Member } from '../types/member.js';
import type { ServiceNames } from '../types/type-names.js';
import type { InputField } from './shown-input.js';

/** The mapping of one argument, or of an input field in it. */
export interface InputMapping {
  /** The name in GraphQL; null: by rule. */
  readonly name: string | null;
  /** What its texts mean; null: as the type has it. */
  readonly convert: FieldConversion | null;
  /**
   * The XML names on the way to the value, of an argument that is a new name; null: it is that
   * element.
   */
  readonly lift: readonly string[] | null;
  /** The argument above the elements around it that has the value; null: it is one itself. */
  readonly moved: MovedInput | null;
  /** The source of the value; null: the caller sends it. */
  readonly source: requestPlans.EncodeSource | null;
  /** A caller without the value is refused, also where the type does not require it. */
  readonly isRequired: boolean;
  /** Maps XML names to the mappings within; `@name` is an attribute. */
  readonly inner: InputMappings;
  /** The path of the mapping in the configuration, from the keys of the service on. */
  readonly path: readonly string[];
}

/** A value that callers give above the elements that it is written in. */
export interface MovedInput {
  /** The member of the type at which it is given; null: the mapping of an operation has it. */
  readonly member: Member | null;
  readonly convert: FieldConversion | null;
  /** The XML names on the way. */
  readonly steps: readonly string[];
  /** The path in the configuration. */
  readonly path: readonly string[];
  /** How it is shown, once its place was filled. */
  field: InputField | null;
  /** The last step is the item of a list, which is written as a whole. */
  isItem: boolean;
}

export type InputMappings = ReadonlyMap<string, InputMapping>;

/** One entry as the configuration has it, by a path of XML names: `Order/Customer/@id`. */
export interface InputEntry {
  readonly name?: string;
  readonly value?: string;
  readonly header?: string;
  readonly claim?: string;
  readonly convert?: FieldConversion | null;
  readonly path?: string;
  readonly required?: boolean;
}

interface Node {
  name: string | null;
  convert: FieldConversion | null;
  lift: readonly string[] | null;
  moved: MovedInput | null;
  source: requestPlans.EncodeSource | null;
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
    node.lift = entry.path?.split('/') ?? null;
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
  readonly source: requestPlans.EncodeSource;
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

/**
 * The mappings with a place whose value is given elsewhere; null where another value has that
 * place.
 */
export function withMoved(mappings: InputMappings, moved: MovedInput): InputMappings | null {
  const root = copied(mappings);
  const node = nodeAt(root, moved.steps.join('/'), moved.path);
  if (node === null || node.moved !== null || node.source !== null) return null;
  node.moved = moved;
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
      lift: null,
      moved: null,
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
export function sourceOf({ value, header, claim }: InputEntry): requestPlans.EncodeSource | null {
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

/** Whether something in there is given elsewhere by the caller. */
export const hasMoved = ({ moved, inner }: InputMapping): boolean =>
  moved !== null || [...inner.values()].some((each) => hasMoved(each));

/** The first value in there that is given elsewhere. */
export function firstMoved({ moved, inner }: InputMapping): MovedInput | null {
  if (moved !== null) return moved;
  for (const each of inner.values()) {
    const found = firstMoved(each);
    if (found !== null) return found;
  }
  return null;
}

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
