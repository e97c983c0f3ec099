import { XSD } from '../documents/namespaces.js';
import {
  attributeOf,
  childOf,
  diagnosticAtNode,
  documentationIn,
  nameOfNode,
  type XmlNode,
} from '../documents/xml-tree.js';
import { type ElementDeclaration, typeKey, type XsdType } from '../model.js';
import { blockedBy } from './blocked.js';
import { ANY_TYPE, opaqueType } from './builtin.js';
import { isTrue, type SchemaContext } from './schema-context.js';
import { type Component, isQualified, nameInUnit, type SchemaUnit } from './schema-unit.js';

/**
 * Reads an `xs:element` that has a name: a global one, or a local one in the form that its schema
 * gives it.
 */
export function readElement(
  { node, unit }: Component,
  scope: 'global' | 'local',
  context: SchemaContext,
): ElementDeclaration {
  const uri =
    scope === 'global' || isQualified(node, unit, 'elementFormDefault') ? unit.target : '';
  return {
    kind: 'element',
    name: { uri, local: nameOfNode(node) },
    type: typeOf(node, unit, context),
    nillable: isTrue(attributeOf(node, 'nillable')),
    default: node.attributes.get('default') ?? null,
    fixed: node.attributes.get('fixed') ?? null,
    abstract: isTrue(attributeOf(node, 'abstract')),
    blocked: blockedBy(node, unit),
    constraints: context.identity.of({ node, unit }),
    documentation: documentationIn(childOf(node, XSD, 'annotation'), XSD),
  };
}

function typeOf(node: XmlNode, unit: SchemaUnit, context: SchemaContext): XsdType {
  return ownType(node, unit, context) ?? typeOfHead(node, unit, context) ?? ANY_TYPE;
}

function ownType(node: XmlNode, unit: SchemaUnit, context: SchemaContext): XsdType | null {
  const named = attributeOf(node, 'type');
  if (named !== null) return context.typeNamed(node, named, unit);
  const complex = childOf(node, XSD, 'complexType');
  if (complex !== null) return context.typeInside(complex, unit);
  const simple = childOf(node, XSD, 'simpleType');
  return simple === null ? null : context.simple.inline(simple, unit);
}

const CHAIN = 100;

/**
 * A member of a substitution group without a type of its own has that of the head (XSD part 1
 * section 3.3.2).
 */
function typeOfHead(node: XmlNode, unit: SchemaUnit, context: SchemaContext): XsdType | null {
  let at: Component = { node, unit };
  for (let step = 0; step < CHAIN; step++) {
    const head = attributeOf(at.node, 'substitutionGroup');
    if (head === null) return null;
    const name = nameInUnit(at.node, head, at.unit);
    const found = name === null ? undefined : context.components.elements.get(typeKey(name));
    if (found === undefined) {
      const type = opaqueType(null);
      const what =
        `The head ${head} of the substitution group is not declared; ` +
        'the element is kept as XML.';
      context.approximate(type, diagnosticAtNode(at.node, what));
      return type;
    }
    const type = ownType(found.node, found.unit, context);
    if (type !== null) return type;
    at = found;
  }
  return null;
}
