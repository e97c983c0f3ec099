import { getOrMake } from '../../../core/index.js';
import type { BoundField } from '../fields/bound-field.js';
import { isSubschemaField } from '../fields/subschema.js';
import type { Link, LinkTable } from '../links/link.js';
import type { ReplyShape } from '../types/shape.js';
import { type EntityTable, type EntityType, SUBGRAPH_NAMES, type Subgraph } from './entity.js';

/** The parts of a schema whose objects may be entities. */
interface AnsweredParts {
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
  readonly subgraph: Subgraph | null;
}

/**
 * The parts of a subgraph: a fragment on the union of entities applies to objects of these types
 * wherever they are.
 */
export function inEntityUnion({ fields, links, subgraph }: AnsweredParts): AnsweredParts {
  if (subgraph === null || subgraph.entities.size === 0) return { fields, links, subgraph };
  const { entities } = subgraph;
  const bounds = new Map<BoundField, BoundField>();
  const withUnion = (bound: BoundField): BoundField =>
    getOrMake(bounds, bound, () => ({ ...bound, reply: withEntities(bound.reply, entities) }));
  const made = new Map<Link, Link>();
  const linkWithUnion = (link: Link): Link =>
    getOrMake(made, link, () =>
      isSubschemaField(link.called) ? link : { ...link, called: withUnion(link.called) },
    );
  const typeWithUnion = (entity: EntityType): EntityType => ({
    ...entity,
    keys: entity.keys.map((key) => ({ ...key, link: linkWithUnion(key.link) })),
  });
  return {
    fields: mapped(fields, withUnion),
    links: mapped(links, linkWithUnion),
    subgraph: { ...subgraph, entities: mapped(entities, typeWithUnion) },
  };
}

const mapped = <T>(
  values: ReadonlyMap<string, T>,
  change: (value: T) => T,
): ReadonlyMap<string, T> => new Map([...values].map(([name, value]) => [name, change(value)]));

const ENTITY: ReadonlySet<string> = new Set([SUBGRAPH_NAMES.entity]);

function withEntities(reply: ReplyShape, entities: EntityTable): ReplyShape {
  const unions = new Map(reply.unions);
  for (const name of entities.keys()) {
    const others = unions.get(name);
    unions.set(name, others === undefined ? ENTITY : new Set([...others, SUBGRAPH_NAMES.entity]));
  }
  return { ...reply, unions };
}
