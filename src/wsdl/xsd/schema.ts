import type { Diagnostic, Steps } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import { isBuiltInNamespace } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import { attributeOf, nameOfNode, type XmlNode } from '../documents/xml-tree.js';
import {
  type AttributeDeclaration,
  type ComplexType,
  type ElementDeclaration,
  typeKey,
  type XsdType,
} from '../model.js';
import { globalAttribute } from './attributes.js';
import { builtInElement, builtInType, opaqueType } from './builtin.js';
import { ComplexTypeReader, derivationOf } from './complex.js';
import { ComponentMap } from './component-map.js';
import { redefinedBase, type SchemaComponents, undeclaredAt } from './components.js';
import { readElement } from './elements.js';
import { IdentityReader } from './identity.js';
import { nameMeant } from './name-meant.js';
import type { OpenComplexType, SchemaContext } from './schema-context.js';
import type { Component, SchemaUnit } from './schema-unit.js';
import { SimpleTypeReader } from './simple.js';

/** Every named type and global element of all schemas, and the types that are approximated. */
export interface Schema {
  readonly types: ReadonlyMap<string, XsdType>;
  readonly elements: ReadonlyMap<string, ElementDeclaration>;
  readonly attributes: ReadonlyMap<string, AttributeDeclaration>;
  /** Types that are opaque or approximated, with the reasons. */
  readonly approximated: ReadonlyMap<XsdType, readonly Diagnostic[]>;
  /** The type a QName outside of any schema names (a message part); opaque when there is none. */
  typeNamed(node: XmlNode, value: string): XsdType;
}

interface Shell {
  readonly type: OpenComplexType;
  readonly component: Component;
  state: 'empty' | 'open' | 'done';
}

/** Longest chain of derivation that is read. */
const CHAIN = 1000;
/** Reasons kept of one type. */
const REASONS = 20;

/** Reads all components. An invalid schema never throws: it is a warning and an approximation. */
export function* readSchema(components: SchemaComponents, warnings: Warnings): Steps<Schema> {
  const reader = new SchemaReader(components, warnings);
  yield* reader.readAll();
  const outside = (node: XmlNode): SchemaUnit => ({ node, target: '', adopted: [] });
  return {
    types: reader.types,
    elements: reader.elements,
    attributes: reader.attributes,
    approximated: reader.approximated,
    typeNamed: (node, value) => reader.typeNamed(node, value, outside(node)),
  };
}

class SchemaReader implements SchemaContext {
  readonly components: SchemaComponents;
  readonly warnings: Warnings;
  readonly simple: SimpleTypeReader;
  readonly types = new Map<string, XsdType>();
  readonly elements = new Map<string, ElementDeclaration>();
  readonly attributes = new Map<string, AttributeDeclaration>();
  readonly approximated = new Map<XsdType, Diagnostic[]>();
  readonly #shells: Shell[] = [];
  readonly #shellOf = new Map<ComplexType, Shell>();
  readonly #inside = new ComponentMap<ComplexType>();
  readonly #unknown = new Map<string, ComplexType>();
  readonly identity: IdentityReader;
  readonly #complex: ComplexTypeReader;
  #isFilling = false;

  constructor(components: SchemaComponents, warnings: Warnings) {
    this.components = components;
    this.warnings = warnings;
    this.simple = new SimpleTypeReader(components, warnings, (type, diagnostic) =>
      this.approximate(type, diagnostic),
    );
    this.identity = new IdentityReader(warnings);
    this.#complex = new ComplexTypeReader(this);
  }

  /**
   * Shells for all named types first, in the order of declaration; then elements; then the content
   * of the shells.
   */
  *readAll(): Steps<void> {
    for (const { node, unit } of this.components.types.values()) {
      this.#typeWithName({ uri: unit.target, local: nameOfNode(node) });
    }
    for (const { node, unit } of this.components.elements.values()) {
      this.element({ uri: unit.target, local: nameOfNode(node) });
      yield;
    }
    for (const [key, component] of this.components.attributes) {
      this.attributes.set(key, globalAttribute(component, this));
    }
    // More shells are added while these are filled.
    for (let at = 0; at < this.#shells.length; at++) {
      const shell = this.#shells[at];
      if (shell !== undefined) {
        this.fill(shell.type);
      }
      yield;
    }
    for (const { type } of this.#shells) {
      if (type.base !== null) {
        this.#shellOf.get(type.base)?.type.derived.push(type);
      }
    }
    this.identity.resolveReferences();
  }

  element(name: QName): ElementDeclaration | null {
    if (isBuiltInNamespace(name.uri)) return builtInElement(name);
    const key = typeKey(name);
    const known = this.elements.get(key);
    if (known !== undefined) return known;
    const component = this.components.elements.get(key);
    if (component === undefined) return null;
    const read = readElement(component, 'global', this);
    this.elements.set(key, read);
    return read;
  }

  typeNamed(node: XmlNode, value: string, unit: SchemaUnit): XsdType {
    const name = nameMeant(node, value, unit, 'types', this);
    if (name === null) {
      return this.#unknownType(node, value, null, 'uses a prefix that is not declared');
    }
    if (isBuiltInNamespace(name.uri)) {
      return builtInType(name) ?? this.#unknownType(node, value, name, 'is no built-in type');
    }
    const original = redefinedBase(node, name, unit, this.components);
    if (original?.node.local === 'complexType') return this.#typeAt(original);
    if (original !== undefined) return this.simple.inline(original.node, original.unit);
    return this.#typeWithName(name) ?? this.#unknownType(node, value, name, 'is not declared');
  }

  typeInside(node: XmlNode, unit: SchemaUnit): ComplexType {
    return this.#typeAt({ node, unit });
  }

  isDeclared(type: ComplexType): boolean {
    return this.#shellOf.has(type);
  }

  fill(type: ComplexType): boolean {
    const shell = this.#shellOf.get(type);
    if (shell === undefined || shell.state === 'done') return true;
    // Bases are filled before: one that is not belongs to a circle, or to a chain too long.
    if (this.#isFilling) return false;
    const chain: Shell[] = [];
    let at: Shell | null = shell;
    for (; at?.state === 'empty' && chain.length < CHAIN; at = this.#baseShell(at)) {
      at.state = 'open';
      chain.push(at);
    }
    this.#isFilling = true;
    for (const next of chain.reverse()) {
      this.#complex.fill(next.type, next.component);
      next.state = 'done';
    }
    this.#isFilling = false;
    return true;
  }

  #baseShell({ component: { node, unit } }: Shell): Shell | null {
    const step = derivationOf(node)?.node;
    const value = step === undefined ? null : attributeOf(step, 'base');
    const name =
      step === undefined || value === null ? null : nameMeant(step, value, unit, 'types', this);
    if (step === undefined || name === null || isBuiltInNamespace(name.uri)) return null;
    const original = redefinedBase(step, name, unit, this.components);
    const isComplex = original?.node.local === 'complexType';
    const type =
      original === undefined ? this.#typeWithName(name) : isComplex ? this.#typeAt(original) : null;
    return type?.kind === 'complex' ? (this.#shellOf.get(type) ?? null) : null;
  }

  approximate(type: XsdType, diagnostic: Diagnostic): void {
    const diagnostics = this.approximated.get(type);
    if (diagnostics === undefined) {
      this.approximated.set(type, [diagnostic]);
    } else if (diagnostics.length < REASONS) {
      diagnostics.push(diagnostic);
    }
    this.warnings.add(diagnostic);
  }

  reasonsFor(type: XsdType): readonly Diagnostic[] {
    return this.approximated.get(type) ?? [];
  }

  #typeAt(component: Component): ComplexType {
    return (
      this.#inside.get(component) ?? this.#inside.set(component, this.#shellFor(component, null))
    );
  }

  #typeWithName(name: QName): XsdType | null {
    const key = typeKey(name);
    const known = this.types.get(key);
    if (known !== undefined) return known;
    const component = this.components.types.get(key);
    if (component === undefined) return null;
    const isComplex = component.node.local === 'complexType';
    const type = isComplex ? this.#shellFor(component, name) : this.simple.named(name);
    if (type !== null) {
      this.types.set(key, type);
    }
    return type;
  }

  #shellFor(component: Component, name: QName | null): ComplexType {
    const type: OpenComplexType = { ...opaqueType(name), content: { kind: 'empty' }, derived: [] };
    const shell: Shell = { type, component, state: 'empty' };
    this.#shells.push(shell);
    this.#shellOf.set(type, shell);
    return type;
  }

  #unknownType(node: XmlNode, value: string, name: QName | null, why: string): ComplexType {
    const key = name === null ? `!${value}` : typeKey(name);
    const known = this.#unknown.get(key);
    if (known !== undefined) return known;
    const type = opaqueType(null);
    this.#unknown.set(key, type);
    const what = `The type ${value} ${why}; it is kept as XML.`;
    this.approximate(type, undeclaredAt(node, what, name, this.components));
    return type;
  }
}
