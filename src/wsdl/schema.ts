import type { Problem } from '../base/problem.js';
import { readAttributes } from './attributes.js';
import { ANY_TYPE, builtInSimple, opaqueType } from './builtin.js';
import { fillComplexType } from './complex.js';
import { type Component, nameIn, type SchemaComponents, type SchemaUnit } from './components.js';
import { readElement } from './elements.js';
import { type ComplexType, type ElementDeclaration, typeKey, type XsdType } from './model.js';
import { isBuiltInNamespace, XSD } from './namespaces.js';
import type { Notices } from './notices.js';
import { readParticles } from './particles.js';
import type { OpenComplexType, SchemaReading } from './schema-reading.js';
import { readSimpleTypes, redefinedBase } from './simple.js';
import { problemAt, type XmlNode } from './tree.js';

/** The schemas, read: every named type and global element, and what had to be approximated. */
export interface Schema {
  readonly types: ReadonlyMap<string, XsdType>;
  readonly elements: ReadonlyMap<string, ElementDeclaration>;
  /** Types that are opaque or approximated, with the reasons. */
  readonly approximated: ReadonlyMap<XsdType, readonly Problem[]>;
  /** The type a QName outside of any schema names (a message part); opaque when there is none. */
  typeNamed(node: XmlNode, value: string): XsdType;
}

interface Shell {
  readonly type: OpenComplexType;
  readonly component: Component;
  state: 'empty' | 'open' | 'done';
}

const CHAIN = 100;

/** Reads all components. Nothing that is wrong in a schema throws: it is a notice and an approximation. */
export function readSchema(components: SchemaComponents, notices: Notices): Schema {
  const shells: Shell[] = [];
  const shellOf = new Map<ComplexType, Shell>();
  const named = new Map<string, XsdType>();
  const inside = new Map<XmlNode, Map<string, ComplexType>>();
  const elements = new Map<string, ElementDeclaration>();
  const approximated = new Map<XsdType, Problem[]>();
  let depth = 0;

  function shellFor(component: Component, name: ComplexType['name']): OpenComplexType {
    const type: OpenComplexType = { ...opaqueType(name), content: { kind: 'empty' }, derived: [] };
    const shell: Shell = { type, component, state: 'empty' };
    shells.push(shell);
    shellOf.set(type, shell);
    return type;
  }

  function shellAt(component: Component): ComplexType {
    const byTarget = inside.get(component.node) ?? new Map<string, ComplexType>();
    inside.set(component.node, byTarget);
    const type = byTarget.get(component.unit.target) ?? shellFor(component, null);
    byTarget.set(component.unit.target, type);
    return type;
  }

  function typeWithName(name: { uri: string; local: string }): XsdType | null {
    const key = typeKey(name);
    const known = named.get(key);
    if (known !== undefined) return known;
    const component = components.types.get(key);
    if (component === undefined) return null;
    const type = component.node.local === 'complexType' ? shellFor(component, name) : simple.named(name);
    if (type !== null) named.set(key, type);
    return type;
  }

  function typeNamed(node: XmlNode, value: string, unit: SchemaUnit): XsdType {
    const name = nameIn(node, value, unit);
    if (name === null) return unknownType(node, value, `!${value}`, 'uses a prefix that is not declared');
    if (isBuiltInNamespace(name.uri)) {
      if (name.uri === XSD && name.local === 'anyType') return ANY_TYPE;
      return builtInSimple(name) ?? unknownType(node, value, typeKey(name), 'has no meaning in literal messages');
    }
    const original = redefinedBase(node, name, unit, components);
    if (original !== undefined) {
      return original.node.local === 'complexType' ? shellAt(original) : simple.inline(original.node, original.unit);
    }
    return typeWithName(name) ?? unknownType(node, value, typeKey(name), 'is not declared');
  }

  const unknown = new Map<string, ComplexType>();
  function unknownType(node: XmlNode, value: string, key: string, why: string): ComplexType {
    const known = unknown.get(key);
    if (known !== undefined) return known;
    const type = opaqueType(null);
    unknown.set(key, type);
    approximate(type, problemAt(node, `The type ${value} ${why}; it is kept as XML.`));
    return type;
  }

  function approximate(type: XsdType, problem: Problem): void {
    const problems = approximated.get(type);
    if (problems === undefined) approximated.set(type, [problem]);
    else problems.push(problem);
    notices.add(problem);
  }

  function element(key: string): ElementDeclaration | null {
    const known = elements.get(key);
    if (known !== undefined) return known;
    const component = components.elements.get(key);
    if (component === undefined) return null;
    const read = readElement(component, 'global', reading);
    elements.set(key, read);
    return read;
  }

  function fill(type: ComplexType): boolean {
    const shell = shellOf.get(type);
    if (shell === undefined || shell.state === 'done') return true;
    if (shell.state === 'open' || depth >= CHAIN) return false;
    shell.state = 'open';
    depth++;
    fillComplexType(shell.type, shell.component, { reading, attributes, particles });
    depth--;
    shell.state = 'done';
    return true;
  }

  const simple = readSimpleTypes(components, notices);
  const typeInside = (node: XmlNode, unit: SchemaUnit): ComplexType => shellAt({ node, unit });
  const reading: SchemaReading = { components, simple, notices, typeNamed, typeInside, element, fill, approximate };
  const attributes = readAttributes(reading);
  const particles = readParticles(reading);
  const drain = (): void => {
    for (let at = 0; at < shells.length; at++) {
      const shell = shells[at];
      if (shell !== undefined) fill(shell.type);
    }
  };

  for (const { node, unit } of components.types.values()) {
    typeWithName({ uri: unit.target, local: node.attributes.get('name')?.trim() ?? '' });
  }
  for (const key of components.elements.keys()) element(key);
  drain();
  for (const { type } of shells)
    shellOf.get(type.base ?? type)?.type.derived.push(...(type.base === null ? [] : [type]));
  const outside = (node: XmlNode): SchemaUnit => ({ node, target: '', chameleon: false });
  return {
    types: named,
    elements,
    approximated,
    typeNamed: (node, value) => typeNamed(node, value, outside(node)),
  };
}
