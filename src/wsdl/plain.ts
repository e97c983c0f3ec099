import type { QName } from '../xml/index.js';
import {
  type ComplexType,
  type Content,
  type ElementDeclaration,
  NO_FACETS,
  type Particle,
  type SimpleType,
  type XsdType,
} from './model.js';

/** An element declaration with defaults for all other properties. */
export const plainElement = (
  name: QName,
  type: XsdType,
  about: Partial<Omit<ElementDeclaration, 'kind' | 'name' | 'type'>> = {},
): ElementDeclaration => ({
  kind: 'element',
  name,
  type,
  nillable: false,
  default: null,
  fixed: null,
  abstract: false,
  constraints: [],
  documentation: null,
  ...about,
});

/** A complex type that is not derived, with defaults for all other properties. */
export const plainComplexType = (
  name: QName | null,
  content: Content,
  about: Partial<Pick<ComplexType, 'attributes' | 'anyAttribute' | 'documentation'>> = {},
): ComplexType => ({
  kind: 'complex',
  name,
  abstract: false,
  base: null,
  derivation: null,
  derived: [],
  attributes: [],
  anyAttribute: null,
  content,
  documentation: null,
  ...about,
});

/** A simple type with the values of a built-in one, and defaults for all other properties. */
export const plainSimpleType = (
  name: QName | null,
  builtIn: string,
  about: Partial<Omit<SimpleType, 'kind' | 'name' | 'builtIn'>> = {},
): SimpleType => ({
  kind: 'simple',
  name,
  variety: 'atomic',
  builtIn,
  base: null,
  item: null,
  members: [],
  enumeration: null,
  facets: NO_FACETS,
  documentation: null,
  ...about,
});

/** Children in this order. */
export const sequenceOf = (particles: readonly Particle[]): Content =>
  particles.length === 0
    ? { kind: 'empty' }
    : { kind: 'elements', particle: { kind: 'sequence', particles, min: 1, max: 1 } };
