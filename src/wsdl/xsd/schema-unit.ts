import type { QName } from '../../xml/index.js';
import { attributeOf, qNameAt, type XmlNode } from '../documents/xml-tree.js';

/**
 * One `xs:schema` as seen from where it is used: an included schema without target takes that of
 * its includer.
 */
export interface SchemaUnit {
  readonly node: XmlNode;
  readonly target: string;
  /**
   * Namespaces whose names refer to the target namespace: no namespace, in a schema that got its
   * target from its includer. Also namespaces without declarations into which names fall that lack
   * their prefix.
   */
  readonly adopted: readonly string[];
}

/** A global declaration or definition, not read yet. */
export interface Component {
  readonly node: XmlNode;
  readonly unit: SchemaUnit;
}

/** Resolves a QName in a schema, or returns null when its prefix is not declared. */
export function nameInUnit(node: XmlNode, value: string, unit: SchemaUnit): QName | null {
  const name = qNameAt(node, value);
  return name !== null && unit.adopted.includes(name.uri)
    ? { uri: unit.target, local: name.local }
    : name;
}

/** Whether a local declaration stands in the target namespace on the wire. */
export function isQualified(
  node: XmlNode,
  unit: SchemaUnit,
  setting: 'elementFormDefault' | 'attributeFormDefault',
): boolean {
  return (attributeOf(node, 'form') ?? attributeOf(unit.node, setting)) === 'qualified';
}
