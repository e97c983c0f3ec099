import type { Problem } from '../../base/problem.js';
import type { QName } from '../../xml/events.js';
import type { Notices } from '../documents/notices.js';
import type { XmlNode } from '../documents/tree.js';
import type { ComplexType, ElementDeclaration, XsdType } from '../model.js';
import type { SchemaComponents, SchemaUnit } from './components.js';
import type { IdentityReader } from './identity.js';
import type { SimpleTypeReader } from './simple.js';

/** A type while its content is being read. */
export type OpenComplexType = { -readonly [K in keyof ComplexType]: ComplexType[K] } & { derived: ComplexType[] };

/**
 * What the readers of types, particles and attributes share. Complex types are handed out as shells and filled later,
 * one after another, so that types may refer to each other and no chain of references becomes a chain of calls.
 */
export interface SchemaReading {
  readonly components: SchemaComponents;
  readonly simple: SimpleTypeReader;
  readonly identity: IdentityReader;
  readonly notices: Notices;
  /** The type that `value` names at `node`; an opaque one, with a notice, when there is none. */
  typeNamed(node: XmlNode, value: string, unit: SchemaUnit): XsdType;
  /** A shell for the `xs:complexType` inside an element. */
  typeInside(node: XmlNode, unit: SchemaUnit): ComplexType;
  /** The global element with this name, or null. */
  element(name: QName): ElementDeclaration | null;
  /** True for what a schema declares, false for what is built in or unknown. */
  isDeclared(type: ComplexType): boolean;
  /** Fills a base type before what is derived from it; false when it is derived from itself, or too deeply. */
  fill(type: ComplexType): boolean;
  /** Tells that a type is opaque or approximated, and why: operations that reach it are `partial`. */
  approximate(type: XsdType, problem: Problem): void;
  /** What was told of a type in this way. */
  troublesOf(type: XsdType): readonly Problem[];
}

/** True for the two spellings of true in `xs:boolean`. */
export const isTrue = (value: string | null): boolean => value === 'true' || value === '1';
