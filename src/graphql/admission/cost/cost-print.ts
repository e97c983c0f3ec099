import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  isObjectType,
  Kind,
  parse,
  parseConstValue,
  print,
  printSchema,
} from 'graphql';
import { fieldCostOf, typeWeightOf } from '../../schema/types/cost-rules.js';
import { isFieldOwner } from '../../schema/types/field-owner.js';

/** The schema as SDL, with the costs of the mapping as `@cost` and `@listSize`. */
export function printWithCosts(schema: GraphQLSchema): string {
  const sdl = printSchema(schema);
  const costed = Object.values(schema.getTypeMap()).some((type) => {
    if (!isFieldOwner(type)) return false;
    return (
      typeWeightOf(type) !== null ||
      Object.values(type.getFields()).some((field) => fieldCostOf(field) !== null)
    );
  });
  if (!costed) return sdl;
  const document = parse(sdl);
  const definitions = document.definitions.map((definition) => withCosts(definition, schema));
  return `${DEFINITIONS}\n\n${print({ ...document, definitions })}`;
}

/** As the specification has them. */
const DEFINITIONS =
  'directive @cost(weight: String!) on ARGUMENT_DEFINITION | FIELD_DEFINITION | OBJECT\n\n' +
  'directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], ' +
  'requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION';

function withCosts(definition: DefinitionNode, schema: GraphQLSchema): DefinitionNode {
  if (
    definition.kind !== Kind.OBJECT_TYPE_DEFINITION &&
    definition.kind !== Kind.INTERFACE_TYPE_DEFINITION
  ) {
    return definition;
  }
  const type = schema.getType(definition.name.value);
  if (!isFieldOwner(type)) return definition;
  const fields = type.getFields();
  const costed = definition.fields?.map((node) => {
    const field = fields[node.name.value];
    return field === undefined ? node : fieldWithCost(node, field);
  });
  // The directive is for objects only: an interface costs what they do.
  const weight = isObjectType(type) ? typeWeightOf(type) : null;
  const directives =
    weight === null ? definition.directives : [...(definition.directives ?? []), costOf(weight)];
  return { ...definition, ...(directives && { directives }), ...(costed && { fields: costed }) };
}

function fieldWithCost(
  node: FieldDefinitionNode,
  field: GraphQLField<unknown, unknown>,
): FieldDefinitionNode {
  const cost = fieldCostOf(field);
  if (cost === null) return node;
  const { weight, listSize } = cost;
  const directives = [...(node.directives ?? [])];
  if (weight !== null) {
    directives.push(costOf(weight));
  }
  if (listSize !== null) {
    const { assumedSize, slicingArguments, sizedFields, requireOneSlicingArgument } = listSize;
    const written: ConstArgumentNode[] = [];
    if (assumedSize !== null) {
      written.push(argumentOf('assumedSize', assumedSize));
    }
    if (slicingArguments.length > 0) {
      written.push(argumentOf('slicingArguments', slicingArguments));
    }
    if (sizedFields.length > 0) {
      written.push(argumentOf('sizedFields', sizedFields));
    }
    if (!requireOneSlicingArgument) {
      written.push(argumentOf('requireOneSlicingArgument', false));
    }
    directives.push(directiveOf('listSize', written));
  }
  const written = node.arguments?.map((argument) => {
    const each = cost.arguments.get(argument.name.value);
    return each === undefined
      ? argument
      : { ...argument, directives: [...(argument.directives ?? []), costOf(each)] };
  });
  return { ...node, directives, ...(written && { arguments: written }) };
}

const costOf = (weight: number): ConstDirectiveNode =>
  directiveOf('cost', [argumentOf('weight', String(weight))]);

const directiveOf = (name: string, written: readonly ConstArgumentNode[]): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: name },
  arguments: written,
});

const argumentOf = (name: string, value: unknown): ConstArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: { kind: Kind.NAME, value: name },
  value: parseConstValue(JSON.stringify(value)),
});
