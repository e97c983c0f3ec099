import type { FieldNode, GraphQLObjectType } from 'graphql';
import type { ReplyPlan } from '../codec/plan.js';
import type { Admitted } from './admit.js';
import type { BoundField } from './bound-field.js';
import type { Maker } from './documents.js';
import { LinkPlanner, type LinkSelection, type Walk } from './link-plan.js';
import { collectFields, planReply } from './plan.js';
import type { BuiltSchema } from './schema.js';

/** One response key of the root. */
export interface RootField {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly name: string;
  readonly call: RootCall | null;
}

/** What a backend is asked for a field of the root. */
export interface RootCall {
  readonly bound: BoundField;
  readonly plan: ReplyPlan;
  /** Where links are in the answer; null where there are none. */
  readonly walk: Walk | null;
}

/** What an operation will do: its fields and, by what their objects hold in their place, its links. */
export class RootPlan {
  readonly root: GraphQLObjectType;
  readonly fields: readonly RootField[];
  readonly links: ReadonlyMap<string, LinkSelection>;

  constructor(root: GraphQLObjectType, fields: readonly RootField[], links: ReadonlyMap<string, LinkSelection>) {
    this.root = root;
    this.fields = fields;
    this.links = links;
  }
}

const ROOT: Maker<RootPlan> = { holds: (value): value is RootPlan => value instanceof RootPlan };

/** The plan of an admitted operation, made once unless it depends on the variables. */
export function rootPlanOf(admitted: Admitted, built: Pick<BuiltSchema, 'schema' | 'fields' | 'links'>): RootPlan {
  const { operation, document, variables } = admitted;
  const root = built.schema.getRootType(operation.operation);
  if (!root) throw new Error('admitted without a root type');
  return document.remember(operation, ROOT, variables, () => {
    const { fragments } = document;
    const links = new LinkPlanner(built.links, fragments, variables);
    const isRoot = (condition: string): boolean => condition === root.name;
    const collected = collectFields([operation.selectionSet], isRoot, fragments, variables);
    const fields = [...collected].map(([key, nodes]): RootField => {
      const name = nodes[0]?.name.value ?? '';
      const bound = built.fields.get(`${root.name}.${name}`);
      if (bound === undefined) return { key, nodes, name, call: null };
      const plan = planReply(bound.reply, nodes, fragments, variables, links);
      return { key, nodes, name, call: { bound, plan, walk: links.walkOf(plan) } };
    });
    return new RootPlan(root, fields, links.selections);
  });
}
