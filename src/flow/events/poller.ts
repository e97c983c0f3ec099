import { asRefusal } from '../../base/refusal.js';
import type { Decoded, ReplyPlan, Slot } from '../../codec/plan/plan.js';
import type { BoundField } from '../../graphql/fields/bound-field.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import { planOf } from '../../graphql/subscription/event-values.js';
import type { PollSource } from '../../graphql/subscription/subscription.js';

/** What a poll brought for one subscriber. */
export type Polled =
  | { readonly kind: 'value'; readonly decoded: Decoded }
  | { readonly kind: 'failed'; readonly caught: unknown };

export interface PollMember {
  readonly plan: ReplyPlan;
  /** Called with the first answer, and whenever it has changed. `bytes` is about what it takes. */
  told(polled: Polled, bytes: number): void;
}

/** Calls the backend; `signal` is aborted when nobody waits any more. */
export type PollCall = (call: FieldCall, signal: AbortSignal) => Promise<Decoded>;

interface Member {
  readonly member: PollMember;
  /** Of what it was told last; null before that. */
  signature: string | null;
}

/**
 * Repeats one call for all who ask for the same thing, each with a selection of its own: the reply is read once, for
 * all of them side by side.
 */
export class Poller {
  readonly #members = new Set<Member>();
  readonly #bound: BoundField;
  readonly #given: Pick<FieldCall, 'arguments' | 'headers'>;
  readonly #source: PollSource;
  readonly #call: PollCall;
  readonly #departure = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(bound: BoundField, given: Pick<FieldCall, 'arguments' | 'headers'>, source: PollSource, call: PollCall) {
    this.#bound = bound;
    this.#given = given;
    this.#source = source;
    this.#call = call;
  }

  get isIdle(): boolean {
    return this.#members.size === 0;
  }

  /** Joins; the answer leaves. */
  join(member: PollMember): () => void {
    const entry: Member = { member, signature: null };
    this.#members.add(entry);
    if (this.#members.size === 1 && this.#timer === null) this.#timer = setTimeout(this.#tick, 0);
    return () => {
      this.#members.delete(entry);
      if (this.#members.size > 0) return;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#departure.abort();
    };
  }

  readonly #tick = async (): Promise<void> => {
    await this.#poll([...this.#members]);
    if (this.#members.size === 0) return;
    this.#timer = setTimeout(this.#tick, this.#source.everyMillis);
  };

  async #poll(members: readonly Member[]): Promise<void> {
    const plans = [...new Set(members.map(({ member }) => member.plan))];
    const merged = mergedPlan(plans, this.#source.changed);
    try {
      const decoded = await this.#call(
        { bound: this.#bound, plan: merged.plan, ...this.#given },
        this.#departure.signal,
      );
      const changed = merged.changed(decoded);
      const parts = new Map(plans.map((plan, index) => [plan, merged.part(decoded, index)]));
      for (const entry of members) {
        const part = parts.get(entry.member.plan);
        if (part === undefined || !this.#members.has(entry)) continue;
        const text = JSON.stringify([part.value, part.errors]);
        tell(entry, changed ?? text, { kind: 'value', decoded: part }, text.length);
      }
    } catch (caught) {
      if (this.#departure.signal.aborted) return;
      for (const entry of members) {
        if (this.#members.has(entry)) tell(entry, `! ${asRefusal(caught).code}`, { kind: 'failed', caught }, 0);
      }
    }
  }
}

function tell(entry: Member, signature: string, polled: Polled, bytes: number): void {
  if (entry.signature === signature) return;
  entry.signature = signature;
  entry.member.told(polled, bytes);
}

interface MergedPlan {
  readonly plan: ReplyPlan;
  /** What the plan with this index has read. */
  part(decoded: Decoded, index: number): Decoded;
  /** The value whose change is told, as a text; null where it is all that was selected. */
  changed(decoded: Decoded): string | null;
}

const CHANGED = 'changed';

/** One plan that reads the element of the reply once for each. */
function mergedPlan(plans: readonly ReplyPlan[], changed: ReplyPlan | null): MergedPlan {
  const [first] = plans;
  if (first === undefined) throw new Error('a poll for nobody');
  if (!isMergeable(first)) return { plan: first, part: (decoded) => decoded, changed: () => null };
  const slots = plans.map((plan, index) => selfSlot(String(index), plan));
  if (changed !== null) slots.push(selfSlot(CHANGED, changed));
  const plan = planOf(first.element, slots);
  const { faults } = first;
  return {
    plan: faults === undefined ? plan : { ...plan, faults },
    part: ({ value, errors, furtherErrors }, index) => {
      const own = plans[index] ?? first;
      const steps = own.shape === 'unwrap' ? 2 : 1;
      const object = memberOf(value, String(index));
      return {
        value: own.shape === 'unwrap' ? memberOf(object, own.value.declared?.slots[0]?.key ?? '') : object,
        errors: errors
          .filter(({ path }) => path[0] === String(index))
          .map((error) => ({ ...error, path: error.path.slice(steps) })),
        furtherErrors,
      };
    },
    changed: ({ value }) => (changed === null ? null : `= ${JSON.stringify(memberOf(value, CHANGED))}`),
  };
}

/** A Fault that is an answer is read as one selection only, and where there is nothing to read there is nothing to merge. */
export const isMergeable = (plan: ReplyPlan): boolean => plan.shape !== 'done' && plan.faults?.as !== 'data';

const selfSlot = (key: string, { value }: ReplyPlan): Slot => ({
  key,
  source: { from: 'self' },
  list: false,
  nonNull: false,
  itemNonNull: false,
  value,
});

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (Reflect.get(value, key) ?? null) : null;
