import { SOAP_ENCODINGS, WSDL, XSD } from '../documents/namespaces.js';
import { attributeOf, childrenOf } from '../documents/tree.js';
import type { Content, Particle, XsdType } from '../model.js';
import { opaqueType } from './builtin.js';
import type { SchemaContext } from './schema-context.js';
import { type Component, nameIn } from './schema-unit.js';

type ArrayContent = Extract<Content, { readonly kind: 'array' }>;

/** Arrays of arrays of arrays: more levels or dimensions than any stack writes are cut. */
const MOST = 16;

/**
 * The content of a type derived from `soapenc:Array`. It names its items with `wsdl:arrayType` (WSDL 1.1 section 2.2),
 * with `itemType` and `arraySize` (SOAP 1.2 part 2 section 3.1.4), or by the element of its content model.
 */
export function arrayContent(
  { node, unit }: Component,
  base: ArrayContent,
  particle: Particle | null,
  context: SchemaContext,
): ArrayContent {
  let item: XsdType | null = null;
  let dimensions: number | null = null;
  for (const attribute of childrenOf(node, XSD, 'attribute')) {
    const arrayType = attribute.attributes.get(`{${WSDL}}arrayType`)?.trim();
    if (arrayType !== undefined) {
      const [name = '', ...ranks] = arrayType.split('[', MOST);
      const sizes = ranks.map((rank) => Math.min(MOST, rank.split(',').length));
      item = context.typeNamed(attribute, name.trim(), unit);
      for (const inner of sizes.slice(0, -1)) item = arrayOf({ kind: 'array', item, dimensions: inner });
      return { kind: 'array', item, dimensions: sizes.at(-1) ?? 1 };
    }
    const itemType = writtenValue({ node: attribute, unit }, 'itemType');
    if (itemType !== null) item = context.typeNamed(attribute, itemType, unit);
    const size = writtenValue({ node: attribute, unit }, 'arraySize');
    if (size !== null) dimensions = Math.min(MOST, size.split(/\s+/).length);
  }
  item ??= firstElement(particle) ?? base.item;
  return { kind: 'array', item, dimensions: dimensions ?? base.dimensions };
}

const arrayOf = (content: ArrayContent): XsdType => ({ ...opaqueType(null), content });

/** The value of an attribute of the encoding: by `wsdl:` annotation, or its fixed or default value. */
function writtenValue({ node, unit }: Component, local: 'itemType' | 'arraySize'): string | null {
  const annotated = node.attributes.get(`{${WSDL}}${local}`)?.trim();
  if (annotated !== undefined) return annotated;
  const ref = attributeOf(node, 'ref');
  const name = ref === null ? null : nameIn(node, ref, unit);
  if (name === null || name.local !== local || !SOAP_ENCODINGS.includes(name.uri)) return null;
  return attributeOf(node, 'fixed') ?? attributeOf(node, 'default');
}

function firstElement(root: Particle | null): XsdType | null {
  let at = root ?? undefined;
  while (at !== undefined && at.kind !== 'one') at = at.kind === 'any' ? undefined : at.particles[0];
  return at?.element.type ?? null;
}
