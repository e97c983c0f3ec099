import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  parse,
} from 'graphql';
import { defaultsOf } from '../../src/core/limit.js';
import { costOf } from '../../src/graphql/admission/cost/cost.js';
import { CostTable } from '../../src/graphql/admission/cost/cost-table.js';
import { AdmittedDocument } from '../../src/graphql/admission/document-cache.js';
import { checkShape } from '../../src/graphql/admission/document-shape.js';
import { LimitChecker } from '../../src/graphql/admission/limit-checker.js';
import { GRAPHQL_LIMITS } from '../../src/graphql/limits.js';
import type { BuiltSchema } from '../../src/graphql/schema/schema.js';

const LIMITS = defaultsOf(GRAPHQL_LIMITS);

/** The way to a type: fields, and types that fragments narrow to. */
interface Way {
  readonly operation: 'query' | 'mutation';
  readonly steps: readonly string[];
}

/** A query for each object type that fields lead to, on the shortest way, with all its leaves. */
export function queriesOfTypes(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const ways = new Map<GraphQLNamedType, Way>();
  const queue: GraphQLNamedType[] = [];
  const meet = (type: GraphQLNamedType, way: Way): void => {
    if (isLeafType(type) || ways.has(type)) return;
    ways.set(type, way);
    queue.push(type);
  };
  for (const operation of ['query', 'mutation'] as const) {
    const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
    for (const field of Object.values(root?.getFields() ?? {})) {
      meet(getNamedType(field.type), { operation, steps: [field.name] });
    }
  }
  for (const type of queue) {
    const { operation, steps } = ways.get(type) ?? { operation: 'query', steps: [] };
    for (const field of fieldsOf(type))
      meet(getNamedType(field.type), { operation, steps: [...steps, field.name] });
    if (!isAbstractType(type)) continue;
    for (const each of schema.getPossibleTypes(type))
      meet(each, { operation, steps: [...steps, `... on ${each.name}`] });
  }
  const queries = new Map<string, string>();
  for (const [type, { operation, steps }] of ways) {
    if (!isObjectType(type)) continue;
    const leaves = leavesOf(type).join(' ');
    queries.set(
      type.name,
      `${operation} { ${steps.map((step) => `${step} {`).join(' ')} ${leaves} ` +
        `${'}'.repeat(steps.length)} }`,
    );
  }
  return queries;
}

const fieldsOf = (type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

function leavesOf(type: GraphQLObjectType): readonly string[] {
  const leaves = fieldsOf(type).filter((field) => isLeafType(getNamedType(field.type)));
  return leaves.length === 0 ? ['__typename'] : leaves.map(({ name }) => name);
}

/** The estimate of a query, held to the default limits. Throws a `Refusal`. */
export function costWithinDefaults(
  { schema, fields }: Pick<BuiltSchema, 'schema' | 'fields'>,
  query: string,
): number {
  const checker = new LimitChecker(LIMITS);
  const document = new AdmittedDocument(parse(query));
  checkShape(document.document, checker);
  const [operation] = document.document.definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
  const { points } = costOf(
    new CostTable({ schema, fields, limits: LIMITS }),
    operation,
    document.fragments,
    {},
  );
  checker.check('cost', points);
  return points;
}
