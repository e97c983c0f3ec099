import { GraphQLList, getNullableType, isListType } from 'graphql';
import { type Scalar, scalars } from '../../../codec/index.js';
import type { XsdType } from '../../../wsdl/index.js';
import type { Member } from '../types/member.js';
import { SDL_URI } from '../types/xsd-type.js';
import type { OutputField } from './output-field.js';

/**
 * The field of a number that may be INF or NaN, which are values of XML Schema and no Float: it may
 * be null, and so may each item of a list. Else such a value would take its object away, or a whole
 * list of objects. A type that is bounded on both sides has neither; `nullable` of the mapping and
 * SDL types decide for themselves.
 */
export function withNotFinite(field: OutputField, member: Member, type: XsdType): OutputField {
  const { shape } = field;
  if (member.mapping?.nullable != null || type.name?.uri === SDL_URI) return field;
  if (shape.value.kind !== 'scalar' || !mayBeNotFinite(shape.value.scalar)) return field;
  return {
    ...field,
    type: isListType(field.type) ? new GraphQLList(getNullableType(field.type.ofType)) : field.type,
    shape: { ...shape, nonNull: shape.list && shape.nonNull, itemNonNull: false },
  };
}

function mayBeNotFinite({ name, type, item }: Scalar): boolean {
  if (item !== undefined) return mayBeNotFinite(item);
  if (name !== scalars.FLOAT_SCALAR.name) return false;
  const { minInclusive, minExclusive, maxInclusive, maxExclusive } = type?.facets ?? {};
  const isBounded =
    (minInclusive ?? minExclusive) != null && (maxInclusive ?? maxExclusive) != null;
  return !isBounded;
}
