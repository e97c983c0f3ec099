import type { Diagnostic } from '../../base/diagnostic.js';
import type { QName } from '../../xml/events.js';
import { isBuiltInNamespace } from '../documents/namespaces.js';
import { diagnosticAt, type XmlNode } from '../documents/tree.js';
import { typeKey } from '../model.js';
import type { SchemaComponents } from './components.js';

/**
 * A diagnostic for a name that nothing declares. Those of a namespace without any schema have one cause: its document was
 * not read, or no import names it.
 */
export function undeclaredAt(
  node: XmlNode,
  what: string,
  name: QName | null,
  components: SchemaComponents,
): Diagnostic {
  const isRead = name === null || components.targets.has(name.uri) || isBuiltInNamespace(name.uri);
  const inNone = name === null ? '' : typeKey({ uri: '', local: name.local });
  if (components.types.has(inNone) || components.elements.has(inNone)) {
    return diagnosticAt(node, what, 'A schema without targetNamespace declares it: give that schema one.');
  }
  if (isRead) return diagnosticAt(node, what);
  const cause = `No schema of the namespace ${name.uri} was read: its names are not declared.`;
  const remedy = 'Import its document with a location that can be read.';
  return { ...diagnosticAt(node, what, remedy), cause };
}
