import type { ConfigPath } from '../keys/config-path.js';
import { printAmount } from '../keys/units.js';
import { FORM_EXAMPLES } from './form-examples.js';
import { type SchemaNode, typesOf } from './schema-node.js';

const DEPTH_MAX = 2;
const SHARE = 0.1;

/** A key with a value in the right form, as YAML; null where nothing can be shown. */
export function shapeExample(path: ConfigPath, node: SchemaNode): string | null {
  const key = path.at(-1);
  if (typeof key !== 'string') return null;
  const value = namedExample(key, path, node) ?? exampleValue(path, node);
  return value === null ? null : `${key}: ${value}`;
}

/** The names of maps are the operator's: an entry is shown as one of its kind. */
function namedExample(key: string, path: ConfigPath, node: SchemaNode): string | null {
  const owner = path.at(-2);
  if (owner === 'services') return FORM_EXAMPLES['orders'] ?? null;
  if (owner === 'operations') return '{ field: Query.order }';
  // Groups of limits are called like the keys that they limit.
  if (path[0] === 'limits') return null;
  // Names of entries are left out: `subscriptions.on` is of each subscription.
  const owners = path.slice(0, -1).toReversed();
  const names = [...owners.map((each) => `${String(each)}.${key}`), key];
  const known = names.flatMap((name) =>
    Object.hasOwn(FORM_EXAMPLES, name) ? (FORM_EXAMPLES[name] ?? []) : [],
  );
  return known.find((example) => typesOf(node).includes(formOf(example))) ?? null;
}

const formOf = (example: string): string =>
  example.startsWith('{') ? 'object' : example.startsWith('[') ? 'array' : 'string';

function exampleValue(path: ConfigPath, node: SchemaNode, depth = 0): string | null {
  const [type] = typesOf(node).filter((each) => each !== 'null');
  if (node.enum !== undefined) return String(node.enum[0]);
  switch (type) {
    case 'boolean':
      return 'true';
    case 'integer':
    case 'number': {
      // A share is between none and all.
      const usual = typeof node.default === 'number' ? node.default : (node.minimum ?? 1);
      const amount = type === 'number' && node.maximum === 1 ? SHARE : usual;
      return printAmount(amount, node.unit ?? 'count').replaceAll(',', '');
    }
    case 'string':
      return typeof node.default === 'string' ? quoted(node.default) : null;
    case 'array': {
      const item = node.items === undefined ? null : exampleValue(path, node.items, depth + 1);
      return item === null ? null : `[${item}]`;
    }
    case 'object':
      return depth < DEPTH_MAX ? mapOf(path, node, depth) : null;
    default:
      return null;
  }
}

/** A text as YAML reads it as one. */
const quoted = (text: string): string =>
  /^[\w/.][^#{}[\],]*$/.test(text) && !/:(?: |$)/.test(text) ? text : JSON.stringify(text);

/** The first key that can be shown, and all that must be there. */
function mapOf(path: ConfigPath, node: SchemaNode, depth: number): string | null {
  const keys = Object.entries((node.else ?? node).properties ?? {});
  const required = new Set(node.required);
  const shown: string[] = [];
  for (const [key, child] of keys) {
    if (required.size > 0 && !required.has(key)) continue;
    const at = [...path, key];
    const value = namedExample(key, at, child) ?? exampleValue(at, child, depth + 1);
    if (value === null && required.has(key)) return null;
    if (value === null) continue;
    shown.push(`${key}: ${value}`);
    if (required.size === 0) break;
  }
  return shown.length === 0 ? null : `{ ${shown.join(', ')} }`;
}
