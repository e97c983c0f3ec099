import type { FaultPlans, FieldSlot, ObjectPlan, ObjectVariant, ReplyPlan, ValuePlan } from '../../codec/plan/plan.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { FieldRule } from '../rights/field-rule.js';
import { anyPlan } from '../types/any-value.js';
import type { ElementShape, FaultShape, FieldShape, ObjectShape, ReplyShape, ValueShape } from '../types/shape.js';

/** Bounds of Faults that are reported as errors: their types may be recursive. */
const DEPTH_MAX = 6;
const SLOTS_MAX = 1000;

/**
 * Plans declared Faults that are reported as errors: all fields of each entry, to a depth. Made once per reply, when
 * it is first asked for; by a reader with rights of its own, once for those. Null where no entry has a type to be read by.
 */
export function errorPlans(reply: ReplyShape, rights: FieldRights | null = null): FaultPlans | null {
  const entries = reply.faults?.entries ?? [];
  const ofReader = PLANS.get(rights ?? ALL_RIGHTS) ?? new WeakMap<readonly FaultShape[], FaultPlans | null>();
  PLANS.set(rights ?? ALL_RIGHTS, ofReader);
  const known = ofReader.get(entries);
  if (known !== undefined) return known;
  const whole = new Whole(rights, reply.everyRule);
  const plans = entries.flatMap((entry) => {
    const plan = wholePlan(entry, whole.renewed());
    return plan === null ? [] : [{ element: entry.element, names: entry.names, plan }];
  });
  const restricted = whole.isRestricted ? { isRestricted: true } : {};
  const made: FaultPlans | null =
    plans.length === 0 && !whole.isRestricted ? null : { as: 'error', entries: plans, ...restricted };
  ofReader.set(entries, made);
  return made;
}

const PLANS = new WeakMap<object, WeakMap<readonly FaultShape[], FaultPlans | null>>();

/** Stands for readers that may read all fields. */
const ALL_RIGHTS = {};

function wholePlan({ element, typed }: FaultShape, whole: Whole): ReplyPlan | null {
  if (typed?.kind === 'whole') {
    return { element, shape: 'whole', value: whole.object(typed.shape, DEPTH_MAX), nonNull: false };
  }
  const slot = typed?.kind === 'unwrap' ? whole.slot('value', typed.field, DEPTH_MAX) : null;
  if (slot === null) return null;
  return {
    element,
    shape: 'unwrap',
    value: { kind: 'object', variants: new Map(), declared: { slots: [slot] } },
    nonNull: false,
  };
}

class Whole {
  /** Its reader may not have all of a detail. */
  isRestricted: boolean;
  readonly #rights: FieldRights | null;
  #slotsLeft = SLOTS_MAX;

  /** `everyRule`: of what a detail may hold that is not declared. */
  constructor(rights: FieldRights | null, everyRule: FieldRule | undefined) {
    this.#rights = rights;
    this.isRestricted = (rights?.decide(everyRule) ?? null) !== null;
  }

  /** Begins another entry. */
  renewed(): this {
    this.#slotsLeft = SLOTS_MAX;
    return this;
  }

  object(shape: ElementShape, depth: number): ObjectPlan {
    return {
      kind: 'object',
      variants: new Map([...shape.variants].map(([type, object]) => [type, this.#variant(object, depth)])),
      declared: shape.declared === null ? null : this.#variant(shape.declared, depth),
    };
  }

  /** Null where it would be too deep, or one too many, or the reader may not have the value as it is. */
  slot(key: string, field: FieldShape, depth: number): FieldSlot | null {
    if ((this.#rights?.decide(field.rule) ?? null) !== null) {
      this.isRestricted = true;
      return null;
    }
    if (this.#slotsLeft === 0) return this.#cut();
    const { source, list, value } = field;
    // Present values are reported, also of incomplete Faults.
    const common = { key, list, nonNull: false, itemNonNull: false };
    if (value.kind === 'scalar' || value.kind === 'opaque' || value.kind === 'any') {
      this.#slotsLeft--;
      return { ...common, source, value: value.kind === 'any' ? anyPlan(value, this.#rights) : value };
    }
    if (depth === 0) return this.#cut();
    this.#slotsLeft--;
    if (value.kind !== 'choice') return { ...common, source, value: this.#value(value, depth) };
    const branches = value.branches.map(({ name, shape }) => ({ name, value: this.object(shape, depth - 1) }));
    return { ...common, source: { from: 'choice', branches }, value: { kind: 'opaque' } };
  }

  /** Arrays nest up to a bound. */
  #value(value: Exclude<ValueShape, { readonly kind: 'choice' }>, depth: number): ValuePlan {
    if (value.kind === 'object') return this.object(value.shape, depth - 1);
    if (value.kind === 'any') return anyPlan(value, this.#rights);
    return value.kind === 'list' ? { kind: 'list', itemNonNull: false, value: this.#value(value.item, depth) } : value;
  }

  /** What is cut off may have fields that the reader may not have. */
  #cut(): null {
    if (this.#rights !== null) this.isRestricted = true;
    return null;
  }

  #variant(object: ObjectShape, depth: number): ObjectVariant {
    const slots: FieldSlot[] = [];
    for (const [key, field] of object.fields) {
      // For GraphQL only: the place of a type without content.
      const slot = key === '_' ? null : this.slot(key, field, depth);
      if (slot !== null) slots.push(slot);
    }
    return { slots };
  }
}
