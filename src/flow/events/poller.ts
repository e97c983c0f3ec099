import { asRefusal, Refusal } from '../../base/refusal.js';
import type { Decoded, ReplyPlan, Slot } from '../../codec/plan/plan.js';
import type { BoundField } from '../../graphql/fields/bound-field.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import { planOf } from '../../graphql/subscription/event-values.js';
import type { PollSource } from '../../graphql/subscription/subscription.js';
import { type Payer, Payers } from './payers.js';
import type { PollAccount, PollPayment } from './poll-account.js';

/** What a poll brought for one subscriber. */
export type Polled =
  | { readonly kind: 'value'; readonly decoded: Decoded }
  | { readonly kind: 'failed'; readonly caught: unknown };

export interface PollMember {
  readonly plan: ReplyPlan;
  /** Calls are paid for in turns, each by one who can; and nobody is told what it cannot pay. */
  readonly account: PollAccount;
  /** Called with the first answer, and whenever it has changed. `bytes` is about what it takes. */
  told(polled: Polled, bytes: number): void;
}

/** Calls the backend; `signal` is aborted when nobody waits any more. */
export type PollCall = (call: FieldCall, signal: AbortSignal) => Promise<Decoded>;

interface Member extends Payer {
  readonly member: PollMember;
  /** Of what it was told last; null before that. */
  signature: string | null;
  /** It has just come. */
  isNew: boolean;
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
  #isAsking = false;
  readonly #payers = new Payers(() => this.#next(0));

  constructor(bound: BoundField, given: Pick<FieldCall, 'arguments' | 'headers'>, source: PollSource, call: PollCall) {
    this.#bound = bound;
    this.#given = given;
    this.#source = source;
    this.#call = call;
  }

  get isIdle(): boolean {
    return this.#members.size === 0;
  }

  /** Joins, and is told at once what it is now; the answer leaves. */
  join(member: PollMember): () => void {
    const entry: Member = { member, account: member.account, signature: null, isNew: true, isPrepaid: true };
    this.#members.add(entry);
    if (!this.#isAsking) this.#next(0);
    return () => {
      this.#members.delete(entry);
      this.#payers.keep([...this.#members]);
      if (this.#members.size > 0) return;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#departure.abort();
    };
  }

  #next(millis: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tick, millis);
  }

  readonly #tick = async (): Promise<void> => {
    const members = [...this.#members];
    const payment = this.#payers.next(members);
    // Who waits has heard nothing, and somebody else may come who need not.
    if (payment === 'waiting') return this.#next(this.#source.everyMillis);
    for (const entry of members) entry.isNew = false;
    if (payment === 'poor') for (const entry of members) tell(entry, POOR, UNPAID, 0);
    else {
      this.#isAsking = true;
      await this.#poll(members, payment);
      this.#isAsking = false;
    }
    const rest = [...this.#members];
    // Who came meanwhile has heard nothing yet.
    if (rest.length > 0) this.#next(rest.some(({ isNew }) => isNew) ? 0 : this.#source.everyMillis);
  };

  async #poll(members: readonly Member[], payment: PollPayment): Promise<void> {
    const plans = [...new Set(members.map(({ member }) => member.plan))];
    const merged = mergedPlan(plans, this.#source.changed);
    try {
      const decoded = await this.#ask(merged.plan, payment);
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

  async #ask(plan: ReplyPlan, payment: PollPayment): Promise<Decoded> {
    let read: Decoded | null = null;
    try {
      read = await this.#call({ bound: this.#bound, plan, ...this.#given }, this.#departure.signal);
      return read;
    } finally {
      payment.settle(read);
    }
  }
}

function tell(entry: Member, signature: string, polled: Polled, bytes: number): void {
  if (entry.signature === signature) return;
  const { member } = entry;
  if (polled.kind === 'value' && !member.account.canAnswer()) {
    tell(entry, POOR, UNPAID, 0);
    return;
  }
  entry.signature = signature;
  member.told(polled, bytes);
}

const POOR = '! RATE_LIMITED';
const UNPAID: Polled = { kind: 'failed', caught: new Refusal('RATE_LIMITED') };

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
  if (!isMergeable(first))
    return { plan: first, part: (decoded) => ({ ...decoded, calls: 0, replyBytes: 0 }), changed: () => null };
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
        calls: 0,
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
