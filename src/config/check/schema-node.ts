import { isRecord, type LimitTable } from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';
import { CONFIG_SCHEMA } from '../schema.js';

/**
 * One node of the configuration's JSON Schema, as far as we use the language, with our own
 * keywords.
 */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean;
  readonly items?: SchemaNode;
  /** A map whose keys depend on its `kind`: those of `then` for this one, of `else` for others. */
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** Ours: the content of a file becomes base64. */
  readonly binary?: boolean;
  /** Ours: the unit of a number. */
  readonly unit?: LimitTable[string]['unit'];
  /** Ours: the help when the value is refused. */
  readonly hint?: string;
  /** Ours: the form of the keys of a map. */
  readonly names?: string;
  /** Ours: a default that follows from other keys, in words. */
  readonly derived?: string;
  /** Ours: the section whose keys are repeated here, so that the reference need not. */
  readonly like?: string;
  /** Ours: a key that is checked, and left out of what is published. */
  readonly internal?: boolean;
  /** Ours: the value is XML. Values of the environment in it are escaped. */
  readonly markup?: boolean;
}

/** Our keywords, which other readers of JSON Schema do not know. */
export const OWN_KEYWORDS = [
  'binary',
  'unit',
  'hint',
  'names',
  'derived',
  'like',
  'internal',
  'markup',
] as const;

/**
 * The table of keys as plain data. A key with a default is not required of the operator, although
 * the finished configuration always has it.
 */
export function configSchema(): SchemaNode {
  made ??= mapNodes(JSON.parse(JSON.stringify(CONFIG_SCHEMA)), withoutDefaulted);
  return made;
}

/** The table of keys as it is published. A map of which nothing is published takes any keys. */
export const publicSchema = (): SchemaNode =>
  mapNodes(configSchema(), (node) => {
    const keys = Object.entries(node.properties ?? {});
    const shown = keys.filter(([, child]) => child.internal !== true);
    if (shown.length === keys.length) return node;
    const { properties: _, additionalProperties: __, ...rest } = node;
    return shown.length === 0 ? rest : { ...node, properties: Object.fromEntries(shown) };
  });

let made: SchemaNode | null = null;

/** Rebuilds a schema, children first. */
export function mapNodes(node: SchemaNode, change: (node: SchemaNode) => SchemaNode): SchemaNode {
  const children = (nodes: Readonly<Record<string, SchemaNode>>) =>
    Object.fromEntries(
      Object.entries(nodes).map(([name, child]) => [name, mapNodes(child, change)]),
    );
  return change({
    ...node,
    ...(node.properties && { properties: children(node.properties) }),
    ...(node.patternProperties && { patternProperties: children(node.patternProperties) }),
    ...(node.items && { items: mapNodes(node.items, change) }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...(node.then && { then: mapNodes(node.then, change) }),
    ...(node.else && { else: mapNodes(node.else, change) }),
  });
}

/** The types a node permits. */
export function typesOf(node: SchemaNode): readonly string[] {
  if (node.type === undefined) return [];
  return typeof node.type === 'string' ? [node.type] : node.type;
}

/** The node of one key of a map, or null when the map has no such key. */
export function childNode(node: SchemaNode, key: string): SchemaNode | null {
  if (node.properties !== undefined && Object.hasOwn(node.properties, key)) {
    return node.properties[key] ?? null;
  }
  for (const [pattern, child] of Object.entries(node.patternProperties ?? {})) {
    if (new RegExp(pattern, 'u').test(key)) return child;
  }
  return null;
}

/**
 * The sections around a path that the table of keys has, without entries whose names are the
 * operator's.
 */
export function sectionsAround(path: ConfigPath): readonly ConfigPath[] {
  const sections: ConfigPath[] = [];
  let node = configSchema();
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const branches = [node, node.then, node.else].filter((each) => each !== undefined);
    const declared = branches.flatMap(({ properties }) => properties?.[key] ?? [])[0];
    if (declared !== undefined) {
      sections.push(path.slice(0, depth + 1));
    }
    const entry = branches.flatMap((each) => childNode(each, String(key)) ?? [])[0];
    node = declared ?? (typeof key === 'number' ? node.items : entry) ?? {};
  }
  return sections;
}

/** The node that holds for this data, where it depends on the data. */
export function branchOf(node: SchemaNode, data: unknown): SchemaNode {
  if (node.if === undefined) return node;
  const [name = '', condition] = Object.entries(node.if.properties ?? {})[0] ?? [];
  const isThen = isRecord(data) && data[name] === condition?.const;
  return (isThen ? node.then : node.else) ?? node;
}

/** The value at a JSON pointer, and the node that holds for it. */
export function nodeAt(
  root: SchemaNode,
  data: unknown,
  pointer: string,
): { readonly node: SchemaNode; readonly value: unknown } {
  let value = data;
  let node = branchOf(root, data);
  for (const step of pointerSteps(pointer)) {
    const child = Array.isArray(value) ? node.items : childNode(node, step);
    value = isRecord(value) || Array.isArray(value) ? Reflect.get(value, step) : undefined;
    node = branchOf(child ?? {}, value);
  }
  return { node, value };
}

/** The steps of a JSON pointer (RFC 6901). */
export const pointerSteps = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function withoutDefaulted(node: SchemaNode): SchemaNode {
  if (node.required === undefined) return node;
  const { required, ...rest } = node;
  const left = required.filter((key) => {
    const child = node.properties?.[key];
    return child?.default === undefined && child?.derived === undefined;
  });
  return left.length === 0 ? rest : { ...rest, required: left };
}
