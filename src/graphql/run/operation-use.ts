import { Buffer } from 'node:buffer';
import { isObjectType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { observing } from '../../core/index.js';
import type { Admitted } from '../admission/admit.js';
import { partByRights } from '../admission/document-cache-entry.js';
import type { BoundField } from '../schema/fields/bound-field.js';
import type { SubschemaField } from '../schema/fields/subschema.js';
import { wireNamesOf } from '../schema/output/wire-names.js';
import { type PlannedSchema, rootPlanOf } from './root-plan.js';

/** Names kept of one operation: more than a person selects by hand. */
const NAMES_MAX = 1000;
/** About the memory of one name in a list. */
const NAME_BYTES = 64;
/**
 * Characters of the name of an operation: a caller chooses it, and it is counted for as long as the
 * process runs.
 */
const NAME_UNITS_MAX = 128;

const usedNamesFor = partByRights<observing.OperationUse>();

/**
 * What an admitted operation uses; found once for each kind of caller of an operation that is
 * cached.
 */
export const useOf = (admitted: Admitted, built: PlannedSchema): observing.OperationUse =>
  admitted.cacheEntry.get(usedNamesFor(admitted.rights), (countBytes) => {
    const use = readUse(admitted, built);
    countBytes(NAME_BYTES * namesIn(use));
    return use;
  });

const namesIn = ({ fields, elements, arguments: named, calls }: observing.OperationUse): number =>
  fields.length + elements.length + named.length + calls.length;

function readUse(admitted: Admitted, built: PlannedSchema): observing.OperationUse {
  const { document, operation } = admitted;
  const calls = new Set(
    calledFields(admitted, built, true).map((each) => `${each.service}.${each.operation.name}`),
  );
  const fields = new Set<string>();
  const elements = new Set<string>();
  const named = new Set<string>();
  const types = new TypeInfo(built.schema);
  const visitor = visitWithTypeInfo(types, {
    Field() {
      const [parent, field] = [types.getParentType(), types.getFieldDef()];
      if (parent && field && !field.name.startsWith('__')) {
        fields.add(`${parent.name}.${field.name}`);
        for (const name of wireNamesOf(field)) {
          elements.add(`${parent.name}.${name}`);
        }
      }
    },
    Argument() {
      const [parent, field, argument] = [
        types.getParentType(),
        types.getFieldDef(),
        types.getArgument(),
      ];
      if (parent && field && argument && isObjectType(parent)) {
        named.add(`${parent.name}.${field.name}(${argument.name}:)`);
      }
    },
  });
  visit(operation, visitor);
  for (const definition of document.document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      visit(definition, visitor);
    }
  }
  return {
    name: ownName(operation.name?.value ?? ''),
    calls: [...calls],
    fields: [...fields].slice(0, NAMES_MAX),
    elements: [...elements].slice(0, NAMES_MAX),
    arguments: [...named].slice(0, NAMES_MAX),
  };
}

/**
 * The name by itself: a part of a text keeps all of the text in memory, which is the document here.
 * Names are ASCII.
 */
const ownName = (name: string): string =>
  Buffer.from(name.slice(0, NAME_UNITS_MAX), 'latin1').toString('latin1');

/**
 * The operations that an operation calls: for fields of the root, links, and fields of roots
 * further below. `isEach`: also those that only some values lead to.
 */
export function calledFields(
  admitted: Admitted,
  built: PlannedSchema,
  isEach: boolean,
): readonly (BoundField | SubschemaField)[] {
  const { fields, links } = rootPlanOf(admitted, built);
  // A link that is forbidden is null, and calls nothing.
  const permitted = [...links.values()].filter(
    ({ isForbidden, isAlternative }) => !isForbidden && (isEach || !isAlternative),
  );
  return [
    ...fields.flatMap(({ call }) => call?.bound ?? []),
    ...permitted.map(({ link }) => link.called),
    ...[
      ...fields.flatMap(({ call }) => call?.ask ?? []),
      ...permitted.map(({ target }) => target.ask),
    ]
      .flatMap((ask) => (ask.kind === 'subschema' ? ask.plan.nested : []))
      .flatMap((name) => built.subschemaFields?.get(name) ?? []),
  ];
}
