import { attributeOf, type XmlNode } from '../documents/tree.js';
import type { ComplexType } from '../model.js';
import type { SchemaUnit } from './components.js';

type Derivation = NonNullable<ComplexType['derivation']>;

/** The ways of derivation that `block` excludes, or `blockDefault` of the schema (XSD 1.0 part 1 sections 3.3.2 and 3.4.2). */
export function blockedBy(node: XmlNode, { node: schema }: SchemaUnit): readonly Derivation[] {
  const words = (attributeOf(node, 'block') ?? attributeOf(schema, 'blockDefault') ?? '').split(/[ \t\r\n]+/);
  return DERIVATIONS.filter((derivation) => words.includes(derivation) || words.includes('#all'));
}

const DERIVATIONS: readonly Derivation[] = ['extension', 'restriction'];
