import type { QName } from '../../xml/index.js';
import { isBuiltInNamespace, XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import type { XmlNode } from '../documents/xml-tree.js';
import { typeKey } from '../model.js';
import { builtInType } from './builtin.js';
import type { SchemaComponents } from './components.js';
import { nameInUnit, type SchemaUnit } from './schema-unit.js';

/** Names with the prefixes that authors use for XML Schema. */
const OF_XSD = /^(?:xsd?|s|schema):/i;

/**
 * The name of a type or element that `value` means. One whose prefix is missing or not declared is
 * of the schema's own namespace, or built in, where that declares it.
 */
export function nameMeant(
  node: XmlNode,
  value: string,
  unit: SchemaUnit,
  kind: 'types' | 'elements',
  { components, warnings }: { components: SchemaComponents; warnings: Warnings },
): QName | null {
  const table = components[kind];
  const name = nameInUnit(node, value, unit);
  const isPrefixed = value.includes(':');
  if (name !== null && (isPrefixed || isBuiltInNamespace(name.uri) || table.has(typeKey(name)))) {
    return name;
  }
  const local = value.slice(value.indexOf(':') + 1);
  const own = { uri: unit.target, local };
  const builtIn = { uri: XSD, local };
  const isOwn = table.has(typeKey(own));
  const isType = kind === 'types' && (!isPrefixed || OF_XSD.test(value));
  if (!isOwn && (!isType || builtInType(builtIn) === null)) return name;
  const meant = isOwn ? 'the declaration of its own schema' : 'the built-in type';
  const why = name === null ? 'uses a prefix that is not declared' : 'is not declared';
  warnings.addAt(node, `${value} ${why}; ${meant} of that name is taken.`);
  return isOwn ? own : builtIn;
}
