import { type GraphQLNamedType, getNamedType, isInputObjectType, isUnionType } from 'graphql';
import { isFieldOwner } from './field-owner.js';

/** The types that a type refers to, in the order of graphql-js. */
export function* typeReferences(type: GraphQLNamedType): Generator<GraphQLNamedType, void> {
  if (isUnionType(type)) {
    yield* type.getTypes();
  } else if (isFieldOwner(type)) {
    yield* type.getInterfaces();
    for (const field of Object.values(type.getFields())) {
      yield getNamedType(field.type);
      for (const argument of field.args) {
        yield getNamedType(argument.type);
      }
    }
  } else if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      yield getNamedType(field.type);
    }
  }
}
