import { type ComplexType, typeKey } from '../../wsdl/model.js';
import { derivedFrom } from '../types/reach.js';
import type { ElementShape, ObjectShape } from '../types/shape.js';
import { lazily } from './output-field.js';

/** The shape of an element of this type, whose xsi:type may name a derived one where there are any. */
export function elementShape(
  type: ComplexType,
  hasVariants: boolean,
  shapeOf: (type: ComplexType) => ObjectShape,
): ElementShape {
  if (!hasVariants) return { declared: shapeOf(type), variants: new Map() };
  const declared = type.abstract ? null : shapeOf(type);
  const variants = lazily(() => {
    const concrete = [type, ...derivedFrom(type)].filter((candidate) => !candidate.abstract);
    return new Map(
      concrete.flatMap((candidate): [string, ObjectShape][] =>
        candidate.name === null ? [] : [[typeKey(candidate.name), shapeOf(candidate)]],
      ),
    );
  });
  return {
    declared,
    get variants() {
      return variants();
    },
  };
}
