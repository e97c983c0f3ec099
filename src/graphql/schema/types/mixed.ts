import type { ComplexType, Particle, XsdType } from '../../../wsdl/index.js';
import { SDL_URI } from './xsd-type.js';

/** The fields of a type with mixed content besides those of its elements. */
export interface MixedNames {
  /** The text, without that of elements. */
  readonly text: string;
  /** The whole element as XML. */
  readonly xml: string;
}

const NO_ELEMENTS: Particle = { kind: 'sequence', particles: [], min: 1, max: 1 };

/** The model of mixed content; null for other content. */
export const mixedModel = ({ content }: ComplexType): Particle | null =>
  content.kind !== 'opaque' || content.mixed === null
    ? null
    : (content.mixed.particle ?? NO_ELEMENTS);

/**
 * The model of a type that has elements, of mixed content where that is shown by its fields; null
 * for other types.
 */
export const contentModel = (type: ComplexType, showsMixed: boolean): Particle | null =>
  type.content.kind === 'elements' ? type.content.particle : showsMixed ? mixedModel(type) : null;

/**
 * Whether the content of a type of a WSDL is not known: that of `xs:anyType`, of what extends it,
 * or of no declaration.
 */
export const isUnmodelled = (type: XsdType): boolean =>
  type.kind === 'complex' &&
  type.content.kind === 'opaque' &&
  type.content.mixed === null &&
  type.name?.uri !== SDL_URI;
