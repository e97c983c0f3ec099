import { Cancellation } from '../../base/cancellation.js';
import { asRefusal, Refusal } from '../../base/refusal.js';
import type { Decoded, ReplyPlan } from '../../codec/plan/plan.js';
import type { PollAccount, PollPayment } from './poll-account.js';
import { type BilledSubscriber, PollBilling } from './poll-accounts.js';
import { isAnswered, mayBeOfOne, type PolledCall, type PollParts, readPoll } from './poll-reader.js';

/** The result of a poll for one subscriber. */
export type Polled =
  | { readonly kind: 'value'; readonly decoded: Decoded }
  | { readonly kind: 'failed'; readonly caught: unknown };

export interface PollMember {
  readonly plan: ReplyPlan;
  /** Each call is charged to one subscriber in turn that can pay; answers go only to subscribers that can pay them. */
  readonly account: PollAccount;
  /** Called with the first answer, and whenever it has changed. `bytes` is about what it takes. */
  send(polled: Polled, bytes: number): void;
}

interface Member extends BilledSubscriber {
  readonly member: PollMember;
  /** The poller that it belongs to now. */
  poller: Poller;
  /** Of the value that was sent last; null before that. */
  signature: string | null;
  /** It has just come. */
  isNew: boolean;
}

/** Where a poller was parted from. */
interface Parting {
  readonly poller: Poller;
  /** Its members go back as soon as they get values again. */
  readonly isReturning: boolean;
}

/**
 * Repeats one call for all subscribers with the same arguments, each with a selection of its own: the reply is read once, for
 * all of them side by side. Those with whose selections it cannot be read get a poller of their own.
 */
export class Poller {
  readonly #members = new Set<Member>();
  readonly #polled: PolledCall;
  readonly #everyMillis: number;
  readonly #parting: Parting | null;
  /** Plans that failed together with the others, each in a poller of its own. */
  readonly #apart = new Map<ReplyPlan, Poller>();
  /** Plans that were read together with the others. */
  readonly #proven = new WeakSet<ReplyPlan>();
  #departure = new Cancellation();
  #timer: NodeJS.Timeout | null = null;
  #isAsking = false;
  readonly #subscribers = new PollBilling(() => this.#next(0));

  constructor(polled: PolledCall, everyMillis: number, parting: Parting | null = null) {
    this.#polled = polled;
    this.#everyMillis = everyMillis;
    this.#parting = parting;
  }

  get isIdle(): boolean {
    return this.#members.size === 0 && this.#apart.size === 0;
  }

  /** Joins, and gets the present value at once; the answer leaves. */
  join(member: PollMember): () => void {
    const entry: Member = {
      member,
      account: member.account,
      poller: this,
      signature: null,
      isNew: true,
      isPrepaid: true,
    };
    this.#pollerFor(member.plan).#take([entry]);
    return () => entry.poller.#lose([entry]);
  }

  #pollerFor(plan: ReplyPlan): Poller {
    const apart = this.#apart.get(plan);
    return apart === undefined ? this : apart.#pollerFor(plan);
  }

  #take(entries: readonly Member[]): void {
    for (const entry of entries) {
      entry.poller = this;
      this.#members.add(entry);
    }
    if (this.#isAsking) return;
    if (entries.some(({ isNew }) => isNew)) this.#next(0);
    else if (this.#timer === null) this.#next(this.#everyMillis);
  }

  #lose(entries: readonly Member[]): void {
    for (const entry of entries) this.#members.delete(entry);
    this.#subscribers.keep([...this.#members]);
    if (this.#members.size > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#departure.abort();
    if (this.#parting !== null) this.#parting.poller.#forgetIdle();
  }

  #forgetIdle(): void {
    for (const [plan, poller] of this.#apart) if (poller.isIdle) this.#apart.delete(plan);
    if (this.isIdle && this.#parting !== null) this.#parting.poller.#forgetIdle();
  }

  #next(millis: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tick, millis);
  }

  readonly #tick = async (): Promise<void> => {
    this.#timer = null;
    const members = [...this.#members];
    const payment = this.#subscribers.next(members);
    // New subscribers go on waiting; one that need not wait may join.
    if (payment === 'waiting') return this.#next(this.#everyMillis);
    for (const entry of members) entry.isNew = false;
    if (payment === 'poor') for (const entry of members) deliver(entry, POOR, UNPAID, 0);
    else {
      this.#isAsking = true;
      this.#departure = new Cancellation();
      await this.#poll(members, payment);
      this.#isAsking = false;
    }
    const rest = [...this.#members];
    // Subscribers that joined meanwhile have no answer yet.
    if (rest.length > 0) this.#next(rest.some(({ isNew }) => isNew) ? 0 : this.#everyMillis);
  };

  async #poll(members: readonly Member[], payment: PollPayment): Promise<void> {
    const plans = plansOf(members);
    const failure = await this.#read(plans, members, payment);
    if (failure === null) {
      const { poller = null, isReturning = false } = this.#parting ?? {};
      if (poller !== null && isReturning) this.#move(plans, poller);
    } else if (plans.length === 1 || !mayBeOfOne(failure)) this.#fail(members, failure);
    else await this.#partFrom(plans, failure);
  }

  /** Reads and sends the present value. Null, or the refusal. */
  async #read(plans: readonly ReplyPlan[], members: readonly Member[], payment: PollPayment): Promise<Refusal | null> {
    let read: PollParts;
    try {
      read = await readPoll(this.#polled, plans, payment, this.#departure);
    } catch (caught) {
      return asRefusal(caught);
    }
    for (const plan of plans) this.#proven.add(plan);
    for (const entry of members) {
      const part = read.parts.get(entry.member.plan);
      if (part === undefined || !this.#members.has(entry)) continue;
      const text = JSON.stringify([part.value, part.errors]);
      deliver(entry, read.changed ?? text, { kind: 'value', decoded: part }, text.length);
    }
    return null;
  }

  #fail(members: readonly Member[], caught: Refusal): void {
    for (const entry of members) {
      if (this.#members.has(entry)) deliver(entry, `! ${caught.code}`, { kind: 'failed', caught }, 0);
    }
  }

  /** Something could not be read for all: finds those for whom it cannot, and goes on without them. */
  async #partFrom(plans: readonly ReplyPlan[], failure: Refusal): Promise<void> {
    const payment = this.#paymentOf(plans);
    if (payment === null) return this.#partUnread(plans);
    const signal = this.#departure;
    const [first] = plans;
    if (first === undefined || !(await isAnswered(this.#polled, first, payment, signal))) {
      return this.#fail(this.#asking(plans), failure);
    }
    const open = halvesOf(plans, this.#proven).reverse();
    const read: (readonly ReplyPlan[])[] = [];
    let isFound = false;
    for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
      const asking = this.#asking(piece);
      if (asking.length === 0) continue;
      const paid = this.#paymentOf(piece);
      const failed = paid === null ? null : await this.#read(piece, asking, paid);
      if (failed === null) {
        if (paid !== null) read.push(piece);
        else {
          isFound = true;
          // A poller of its own reports that, or waits there.
          this.#part(piece, true).#next(0);
        }
      } else if (piece.length > 1 && mayBeOfOne(failed)) open.push(...halvesOf(piece, this.#proven).reverse());
      else {
        isFound = true;
        this.#fail(asking, failed);
        if (mayBeOfOne(failed)) this.#part(piece, true);
      }
    }
    // Each can be read, only not all together.
    if (!isFound) for (const piece of read.slice(1)) this.#part(piece, false);
  }

  /** No subscriber can pay for the search: the last ones get a poller of their own. */
  #partUnread(plans: readonly ReplyPlan[]): void {
    this.#part(halvesOf(plans, this.#proven).slice(1).flat(), true).#next(0);
    for (const entry of this.#members) entry.isNew = true;
  }

  #asking(plans: readonly ReplyPlan[]): readonly Member[] {
    return [...this.#members].filter(({ member }) => plans.includes(member.plan));
  }

  /** Null where no subscriber with this selection can pay at once. */
  #paymentOf(plans: readonly ReplyPlan[]): PollPayment | null {
    const payment = this.#subscribers.next(this.#asking(plans));
    this.#subscribers.stop();
    return typeof payment === 'string' ? null : payment;
  }

  #part(plans: readonly ReplyPlan[], isReturning: boolean): Poller {
    const apart = new Poller(this.#polled, this.#everyMillis, { poller: this, isReturning });
    for (const plan of plans) {
      this.#proven.delete(plan);
      this.#apart.set(plan, apart);
    }
    this.#move(plans, apart);
    this.#forgetIdle();
    return apart;
  }

  #move(plans: readonly ReplyPlan[], poller: Poller): void {
    const moved = this.#asking(plans);
    poller.#take(moved);
    this.#lose(moved);
  }
}

const plansOf = (members: readonly Member[]): readonly ReplyPlan[] => [
  ...new Set(members.map(({ member }) => member.plan)),
];

/** The plans that could be read before, and the rest; or one half and the other. */
function halvesOf(plans: readonly ReplyPlan[], proven: WeakSet<ReplyPlan>): ReplyPlan[][] {
  const known = plans.filter((plan) => proven.has(plan));
  const middle = known.length === 0 || known.length === plans.length ? Math.ceil(plans.length / 2) : known.length;
  const sorted = [...known, ...plans.filter((plan) => !proven.has(plan))];
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

function deliver(entry: Member, signature: string, polled: Polled, bytes: number): void {
  if (entry.signature === signature) return;
  const { member } = entry;
  if (polled.kind === 'value' && !member.account.canAnswer()) {
    deliver(entry, POOR, UNPAID, 0);
    return;
  }
  entry.signature = signature;
  member.send(polled, bytes);
}

const POOR = '! RATE_LIMITED';
const UNPAID: Polled = { kind: 'failed', caught: new Refusal('RATE_LIMITED') };
