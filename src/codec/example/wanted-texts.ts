import type { ComplexType, ElementDeclaration, SimpleType } from '../../wsdl/index.js';
import { convertedScalar } from '../convert/converted-scalar.js';
import type { Conversion } from '../plan/conversion.js';
import { LexicalError } from '../plan/scalar.js';
import { scalarOf } from '../values/scalars.js';

/** The text of a value of this type; null: one by the schema. */
type WantedText = (type: SimpleType) => string | null;

/**
 * Texts that values inside an element must have, by the path to them: XML names with `/` between
 * them, `@name` of an attribute, `value` for the text of simple content, '' for the element itself.
 */
export type WantedTexts = ReadonlyMap<string, WantedText>;

/** Texts that values of a complex type must have. `element`: names a type without a name. */
export type WantedTextsOf = (type: ComplexType, element: ElementDeclaration) => WantedTexts;

export const NO_TEXTS: WantedTexts = new Map();

/** The texts that are wanted inside a child. */
export function textsBelow(texts: WantedTexts, child: string): WantedTexts {
  if (texts.size === 0) return NO_TEXTS;
  const below = new Map<string, WantedText>();
  for (const [path, text] of texts) {
    if (path === child || path === '') {
      below.set('', text);
    } else if (path.startsWith(`${child}/`)) {
      below.set(path.slice(child.length + 1), text);
    }
  }
  return below;
}

/** A text that a conversion knows, of a list type for one item. */
export const textFor =
  (conversion: Conversion): WantedText =>
  (type) => {
    const item = type.variety === 'list' && type.item !== null ? type.item : type;
    const scalar = convertedScalar(item, scalarOf(item), conversion, '');
    if (conversion.target === null || scalar.example === undefined) return null;
    try {
      return scalar.encode(scalar.example);
    } catch (caught) {
      // A type that cannot hold the text: nothing of it can be converted.
      if (caught instanceof LexicalError) return null;
      throw caught;
    }
  };
