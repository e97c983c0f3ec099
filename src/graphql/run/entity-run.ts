import type { FieldNode } from 'graphql';
import { fieldError } from '../errors.js';
import { SUBGRAPH_NAMES } from '../schema/entities/entity.js';
import type { LinkPosition, PathNode } from '../schema/links/link-walk.js';
import type { EntityPlan } from './entity-plan.js';
import type { ErrorList } from './error-list.js';
import type { LinkRun } from './link-run.js';
import { feedValuesOf, readRepresentation } from './representation.js';

/** The key of an object while it is asked for. */
const OBJECT = 'object';

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
  const positions: LinkPosition[] = [];
  const holders = representations.map((representation, index) => {
    const owner: Record<string, unknown> = { [OBJECT]: null };
    try {
      const feedValues = feedValuesAt(representation, index, plan);
      // Nothing is selected of its type.
      owner[OBJECT] = feedValues ?? {};
      if (feedValues !== null) {
        positions.push({ owner, key: OBJECT, feedValues, place: { parent, step: index } });
      }
    } catch (caught) {
      errors.add(() => fieldError(caught, { nodes, path: [key, index] }));
    }
    return owner;
  });
  await links.fillAt(positions, errors);
  return holders.map((owner) => owner[OBJECT]);
}

/** The values for the call of a representation's key; null where its type is not selected. */
function feedValuesAt(
  value: unknown,
  index: number,
  { entities, types }: EntityPlan,
): LinkPosition['feedValues'] | null {
  const path = ['arguments', SUBGRAPH_NAMES.representations, index];
  const representation = readRepresentation(value, entities, path);
  const { entity, key } = representation;
  const planned = types.get(entity.type.name)?.find((each) => each.key === key);
  return planned === undefined ? null : feedValuesOf(representation, planned.id, path);
}
