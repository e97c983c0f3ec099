import type { FieldNode } from 'graphql';
import { type EntityKey, type EntityTable, SUBGRAPH_NAMES } from '../schema/entities/entity.js';
import type { LinkPlanner } from '../schema/links/link-plan.js';
import { collectFields, type PlanContext } from '../schema/output/reply-plan.js';

/** The plan of `_entities`: the keys of each type that something is selected of. */
export interface EntityPlan {
  readonly entities: EntityTable;
  readonly types: ReadonlyMap<string, readonly PlannedKey[]>;
}

/** A key with the selection of its link. */
interface PlannedKey {
  readonly key: EntityKey;
  /** The id of its `LinkSelection`. */
  readonly id: string;
}

/** Plans the selections of `_entities`, each type by itself: another operation answers it. */
export function planEntities(
  entities: EntityTable,
  nodes: readonly FieldNode[],
  context: PlanContext,
  links: Pick<LinkPlanner, 'selected'>,
): EntityPlan {
  const types = new Map<string, readonly PlannedKey[]>();
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  for (const [name, { type, unions, keys }] of entities) {
    const conditions = new Set([name, SUBGRAPH_NAMES.entity, ...unions]);
    for (const each of type.getInterfaces()) {
      conditions.add(each.name);
    }
    const applies = (condition: string): boolean => conditions.has(condition);
    const selections = [...collectFields(sets, applies, context).values()].flat();
    const [first] = nodes;
    if (first?.selectionSet === undefined || selections.length === 0) continue;
    const node: FieldNode = { ...first, selectionSet: { ...first.selectionSet, selections } };
    const isOneOfSeveral = keys.length > 1;
    types.set(
      name,
      keys.map((key) => ({ key, id: links.selected(key.link, [node], isOneOfSeveral) })),
    );
  }
  return { entities, types };
}
