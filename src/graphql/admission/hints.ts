import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
} from 'graphql';
import { spelling } from '../../core/index.js';

/**
 * Describes an unknown field of an object of an input type, for the end of a message. It is named
 * with the nearest field; where none is near it may be no misspelt name but data, and is not
 * repeated.
 */
export function describeUnknownField(type: GraphQLInputObjectType, wrong: string): string {
  const names = Object.keys(type.getFields());
  const isSearched =
    names.length <= VALUES_MAX && wrong.length <= NAME_CHARS_MAX && NAME.test(wrong);
  const near = isSearched ? spelling.nearest(wrong, names) : null;
  if (near === null) return `a field that is not defined by type "${type.name}"`;
  return `the field "${wrong}", which type "${type.name}" does not have; did you mean "${near}"?`;
}

/** Names that are longer are not compared. */
const NAME_CHARS_MAX = 128;
const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;

/** Enumerations with more values are not searched: each comparison takes time. */
const VALUES_MAX = 500;

/**
 * Names the value of an enumeration that is nearest to a wrong one, for the end of a message; ''
 * where none is near.
 */
export function enumHint(type: GraphQLInputType, wrong: unknown): string {
  const named = getNamedType(type);
  if (typeof wrong !== 'string' || !isEnumType(named)) return '';
  const values = named.getValues();
  const near =
    values.length > VALUES_MAX
      ? null
      : spelling.nearest(
          wrong,
          values.map(({ name }) => name),
        );
  return near === null ? '' : `; did you mean ${near}?`;
}
