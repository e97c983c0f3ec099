import {
  type ConstDirectiveNode,
  type GraphQLField,
  GraphQLInt,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { fieldCostOf, type ListSize, typeWeightOf } from '../types/cost-rules.js';
import { fieldOfOwner } from '../types/field-owner.js';
import { directive } from './directive-nodes.js';

type Field = GraphQLField<unknown, unknown>;
type Directives = readonly ConstDirectiveNode[];

/** A price as `@cost`, which has whole points in Federation; of a part less than one it is one. */
const cost = (weight: number): Directives => [directive('cost', { weight: Math.ceil(weight) })];

const NONE: Directives = [];

/** The price of each object of a type. */
export function typeCost(type: GraphQLNamedType): Directives {
  // The directive is for objects only: an interface costs what they do.
  const weight = isObjectType(type) ? typeWeightOf(type) : null;
  return weight === null ? NONE : cost(weight);
}

export function weightDirective(field: Field): Directives {
  const weight = fieldCostOf(field)?.weight ?? null;
  return weight === null ? NONE : cost(weight);
}

export function argumentCost(field: Field, name: string): Directives {
  const weight = fieldCostOf(field)?.arguments.get(name);
  return weight === undefined ? NONE : cost(weight);
}

/** The size of a list as `@listSize`, as far as Federation can say it; none where it cannot. */
export function listSizeDirective(field: Field): Directives {
  const size = fieldCostOf(field)?.listSize ?? null;
  if (size === null) return NONE;
  const sizedFields = size.sizedFields.filter((path) => isListBelow(field, path));
  const isList = isListType(getNullableType(field.type));
  if (!isList && sizedFields.length === 0) return NONE;
  const { assumedSize } = size;
  const slicingArguments = slicingOf(field, size);
  if (assumedSize === null && slicingArguments.length === 0) return NONE;
  const isOptional = slicingArguments.length > 0 && !size.requireOneSlicingArgument;
  return [
    directive('listSize', {
      ...(assumedSize === null ? {} : { assumedSize }),
      ...(slicingArguments.length === 0 ? {} : { slicingArguments }),
      ...(sizedFields.length === 0 ? {} : { sizedFields }),
      ...(isOptional ? { requireOneSlicingArgument: false } : {}),
    }),
  ];
}

/** Slicing arguments of type Int: a composition refuses others. */
const slicingOf = ({ args }: Field, { slicingArguments }: ListSize): readonly string[] =>
  slicingArguments.filter((name) =>
    args.some((each) => each.name === name && getNullableType(each.type) === GraphQLInt),
  );

/** Whether a name is that of a list right below a field. */
function isListBelow({ type }: Field, name: string): boolean {
  const below = fieldOfOwner(getNamedType(type), name);
  return below !== undefined && isListType(getNullableType(below.type));
}
