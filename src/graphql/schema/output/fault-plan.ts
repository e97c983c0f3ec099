import { type FieldSlot, type ReplyPlan, replyPlans } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { FieldRule } from '../rights/field-rule.js';
import { anyPlan } from '../types/any-value.js';
import { tablesPlan } from '../types/data-set.js';
import type {
  ElementShape,
  FaultShape,
  FieldShape,
  ObjectShape,
  ReplyShape,
  ValueShape,
} from '../types/shape.js';

/**
 * Fields of one object of a Fault that is reported as an error; how many objects is bounded where
 * it is read.
 */
const SLOTS_MAX = 1000;

/**
 * Plans declared Faults that are reported as errors: all fields of each entry. Made once per reply,
 * when it is first asked for; by a reader with rights of its own, once for those. Null where no
 * entry has a type to be read by.
 */
export function errorPlans(
  reply: ReplyShape,
  rights: FieldRights | null = null,
): replyPlans.FaultPlans | null {
  const entries = reply.faults?.entries ?? [];
  const ofReader = getOrMake(
    PLANS,
    rights ?? ALL_RIGHTS,
    () => new WeakMap<readonly FaultShape[], replyPlans.FaultPlans | null>(),
  );
  return getOrMake(ofReader, entries, () => {
    const whole = new Whole(rights);
    const plans = entries.flatMap((entry) => {
      const plan = wholePlan(entry, whole);
      return plan === null ? [] : [{ element: entry.element, names: entry.names, plan }];
    });
    const isRestricted = rights !== null && mayRestrict(entries, rights, reply.everyRule);
    const restricted = isRestricted ? { isRestricted } : {};
    return plans.length === 0 && !isRestricted
      ? null
      : { as: 'error', entries: plans, ...restricted };
  });
}

const PLANS = new WeakMap<object, WeakMap<readonly FaultShape[], replyPlans.FaultPlans | null>>();

/** Stands for readers that may read all fields. */
const ALL_RIGHTS = {};

function wholePlan({ element, typed }: FaultShape, whole: Whole): ReplyPlan | null {
  if (typed?.kind === 'whole') {
    return { element, shape: 'whole', value: whole.object(typed.shape), nonNull: false };
  }
  const slot = typed?.kind === 'unwrap' ? whole.slot('value', typed.field) : null;
  if (slot === null) return null;
  return {
    element,
    shape: 'unwrap',
    value: { kind: 'object', variants: new Map(), declared: { slots: [slot] } },
    nonNull: false,
  };
}

const WHOLE_TABLE = ['name', 'rows', 'before'].map((name) => ({ key: name, name }));

/**
 * A shape whose elements of unknown types are read as the declared one: what a Fault says is
 * reported.
 */
const ofAnyType = (shape: ElementShape): Omit<ElementShape, 'declaredType'> => ({
  declared: shape.declared,
  get variants() {
    return shape.variants;
  },
});

/** Plans each shape once, so that types may be recursive: their plans are then, too. */
class Whole {
  readonly #rights: FieldRights | null;
  readonly #objects = new Map<ElementShape, replyPlans.ObjectPlan>();

  constructor(rights: FieldRights | null) {
    this.#rights = rights;
  }

  object(shape: ElementShape): replyPlans.ObjectPlan {
    return getOrMake(
      this.#objects,
      shape,
      () =>
        new replyPlans.LazyObject(ofAnyType(shape), (object: ObjectShape) => this.#variant(object)),
    );
  }

  /** Null where the reader may not have the value as it is. */
  slot(key: string, { rule, source, list, value }: FieldShape): FieldSlot | null {
    if ((this.#rights?.decide(rule) ?? null) !== null) return null;
    // Present values are reported, also of incomplete Faults.
    const common = { key, list, nonNull: false, itemNonNull: false };
    if (value.kind !== 'choice') return { ...common, source, value: this.#value(value) };
    const branches = value.branches.map(({ name, shape }) => ({ name, value: this.object(shape) }));
    return { ...common, source: { from: 'choice', branches }, value: { kind: 'opaque' } };
  }

  /** Arrays nest up to a bound. */
  #value(value: Exclude<ValueShape, { readonly kind: 'choice' }>): replyPlans.ValuePlan {
    if (value.kind === 'object') return this.object(value.shape);
    if (value.kind === 'any') return anyPlan(value, this.#rights);
    if (value.kind === 'tables') return tablesPlan(value, WHOLE_TABLE, this.#rights);
    return value.kind === 'list'
      ? { kind: 'list', itemNonNull: false, value: this.#value(value.item) }
      : value;
  }

  #variant({ fields }: ObjectShape): replyPlans.ObjectVariant {
    const slots: FieldSlot[] = [];
    for (const [key, field] of fields) {
      if (slots.length === SLOTS_MAX) break;
      // For GraphQL only: the place of a type without content.
      const slot = key === '_' ? null : this.slot(key, field);
      if (slot !== null) {
        slots.push(slot);
      }
    }
    return { slots };
  }
}

/** Whether a detail may hold what the reader may not have; `everyRule`: of what is not declared. */
function mayRestrict(
  entries: readonly FaultShape[],
  rights: FieldRights,
  everyRule: FieldRule | undefined,
): boolean {
  const isForbidden = (rule: FieldRule | undefined): boolean =>
    (rights.decide(rule) ?? null) !== null;
  if (isForbidden(everyRule)) return true;
  const seen = new Set<ElementShape>();
  for (const { typed } of entries) {
    if (typed?.kind === 'whole') {
      seen.add(typed.shape);
    }
    if (typed?.kind !== 'unwrap') continue;
    if (isForbidden(typed.field.rule)) return true;
    for (const shape of shapesIn(typed.field.value)) {
      seen.add(shape);
    }
  }
  // A set goes on to what is added meanwhile.
  for (const { declared, variants } of seen) {
    for (const { fields } of declared === null
      ? variants.values()
      : [declared, ...variants.values()]) {
      for (const { rule, value } of fields.values()) {
        if (isForbidden(rule)) return true;
        for (const shape of shapesIn(value)) {
          seen.add(shape);
        }
      }
    }
  }
  return false;
}

function shapesIn(value: ValueShape): readonly ElementShape[] {
  let inner = value;
  while (inner.kind === 'list') {
    inner = inner.item;
  }
  if (inner.kind === 'choice') return inner.branches.map(({ shape }) => shape);
  return inner.kind === 'object' ? [inner.shape] : [];
}
