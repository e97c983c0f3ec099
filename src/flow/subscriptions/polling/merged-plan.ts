import type { Decoded, ReplyPlan } from '../../../codec/index.js';
import { graphqlSchema, subscriptions } from '../../../graphql/index.js';

export interface MergedPlan {
  readonly plan: ReplyPlan;
  /** The result of the plan with this index. */
  part(decoded: Decoded, index: number): Decoded;
  /** The value whose change is sent, as a text; null where it is all that was selected. */
  changed(decoded: Decoded): string | null;
}

const CHANGED = 'changed';

/** One plan that reads the element of the reply once for each. */
export function mergedPlan(plans: readonly ReplyPlan[], changed: ReplyPlan | null): MergedPlan {
  const [first] = plans;
  if (first === undefined) throw new Error('a poll without subscribers');
  if (!isMergeable(first)) {
    return {
      plan: first,
      part: (decoded) => ({ ...decoded, calls: 0, replyBytes: 0 }),
      changed: () => null,
    };
  }
  const slots = plans.map((plan, index) => graphqlSchema.selfSlot(String(index), plan.value));
  if (changed !== null) {
    slots.push(graphqlSchema.selfSlot(CHANGED, changed.value));
  }
  const plan = subscriptions.planOf(first.element, slots);
  const { faults } = first;
  return {
    plan: faults === undefined ? plan : { ...plan, faults },
    part: ({ value, errors, furtherErrors }, index) => {
      const own = plans[index] ?? first;
      const steps = own.shape === 'unwrap' ? 2 : 1;
      const object = memberOf(value, String(index));
      return {
        value:
          own.shape === 'unwrap'
            ? memberOf(object, own.value.declared?.slots[0]?.key ?? '')
            : object,
        errors: errors
          .filter(({ path }) => path[0] === String(index))
          .map((error) => ({ ...error, path: error.path.slice(steps) })),
        furtherErrors,
        calls: 0,
      };
    },
    changed: ({ value }) =>
      changed === null ? null : `= ${JSON.stringify(memberOf(value, CHANGED))}`,
  };
}

/** Reads no selection: only whether there is an answer. */
export const bareOf = ({ element }: ReplyPlan, changed: ReplyPlan | null): ReplyPlan =>
  subscriptions.planOf(
    element,
    changed === null ? [] : [graphqlSchema.selfSlot(CHANGED, changed.value)],
  );

/**
 * A Fault that is an answer is read as one selection only, and where there is nothing to read there
 * is nothing to merge.
 */
export const isMergeable = (plan: ReplyPlan): boolean =>
  plan.shape !== 'done' && plan.faults?.as !== 'data';

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (Reflect.get(value, key) ?? null) : null;
