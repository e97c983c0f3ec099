import { attributeOf, type XmlNode } from '../documents/tree.js';
import type { ComplexType } from '../model.js';
import type { SchemaUnit } from './components.js';

type Derivation = NonNullable<ComplexType['derivation']>;

/** The ways of derivation that `block` excludes, or `blockDefault` of the schema (XSD 1.0 part 1 sections 3.3.2 and 3.4.2). */
export function blockedBy(node: XmlNode, { node: schema }: SchemaUnit): readonly Derivation[] {
  const words = wordsOf(node, schema);
  return DERIVATIONS.filter((derivation) => words.includes(derivation) || words.includes('#all'));
}

/** Whether the same say that nothing may stand in the place of an element (XSD 1.0 part 1 section 3.3.6). */
export function blocksSubstitution(node: XmlNode, { node: schema }: SchemaUnit): boolean {
  const words = wordsOf(node, schema);
  return words.includes('substitution') || words.includes('#all');
}

const wordsOf = (node: XmlNode, schema: XmlNode): readonly string[] =>
  (attributeOf(node, 'block') ?? attributeOf(schema, 'blockDefault') ?? '').split(/[ \t\r\n]+/);

const DERIVATIONS: readonly Derivation[] = ['extension', 'restriction'];
