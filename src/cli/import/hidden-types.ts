import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { type Diagnostic, diagnosis } from '../../core/index.js';
import { graphqlSchema } from '../../graphql/index.js';

/** A warning of types whose fields lie deeper than a query may be; [] where all can be read. */
export function hiddenByDepth(schema: GraphQLSchema, depth: number): readonly Diagnostic[] {
  const depths = depthsOf(schema);
  const hidden = [...depths.values()].filter((each) => each > depth).length;
  if (hidden === 0) return [];
  // One at a time: a schema may have more types than a call takes arguments.
  const needed = [...depths.values()].reduce((most, each) => Math.max(most, each), depth);
  return [
    diagnosis.unplaced(
      `${hidden} of ${depths.size} types are deeper than a query may be ` +
        `(\`limits.graphql.depth\`: ${depth}): no query can read them.`,
      `Write \`limits: { graphql: { depth: ${needed} } }\` for all of them.`,
    ),
  ];
}

/** The least depth of a query that reads a field of each type of an object. */
function depthsOf(schema: GraphQLSchema): ReadonlyMap<GraphQLNamedType, number> {
  const depths = new Map<GraphQLNamedType, number>();
  let level: readonly GraphQLNamedType[] = graphqlSchema.rootTypes(schema);
  for (let depth = 1; level.length > 0; depth++) {
    const next: GraphQLNamedType[] = [];
    for (const type of level) {
      if (!isObjectType(type) && !isInterfaceType(type)) continue;
      for (const { type: of } of Object.values(type.getFields())) {
        const inner = getNamedType(of);
        const all = isAbstractType(inner) ? [inner, ...schema.getPossibleTypes(inner)] : [inner];
        for (const each of all) {
          if (depths.has(each) || !(isObjectType(each) || isInterfaceType(each))) continue;
          depths.set(each, depth + 1);
          next.push(each);
        }
      }
    }
    level = next;
  }
  return depths;
}
