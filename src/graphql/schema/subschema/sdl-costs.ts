import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, visit } from 'graphql';
import { checkCostDirective, sdlFieldCost, weightIn } from '../fields/cost-sdl.js';
import type { SubschemaCosts } from '../fields/subschema.js';
import type { FieldCost } from '../types/cost-rules.js';
import { partName } from './schema-parts.js';

export const NO_COSTS: SubschemaCosts = { fields: new Map(), types: new Map() };

/** A schema without its cost directives, and their costs. */
interface TakenCosts {
  readonly document: DocumentNode;
  costOf(schema: GraphQLSchema): SubschemaCosts;
}

/**
 * Removes `@cost` and `@listSize` from the schema of a service, defined in it or not. A directive
 * of that name with another definition stays. Throws `GraphQLError` for an invalid one.
 */
export function takeCosts(document: DocumentNode, service: string): TakenCosts {
  const ours = oursIn(document);
  const origin = { service, path: ['schema'] };
  const fields: [string, string, FieldCost][] = [];
  const types: [string, number][] = [];
  const without = visit(document, {
    Directive(node) {
      if (!ours.has(node.name.value)) return undefined;
      checkCostDirective(node, (what) => {
        throw new GraphQLError(what, { nodes: [node] });
      });
      return null;
    },
    DirectiveDefinition: (node) => (ours.has(node.name.value) ? null : undefined),
  });
  for (const definition of ours.size === 0 ? [] : document.definitions) {
    const isObject =
      definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
      definition.kind === Kind.OBJECT_TYPE_EXTENSION;
    const isInterface =
      definition.kind === Kind.INTERFACE_TYPE_DEFINITION ||
      definition.kind === Kind.INTERFACE_TYPE_EXTENSION;
    if (!isObject && !isInterface) continue;
    const weight = ours.has('cost') ? weightIn(definition) : null;
    if (weight !== null) {
      types.push([definition.name.value, weight]);
    }
    for (const field of definition.fields ?? []) {
      const directives = field.directives?.filter(({ name }) => ours.has(name.value)) ?? [];
      const cost = sdlFieldCost({ ...field, directives }, origin);
      if (cost !== null) {
        fields.push([definition.name.value, field.name.value, cost]);
      }
    }
  }
  return {
    document: without,
    costOf(schema) {
      const owner = (name: string): string => {
        const type = schema.getType(name);
        return type === undefined ? name : partName(schema, type);
      };
      return {
        fields: new Map(fields.map(([type, field, cost]) => [`${owner(type)}.${field}`, cost])),
        types: new Map(types.map(([type, weight]) => [owner(type), weight])),
      };
    },
  };
}

/** The names of directives that are those of the specification. */
function oursIn({ definitions }: DocumentNode): ReadonlySet<string> {
  const names = new Set(KNOWN_BY.keys());
  for (const definition of definitions) {
    if (definition.kind !== Kind.DIRECTIVE_DEFINITION) continue;
    const known = KNOWN_BY.get(definition.name.value);
    const argumentNames = definition.arguments?.map(({ name }) => name.value) ?? [];
    if (known !== undefined && !argumentNames.includes(known)) {
      names.delete(definition.name.value);
    }
  }
  return names;
}

/** Maps each directive to an argument that other directives of the name do not have. */
const KNOWN_BY: ReadonlyMap<string, string> = new Map([
  ['cost', 'weight'],
  ['listSize', 'assumedSize'],
]);
