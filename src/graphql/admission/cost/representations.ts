import type { FieldNode, GraphQLField } from 'graphql';
import { refuseByLimit } from '../../../core/index.js';
import type { GraphqlLimits } from '../../limits.js';
import { SUBGRAPH_NAMES } from '../../schema/entities/entity.js';
import type { Variables } from '../../schema/output/reply-plan.js';
import { argumentValueOf } from './cost-slicing.js';

/**
 * The representations of `_entities`. Throws `BAD_USER_INPUT` for more than
 * `limits.graphql.representations`.
 */
export function representationsOf(
  { args }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  { representations: most }: Pick<GraphqlLimits, 'representations'>,
): readonly unknown[] {
  const { representations } = SUBGRAPH_NAMES;
  const argument = args.find(({ name }) => name === representations);
  if (argument === undefined) return [];
  const { value } = argumentValueOf(argument, node, variables);
  const asked: readonly unknown[] = Array.isArray(value) ? value : [];
  if (asked.length <= most) return asked;
  const key = 'limits.graphql.representations';
  throw refuseByLimit('BAD_USER_INPUT', key, most, asked.length, representations);
}
