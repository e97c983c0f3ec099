import type { FieldNode } from 'graphql';
import { fieldError } from '../errors.js';
import { SUBGRAPH_NAMES } from '../schema/entities/entity.js';
import type { PathNode } from '../schema/links/link-walk.js';
import type { EntityPlan } from './entity-plan.js';
import type { ErrorList } from './error-list.js';
import type { EntityPosition, LinkRun } from './link-run.js';
import { type Representation, readRepresentation, valuesFor } from './representation.js';

/** The place of `_entities` in an operation, and in its response. */
interface EntitiesPlace {
  readonly key: string;
  readonly nodes: readonly FieldNode[];
}

/**
 * The objects that representations stand for, through the links of their keys. One that is not
 * valid is null, with an error at its index. Rejects with `CLIENT_GONE`.
 */
export async function answerEntities(
  representations: readonly unknown[],
  plan: EntityPlan,
  links: Pick<LinkRun, 'fillAt'>,
  { key, nodes }: EntitiesPlace,
  errors: ErrorList,
): Promise<readonly unknown[]> {
  const parent: PathNode = { parent: null, step: key };
  const positions: EntityPosition[] = [];
  const objects: Record<string, unknown> = {};
  for (const [index, representation] of representations.entries()) {
    try {
      const path = ['arguments', SUBGRAPH_NAMES.representations, index];
      const read = readRepresentation(representation, plan.entities, path);
      const id = selectionOf(read, plan);
      if (!read.isNull && id === null) {
        objects[index] = {};
      } else if (!read.isNull && id !== null) {
        const place = { parent, step: index };
        const values = valuesFor(read, path);
        positions.push({ owner: objects, key: String(index), place, id, values });
      }
    } catch (caught) {
      errors.add(() => fieldError(caught, { nodes, path: [key, index] }));
    }
  }
  await links.fillAt(positions, errors);
  return representations.map((_, index) => objects[index] ?? null);
}

/** The id of the selection of a key; null where nothing of its type is selected. */
const selectionOf = ({ entity, key }: Representation, { types }: EntityPlan): string | null =>
  types.get(entity.type.name)?.find((each) => each.key === key)?.id ?? null;
