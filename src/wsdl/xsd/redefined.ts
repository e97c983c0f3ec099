import type { QName } from '../../xml/events.js';
import { XSD } from '../documents/namespaces.js';
import { attributeOf, type XmlNode } from '../documents/tree.js';
import type { SchemaComponents } from './components.js';
import type { Component, SchemaUnit } from './schema-unit.js';

const BETWEEN: ReadonlySet<string> = new Set(['simpleContent', 'complexContent']);

/**
 * Inside `xs:redefine` a type is derived from its own name: that is the one it replaces. `step` is an `extension` or
 * `restriction`; anywhere else in the type its name means the new one, as a recursive type needs it.
 */
export function redefinedBase(
  step: XmlNode,
  name: QName,
  unit: SchemaUnit,
  components: SchemaComponents,
): Component | undefined {
  if (step.uri !== XSD || (step.local !== 'restriction' && step.local !== 'extension')) return undefined;
  const parent = step.parent !== null && BETWEEN.has(step.parent.local) ? step.parent.parent : step.parent;
  const original = parent === null ? undefined : components.redefined.get({ node: parent, unit });
  if (parent === null || original === undefined) return undefined;
  return name.local === attributeOf(parent, 'name') && name.uri === unit.target ? original : undefined;
}
