import type { Admitted } from '../admission/admit.js';
import type { BoundField } from '../fields/bound-field.js';
import type { SubschemaField } from '../fields/subschema.js';
import { type PlannedSchema, rootPlanOf } from './root-plan.js';

/** The operations that an operation calls: for fields of the root, links, and fields of roots further below. */
export function calledFields(admitted: Admitted, built: PlannedSchema): readonly (BoundField | SubschemaField)[] {
  const { fields, links } = rootPlanOf(admitted, built);
  // A link that is forbidden is null, and calls nothing.
  const permitted = [...links.values()].filter(({ isForbidden }) => !isForbidden);
  return [
    ...fields.flatMap(({ call }) => call?.bound ?? []),
    ...permitted.map(({ link }) => link.called),
    ...[...fields.flatMap(({ call }) => call?.ask ?? []), ...permitted.map(({ target }) => target.ask)]
      .flatMap((ask) => (ask.kind === 'subschema' ? ask.plan.nested : []))
      .flatMap((name) => built.subschemaFields?.get(name) ?? []),
  ];
}
