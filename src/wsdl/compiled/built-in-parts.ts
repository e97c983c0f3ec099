import { isBuiltInNamespace, SOAP_ENCODINGS, XOP, XSD } from '../documents/namespaces.js';
import { ANYTHING, NO_FACETS } from '../model.js';
import {
  ANY_SIMPLE,
  ANY_TYPE,
  BASE64,
  builtInElement,
  builtInSimple,
  builtInType,
  INCLUDED,
  STRING,
} from '../xsd/builtin.js';

/**
 * Built-in components by name: a packed model refers to them, for some are compared by identity.
 */
const COMPONENTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['anything', ANYTHING],
  ['no facets', NO_FACETS],
  ['any type', ANY_TYPE],
  ['any simple type', ANY_SIMPLE],
  ['string', STRING],
  ['base64', BASE64],
  ['included', INCLUDED],
  ['schema element', builtInElement({ uri: XSD, local: 'schema' })],
  ['include element', builtInElement({ uri: XOP, local: 'Include' })],
  ...SOAP_ENCODINGS.flatMap((uri) =>
    ['Array', 'Struct'].map(
      (local) => [`${local} of ${uri}`, builtInType({ uri, local })] as const,
    ),
  ),
]);

/** The components, and the objects within them, by name. */
const PARTS: ReadonlyMap<string, object> = partsOf(COMPONENTS);
const NAMES: ReadonlyMap<object, string> = new Map([...PARTS].map(([name, part]) => [part, name]));

function partsOf(components: ReadonlyMap<string, unknown>): ReadonlyMap<string, object> {
  const parts = new Map<string, object>();
  const named = new Set<object>();
  const queue = [...components];
  for (const [name, value] of queue) {
    if (typeof value !== 'object' || value === null || named.has(value)) continue;
    named.add(value);
    parts.set(name, value);
    for (const [key, inner] of Object.entries(value)) {
      queue.push([`${name}.${key}`, inner]);
    }
  }
  return parts;
}

/** Before the name of a simple type. */
const TYPE = 'type ';

/** The name of a built-in component, or of an object within one; null for any other object. */
export function builtInName(value: object): string | null {
  const known = NAMES.get(value);
  if (known !== undefined) return known;
  if (!('builtIn' in value && 'name' in value)) return null;
  const { name } = value;
  if (typeof name !== 'object' || name === null || !('uri' in name && 'local' in name)) return null;
  const { uri, local } = name;
  if (typeof uri !== 'string' || typeof local !== 'string') return null;
  return simpleType(uri, local) === value ? `${TYPE}${uri} ${local}` : null;
}

/** The component, or the object within one, with this name; null where there is none. */
export function builtInNamed(name: string): object | null {
  if (!name.startsWith(TYPE)) return PARTS.get(name) ?? null;
  const space = name.lastIndexOf(' ');
  return simpleType(name.slice(TYPE.length, space), name.slice(space + 1));
}

const simpleType = (uri: string, local: string): object | null =>
  isBuiltInNamespace(uri) ? builtInSimple({ uri, local }) : null;
