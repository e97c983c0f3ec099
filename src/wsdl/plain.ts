import type { QName } from '../xml/events.js';
import {
  type ComplexType,
  type Content,
  type ElementDeclaration,
  NO_FACETS,
  type Particle,
  type SimpleType,
  type XsdType,
} from './model.js';

/** An element of which a schema says no more than is given here. */
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

/** A complex type that stands alone, of which no more is said. */
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

/** A simple type with the values of a built-in one, of which no more is said. */
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
