import {
  type GraphQLFieldConfig,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isObjectType,
  Kind,
  parseType,
  specifiedScalarTypes,
  type TypeNode,
} from 'graphql';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import { fieldOfOwner } from '../types/field-owner.js';
import type { FederationDirectives } from './directives.js';

/**
 * Adds the fields that other subgraphs alone answer to their types, for representations to have
 * them. Returns their names, `Type.field`. Types of services that speak GraphQL (`remote`) have
 * none: such a service would be asked for the field.
 */
export function addForeignFields(
  schema: GraphQLSchema,
  directives: FederationDirectives,
  remote: ReadonlySet<GraphQLNamedType>,
  errors: EntryError[],
): ReadonlySet<string> {
  const added = new Set<string>();
  for (const [name, { fields }] of directives) {
    const owner = schema.getType(name);
    if (!isObjectType(owner)) continue;
    for (const [field, { type: text }] of fields) {
      if (text === null) continue;
      const report: Report = (path, ...rest) =>
        reportInto(errors, name)(['fields', field, ...path], ...rest);
      if (remote.has(owner)) {
        const what = `\`${name}\` is a type of a service that speaks GraphQL.`;
        report(['type'], what, 'Remove `type`, and add the field to the schema of that service.');
        continue;
      }
      const type = foreignType(text, owner, field, schema, report);
      if (type === null) continue;
      const config: GraphQLFieldConfig<unknown, unknown> = {
        type,
        description: 'Other subgraphs answer it.',
      };
      const made = new GraphQLObjectType({ name, fields: { [field]: config } }).getFields()[field];
      if (made !== undefined) {
        owner.getFields()[field] = made;
        added.add(`${name}.${field}`);
      }
    }
  }
  return added;
}

function foreignType(
  text: string,
  owner: GraphQLObjectType,
  field: string,
  schema: GraphQLSchema,
  report: Report,
): GraphQLOutputType | null {
  if (fieldOfOwner(owner, field) !== undefined) {
    return report(['type'], `\`${owner.name}\` has a field \`${field}\`.`, 'Remove `type`.');
  }
  const type = typeOf(text, schema);
  // The values of a field that may not be null would be missing here.
  return type === null || type instanceof GraphQLNonNull
    ? report(
        ['type'],
        `\`${text}\` is no scalar or enumeration of the schema that may be null.`,
        'Write the type as GraphQL has it: Int, or [String].',
      )
    : type;
}

function typeOf(text: string, schema: GraphQLSchema): GraphQLOutputType | null {
  try {
    return outputOf(parseType(text), schema);
  } catch {
    return null;
  }
}

/** Recursion is as deep as the text, which is short. */
function outputOf(node: TypeNode, schema: GraphQLSchema): GraphQLOutputType | null {
  if (node.kind === Kind.NAMED_TYPE) {
    const { value: name } = node.name;
    const known: GraphQLNamedType | undefined =
      schema.getType(name) ?? specifiedScalarTypes.find((each) => each.name === name);
    return isLeafType(known) ? known : null;
  }
  const inner = outputOf(node.type, schema);
  if (inner === null) return null;
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(inner);
  return inner instanceof GraphQLNonNull ? null : new GraphQLNonNull(inner);
}
