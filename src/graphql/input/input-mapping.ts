import type { EncodeSource } from '../../codec/plan/plan.js';
import type { TypeNames } from '../types/type-names.js';

/** The mapping of one argument, or of an input field in it. */
export interface InputMapping {
  /** The name in GraphQL; null: by rule. */
  readonly name: string | null;
  /** Where its value comes from; null: from the caller. */
  readonly source: EncodeSource | null;
  /** By XML name; `@name` is an attribute. */
  readonly inner: InputMappings;
  /** Where it stands, from the keys of the service on. */
  readonly path: readonly string[];
}

export type InputMappings = ReadonlyMap<string, InputMapping>;

/** The mapping of one request: its arguments and its header blocks. */
export interface RequestMapping {
  readonly arguments: InputMappings;
  readonly headers: InputMappings;
}

/** One entry as the configuration has it, by a path of XML names: `Order/Customer/@id`. */
export interface InputEntry {
  readonly name?: string;
  readonly value?: string;
  readonly header?: string;
  readonly claim?: string;
}

interface Node {
  name: string | null;
  source: EncodeSource | null;
  readonly inner: Map<string, Node>;
  path: readonly string[];
}

/** Entries as the tree that their paths describe. `path` leads to them from the keys of the service. */
export function inputMappings(entries: Readonly<Record<string, InputEntry>>, path: readonly string[]): InputMappings {
  const root = new Map<string, Node>();
  for (const [key, { name, value, header, claim }] of Object.entries(entries)) {
    let level = root;
    let node: Node | null = null;
    for (const step of key.split('/')) {
      node = level.get(step) ?? { name: null, source: null, inner: new Map(), path: [...path, key] };
      level.set(step, node);
      level = node.inner;
    }
    if (node === null) continue;
    node.name = name ?? null;
    node.path = [...path, key];
    if (value !== undefined) node.source = { from: 'constant', lexical: value };
    else if (header !== undefined) node.source = { from: 'header', header: header.toLowerCase() };
    else if (claim !== undefined) node.source = { from: 'claim', claim };
  }
  return root;
}

export const NO_MAPPINGS: InputMappings = new Map();

/** Whether something in there comes from elsewhere than from the caller. */
export const hasSource = ({ source, inner }: InputMapping): boolean =>
  source !== null || [...inner.values()].some((each) => hasSource(each));

/** Reports mappings of unknown members. */
export function refuseUnknown(
  mappings: InputMappings,
  known: readonly string[],
  { names, service }: { readonly names: TypeNames; readonly service: string },
): void {
  for (const [key, { path }] of mappings) {
    if (known.includes(key)) continue;
    const remedy = known.length === 0 ? 'The message has nothing of the kind.' : null;
    names.findings.push({ service, path, what: `There is no \`${key}\` to map.`, remedy, among: known, written: key });
  }
}
