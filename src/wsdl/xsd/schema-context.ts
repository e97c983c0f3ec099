import type { Diagnostic } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import type { Warnings } from '../documents/warnings.js';
import type { XmlNode } from '../documents/xml-tree.js';
import type { ComplexType, ElementDeclaration, XsdType } from '../model.js';
import type { SchemaComponents } from './components.js';
import type { IdentityReader } from './identity.js';
import type { SchemaUnit } from './schema-unit.js';
import type { SimpleTypeReader } from './simple.js';

/** A type while its content is being read. */
export type OpenComplexType = { -readonly [K in keyof ComplexType]: ComplexType[K] } & {
  derived: ComplexType[];
};

/**
 * The state that the readers of types, particles and attributes share. Complex types are handed out
 * as shells and filled later, one after another, so that types may refer to each other and no chain
 * of references becomes a chain of calls.
 */
export interface SchemaContext {
  readonly components: SchemaComponents;
  readonly simple: SimpleTypeReader;
  readonly identity: IdentityReader;
  readonly warnings: Warnings;
  /** The type that `value` names at `node`; an opaque one, with a warning, when there is none. */
  typeNamed(node: XmlNode, value: string, unit: SchemaUnit): XsdType;
  /** A shell for the `xs:complexType` inside an element. */
  typeInside(node: XmlNode, unit: SchemaUnit): ComplexType;
  /** The global element with this name, or null. */
  element(name: QName): ElementDeclaration | null;
  /** Whether a schema declares the type; false for built-in and unknown ones. */
  isDeclared(type: ComplexType): boolean;
  /**
   * Fills a base type before the types derived from it; false when it is derived from itself, or
   * too deeply.
   */
  fill(type: ComplexType): boolean;
  /**
   * Marks a type as opaque or approximated, with the reason: operations that reach it are
   * `partial`.
   */
  approximate(type: XsdType, diagnostic: Diagnostic): void;
  /** The reasons for which a type is approximated. */
  reasonsFor(type: XsdType): readonly Diagnostic[];
}

/** True for the two spellings of true in `xs:boolean`. */
export const isTrue = (value: string | null): boolean => value === 'true' || value === '1';
