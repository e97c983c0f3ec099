import { type FieldNode, type GraphQLObjectType, isNonNullType } from 'graphql';
import type { Admitted } from '../admission/admit.js';
import { partByRights } from '../admission/document-cache-entry.js';
import { type CountBytes, UNCOUNTED } from '../count-bytes.js';
import { SUBGRAPH_NAMES } from '../schema/entities/entity.js';
import type { BoundField } from '../schema/fields/bound-field.js';
import type { SubschemaField } from '../schema/fields/subschema.js';
import type { Link, Walk } from '../schema/links/link.js';
import {
  type LinkAsk,
  LinkPlanner,
  type LinkSelect,
  type LinkSelection,
} from '../schema/links/link-plan.js';
import { collectFields, planReply, type Variables } from '../schema/output/reply-plan.js';
import { ruleOf } from '../schema/rights/field-rule.js';
import type { BuiltSchema } from '../schema/schema.js';
import { SubschemaPlanner } from '../schema/subschema/subschema-planner.js';
import { type EntityPlan, planEntities } from './entity-plan.js';

/** One response key of the root. */
export interface RootField {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly name: string;
  readonly call: RootCall | null;
  /** The plan of `_entities`; null or absent for any other field. */
  readonly entities?: EntityPlan | null;
  /** The caller may not have it: it is not called, and null with an error. */
  readonly isForbidden: boolean;
  readonly isNonNull: boolean;
}

/** The call that answers a field of the root. */
export interface RootCall {
  readonly bound: BoundField | SubschemaField;
  readonly ask: LinkAsk;
  /** The paths to links in the answer; null without links. */
  readonly walk: Walk | null;
}

/** The plan of an operation: its fields, and its links by their ids. */
export interface RootPlan {
  readonly root: GraphQLObjectType;
  readonly fields: readonly RootField[];
  /** Grows while answers of subschemas are read: merged selections are known only by them. */
  readonly links: ReadonlyMap<string, LinkSelection>;
  readonly select: LinkSelect;
}

/** Whether a plan may serve one request only. */
function isForOneRequest({ fields, links }: RootPlan): boolean {
  for (const { call } of fields) {
    if (call !== null && isOwn(call.ask)) return true;
  }
  for (const { target } of links.values()) {
    if (isOwn(target.ask)) return true;
  }
  return false;
}

const isOwn = (ask: LinkAsk): boolean => ask.kind === 'subschema' && ask.plan.links !== null;

const rootPlanFor = partByRights<RootPlan>();

/** The plan of an admitted operation, cached unless it may serve one request only. */
export function rootPlanOf(admitted: Admitted, built: PlannedSchema): RootPlan {
  const part = rootPlanFor(admitted.rights);
  const plan = admitted.cacheEntry.get(part, (countBytes) => makePlan(admitted, built, countBytes));
  return isForOneRequest(plan) ? makePlan(admitted, built, UNCOUNTED) : plan;
}

/** Without `subschemaFields` no upstream speaks GraphQL; without `subgraph` it is none. */
export type PlannedSchema = Pick<BuiltSchema, 'schema' | 'fields' | 'links'> &
  Partial<Pick<BuiltSchema, 'subschemaFields' | 'subgraph'>>;

function makePlan(
  { operation, document, variables: values, rights }: Admitted,
  built: PlannedSchema,
  countBytes: CountBytes,
): RootPlan {
  const root = built.schema.getRootType(operation.operation);
  if (!root) throw new Error('admitted without a root type');
  const { fragments, switches } = document;
  // Other variables belong to one request: a cached plan must not hold them.
  const variables: Variables = Object.fromEntries(
    switches.map((name) => [name, values[name] === true]),
  );
  const met = (link: Link, node: FieldNode): void => {
    links.selected(link, [node]);
  };
  const context = { fragments, variables, countBytes, rights };
  const subschemas = new SubschemaPlanner(document.document, operation, context, built.links, met);
  const { entities: entityTable = null, foreign = null } = built.subgraph ?? {};
  const links = new LinkPlanner(built.links, context, subschemas, foreign);
  const isRoot = (condition: string): boolean => condition === root.name;
  const collected = collectFields([operation.selectionSet], isRoot, context);
  const fields = [...collected].map(([key, nodes]): RootField => {
    const name = nodes[0]?.name.value ?? '';
    const definition = root.getFields()[name];
    const isForbidden = rights?.forbids(ruleOf(definition)) === true;
    const about = { key, nodes, name, isForbidden, isNonNull: isNonNullType(definition?.type) };
    if (isForbidden) return { ...about, call: null };
    const subschemaField = built.subschemaFields?.get(`${root.name}.${name}`);
    if (subschemaField !== undefined) {
      const { plan, walk } = subschemas.root(subschemaField, nodes);
      return { ...about, call: { bound: subschemaField, ask: { kind: 'subschema', plan }, walk } };
    }
    const bound = built.fields.get(`${root.name}.${name}`);
    if (bound === undefined) {
      const entities = name === SUBGRAPH_NAMES.entitiesField ? entityTable : null;
      const planned = entities === null ? null : planEntities(entities, nodes, context, links);
      return { ...about, call: null, entities: planned };
    }
    const { paging = null } = bound;
    if (paging !== null) {
      const pages = links.pages({ reply: bound.reply, paging }, nodes);
      const ask = { kind: 'soap', bound, reply: pages.reply, pages } as const;
      return { ...about, call: { bound, ask, walk: pages.walk } };
    }
    const reply = planReply(bound.reply, nodes, context, links);
    return {
      ...about,
      call: { bound, ask: { kind: 'soap', bound, reply }, walk: links.walkOf(bound.reply, nodes) },
    };
  });
  return { root, fields, links: links.selections, select: links.select };
}
