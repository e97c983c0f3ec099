import type { Admitted } from '../admission/admit.js';
import { SUBGRAPH_NAMES } from '../schema/entities/entity.js';
import { type PlannedSchema, rootPlanOf } from './root-plan.js';

/** Whether an operation asks for the SDL of the subgraph while introspection is off. */
export const asksForHiddenSdl = (admitted: Admitted, built: PlannedSchema): boolean =>
  built.subgraph != null &&
  !admitted.isOpen &&
  rootPlanOf(admitted, built).fields.some(({ name }) => name === SUBGRAPH_NAMES.serviceField);
