import type { FieldSlot, ObjectPlan } from './plan.js';

/** An object of one type, whatever xsi:type its element has. */
export const objectOf = (slots: readonly FieldSlot[]): ObjectPlan => ({
  kind: 'object',
  variants: new Map(),
  declared: { slots },
});
