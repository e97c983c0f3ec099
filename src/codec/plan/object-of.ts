import type { ObjectPlan, Slot } from './plan.js';

/** An object that is of one type, whatever its element says. */
export const objectOf = (slots: readonly Slot[]): ObjectPlan => ({
  kind: 'object',
  variants: new Map(),
  declared: { slots },
});
