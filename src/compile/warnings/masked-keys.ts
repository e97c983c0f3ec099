import { type GraphQLSchema, Kind, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { fieldRights } from '../../graphql/index.js';
import { keysIn } from '../graphql/federation.js';
import type { Graph } from '../graphql/graph.js';

/** Fields of keys that some clients see masked: a router joins the objects of subgraphs by them. */
export function warningsOfMaskedKeys(
  { graphql: { federation } }: Pick<Config, 'graphql'>,
  { schema }: Pick<Graph, 'schema'>,
): readonly Finding[] {
  if (federation === undefined) return [];
  return keysIn(federation).flatMap(({ type, index, key: { fields } }) => {
    const at = ['graphql', 'federation', 'keys', type, ...(index === null ? [] : [String(index)])];
    return [...maskedIn(fields, type, schema)].map((name) => ({
      path: [...at, 'fields'],
      what:
        `\`${name}\` of the key is masked for some clients: ` +
        'with the values that they get a router finds no object in other subgraphs.',
      remedy: 'Use another field as the key, or do not mask this one.',
    }));
  });
}

/** The names of the rules by which fields of a key are masked. */
function maskedIn(fields: string, typeName: string, schema: GraphQLSchema): ReadonlySet<string> {
  const names = new Set<string>();
  const types = new TypeInfo(schema, schema.getType(typeName));
  const visitor = visitWithTypeInfo(types, {
    Field() {
      const rule = fieldRights.ruleOf(types.getFieldDef() ?? undefined);
      if (rule !== null && rule.masks.size > 0) {
        names.add(rule.name);
      }
    },
  });
  const [selection] = parse(`{ ${fields} }`).definitions;
  if (selection?.kind === Kind.OPERATION_DEFINITION) {
    visit(selection.selectionSet, visitor);
  }
  return names;
}
