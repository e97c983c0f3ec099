import type { requestPlans } from '../../../codec/index.js';
import type { QName } from '../../../xml/index.js';
import {
  type InputEntry,
  type InputMapping,
  type InputMappings,
  inputMappings,
  NO_MAPPINGS,
  sourceOf,
  stepsOf,
} from './input-mapping.js';

/** The mapping of one header block. */
export interface BlockMapping {
  /** Namespace null: a block that the WSDL declares. */
  readonly name: { readonly uri: string | null; readonly local: string };
  /** Null: the block is left out. */
  readonly content: InputMapping | BlockTemplate | null;
  readonly path: readonly string[];
}

/** A block as XML with values in it. */
export interface BlockTemplate {
  readonly xml: string;
  readonly values: ReadonlyMap<
    string,
    { readonly source: requestPlans.EncodeSource; readonly isRequired: boolean }
  >;
  readonly path: readonly string[];
}

export const isTemplate = (content: InputMapping | BlockTemplate): content is BlockTemplate =>
  'xml' in content;

/**
 * Maps `{namespace}Name`, or the name alone of a block that the WSDL declares, to the mapping of
 * the block.
 */
export type BlockMappings = ReadonlyMap<string, BlockMapping>;

/** The mapping of one request: its arguments and its header blocks. */
export interface RequestMapping {
  readonly arguments: InputMappings;
  readonly headers: BlockMappings;
}

export const NO_BLOCKS: BlockMappings = new Map();

/** One entry as the configuration has it, by a path whose first step is the block. */
export interface BlockEntry extends InputEntry {
  readonly xml?: string;
  readonly values?: Readonly<Record<string, InputEntry>>;
}

/** Entries by block. `path` leads to them from the keys of the service. */
export function blockMappings(
  entries: Readonly<Record<string, BlockEntry | boolean>>,
  path: readonly string[],
): BlockMappings {
  const blocks = new Map<string, BlockMapping>();
  const values: Record<string, InputEntry> = Object.create(null);
  for (const [key, entry] of Object.entries(entries)) {
    if (typeof entry === 'boolean') {
      blocks.set(key, { name: nameOf(key), content: null, path: [...path, key] });
    } else if (entry.xml === undefined) {
      values[key] = entry;
    } else {
      blocks.set(key, {
        name: nameOf(key),
        content: template(entry.xml, entry, [...path, key]),
        path: [...path, key],
      });
    }
  }
  for (const [key, content] of inputMappings(values, path)) {
    if (!blocks.has(key)) {
      blocks.set(key, { name: nameOf(key), content, path: content.path });
    }
  }
  const inOrder = new Set(Object.keys(entries).map((key) => stepsOf(key)[0] ?? key));
  return new Map(
    [...inOrder].flatMap((key) => {
      const block = blocks.get(key);
      return block === undefined ? [] : [[key, block] as const];
    }),
  );
}

function template(
  xml: string,
  { values = {} }: BlockEntry,
  path: readonly string[],
): BlockTemplate {
  const slots = Object.entries(values).flatMap(([name, entry]) => {
    const source = sourceOf(entry);
    return source === null
      ? []
      : [[name, { source, isRequired: entry.required === true }] as const];
  });
  return { xml, values: new Map(slots), path };
}

/** `{namespace}name` in its parts; without a namespace, `otherwise`. */
export function stepName<T extends string | null>(
  step: string,
  otherwise: T,
): { readonly uri: string | T; readonly local: string } {
  const end = step.indexOf('}');
  return end === -1
    ? { uri: otherwise, local: step }
    : { uri: step.slice(step.indexOf('{') + 1, end), local: step.slice(end + 1) };
}

const nameOf = (step: string) => stepName(step, null);

/**
 * The mapping of a block that the WSDL declares: of the operation, by either name, before that of
 * the service.
 */
export function blockFor(
  { uri, local }: QName,
  own: BlockMappings,
  common: BlockMappings,
): BlockMapping | null {
  const key = `{${uri}}${local}`;
  return merged(own.get(key) ?? own.get(local) ?? null, common.get(key) ?? null);
}

/**
 * The mapping of a block: single paths of an operation go before those of its service, a template
 * before all.
 */
export function merged(own: BlockMapping | null, common: BlockMapping | null): BlockMapping | null {
  if (own === null || common === null) return own ?? common;
  if (own.content === null || common.content === null) return own;
  if (isTemplate(own.content) || isTemplate(common.content)) return own;
  return { ...own, content: mergedContent(own.content, common.content) };
}

/** As deep as paths may be. */
function mergedContent(own: InputMapping, common: InputMapping): InputMapping {
  const inner = new Map(common.inner);
  for (const [step, mapping] of own.inner) {
    const known = inner.get(step);
    inner.set(step, known === undefined ? mapping : mergedContent(mapping, known));
  }
  const isOwn = own.source !== null;
  const { source, isRequired } = isOwn ? own : common;
  return {
    name: own.name ?? common.name,
    convert: null,
    lift: null,
    moved: null,
    source,
    isRequired,
    inner,
    path: isOwn ? own.path : common.path,
  };
}

/**
 * The mapping of a block that the WSDL declares: its steps by local name alone, as types are
 * mapped.
 */
export const declaredMapping = (
  local: string,
  content: InputMapping | BlockTemplate | null,
): InputMappings =>
  content === null || isTemplate(content)
    ? NO_MAPPINGS
    : withoutNamespaces(new Map([[local, content]]));

function withoutNamespaces(mappings: InputMappings): InputMappings {
  if (mappings.size === 0) return NO_MAPPINGS;
  return new Map(
    [...mappings].map(([step, mapping]) => [
      `${step.startsWith('@') ? '@' : ''}${stepName(step.replace(/^@/, ''), null).local}`,
      { ...mapping, inner: withoutNamespaces(mapping.inner) },
    ]),
  );
}
