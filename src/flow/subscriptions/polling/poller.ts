import { performance } from 'node:perf_hooks';
import type { ReplyPlan } from '../../../codec/index.js';
import { asRefusal, Cancellation, type Refusal } from '../../../core/index.js';
import type { CallRelay } from '../../calls/relayed-call.js';
import { FREE, type PollPayment } from './poll-account.js';
import { PollBilling } from './poll-accounts.js';
import {
  deliver,
  halvesOf,
  type PlacedMember,
  POOR,
  type PollMember,
  plansOf,
  UNPAID,
} from './poll-members.js';
import {
  isAnswered,
  mayBeOfOne,
  type PollAttempt,
  type PolledCall,
  type PollParts,
  readPoll,
} from './poll-reader.js';
import type { PollShare } from './poll-share.js';

/**
 * A process without the lease waits so many intervals for the next reply, and longer at short ones.
 */
const WAIT_INTERVALS = 1.25;
const WAIT_MIN_MILLIS = 250;
const waitMillis = (everyMillis: number): number =>
  Math.max(WAIT_MIN_MILLIS, WAIT_INTERVALS * everyMillis);
/** After a call without a reply: longer than the others wait. */
const FAILED_FACTOR = 1.2;
/** Without a reply for so long it calls, whichever process has the lease. */
const SILENT_INTERVALS = 3;
const SILENT_MIN_MILLIS = 15_000;

type Member = PlacedMember<Poller>;

/** The poller that another was parted from. */
interface Parting {
  readonly poller: Poller;
  /** True if members go back to that poller as soon as they get values again. */
  readonly isReturning: boolean;
}

/**
 * Repeats one call for all subscribers with the same arguments, each with a selection of its own:
 * the reply is read once, for all of them side by side. Those with whose selections it cannot be
 * read get a poller of their own.
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
  /** Null where this process polls for itself. */
  readonly #share: PollShare | null;
  /** Gives the reply of another process, while that is read. */
  #replaying: CallRelay | null = null;
  /** When this process has read a reply, by a call or of another process. */
  #readMillis = performance.now();
  readonly #subscribers = new PollBilling(() => this.#next(0));

  /** `share` gets what is to be done when another process has a reply. */
  constructor(
    polled: PolledCall,
    everyMillis: number,
    share: ((arrived: () => void) => PollShare) | null = null,
    parting: Parting | null = null,
  ) {
    this.#share =
      share?.(() => {
        if (!this.#isAsking) {
          this.#schedule(0);
        }
      }) ?? null;
    this.#polled = polled;
    this.#everyMillis = everyMillis;
    this.#parting = parting;
  }

  get isIdle(): boolean {
    return this.#members.size === 0 && this.#apart.size === 0;
  }

  /** No subscriber is left. */
  close(): void {
    this.#share?.poll.leave();
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
    if (entries.some(({ isNew }) => isNew)) {
      this.#next(0);
    } else if (this.#timer === null) {
      this.#next(this.#everyMillis);
    }
  }

  #lose(entries: readonly Member[]): void {
    for (const entry of entries) {
      this.#members.delete(entry);
    }
    this.#subscribers.keep([...this.#members]);
    if (this.#members.size > 0) return;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    this.#departure.abort();
    this.#share?.poll.release();
    if (this.#parting !== null) {
      this.#parting.poller.#forgetIdle();
    }
  }

  #forgetIdle(): void {
    for (const [plan, poller] of this.#apart) {
      if (poller.isIdle) {
        this.#apart.delete(plan);
      }
    }
    if (this.isIdle && this.#parting !== null) {
      this.#parting.poller.#forgetIdle();
    }
  }

  #next(millis: number, step = this.#tick): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = setTimeout(step, millis);
  }

  readonly #tick = async (): Promise<void> => {
    this.#timer = null;
    // A permit that was waited for may come meanwhile.
    if (this.#isAsking) return;
    const share = this.#share;
    if (share !== null && !(await this.#mayCall(share))) return this.#schedule(this.#everyMillis);
    const members = [...this.#members];
    const payment = this.#subscribers.next(members);
    if (typeof payment === 'string') {
      share?.poll.release();
    }
    // New subscribers go on waiting; one that need not wait may join.
    if (payment === 'waiting') return this.#next(this.#everyMillis);
    if (payment === 'poor') {
      for (const entry of members) {
        entry.isNew = false;
      }
      for (const entry of members) {
        deliver(entry, POOR, UNPAID, 0);
      }
    } else {
      await this.#ask(members, payment, share?.call() ?? null);
    }
    this.#schedule(
      share?.hasFailed === true ? FAILED_FACTOR * waitMillis(this.#everyMillis) : this.#everyMillis,
    );
  };

  /**
   * Whether this process calls now: it has the lease, or a subscriber waits, or nothing comes from
   * the others.
   */
  async #mayCall(share: PollShare): Promise<boolean> {
    this.#isAsking = true;
    const isCaller = await share.poll.acquire();
    this.#isAsking = false;
    if (this.#members.size === 0) {
      share.poll.release();
      return false;
    }
    const silentMillis = Math.max(SILENT_INTERVALS * this.#everyMillis, SILENT_MIN_MILLIS);
    const isSilent = performance.now() - this.#readMillis > silentMillis;
    return isCaller || isSilent || [...this.#members].some(({ isNew }) => isNew);
  }

  /** Reads a reply of another process. */
  readonly #readShared = async (): Promise<void> => {
    this.#timer = null;
    const reply = this.#share?.take() ?? null;
    if (reply === null) return this.#schedule(this.#everyMillis);
    if (reply === 'long') {
      for (const entry of this.#members) {
        entry.isNew = true;
      }
      return this.#schedule(0);
    }
    this.#subscribers.stop();
    this.#replaying = reply;
    await this.#ask([...this.#members], FREE, reply);
    this.#replaying = null;
    // The process with the lease is given time for its call.
    this.#schedule(waitMillis(this.#everyMillis));
  };

  async #ask(
    members: readonly Member[],
    payment: PollPayment,
    relay: CallRelay | null,
  ): Promise<void> {
    for (const entry of members) {
      entry.isNew = false;
    }
    this.#isAsking = true;
    this.#departure = new Cancellation();
    await this.#poll(members, { payment, relay, signal: this.#departure });
    this.#isAsking = false;
    this.#readMillis = performance.now();
  }

  /**
   * Subscribers that joined meanwhile have no answer yet, and replies of other processes are read
   * at once.
   */
  #schedule(millis: number): void {
    if (this.#members.size === 0) return;
    if (this.#share?.hasReply === true) {
      this.#next(0, this.#readShared);
    } else {
      this.#next([...this.#members].some(({ isNew }) => isNew) ? 0 : millis);
    }
  }

  async #poll(members: readonly Member[], attempt: PollAttempt): Promise<void> {
    const plans = plansOf(members);
    const failure = await this.#read(plans, members, attempt);
    if (failure === null) {
      const { poller = null, isReturning = false } = this.#parting ?? {};
      if (poller !== null && isReturning) {
        this.#move(plans, poller);
      }
    } else if (plans.length === 1 || !mayBeOfOne(failure)) {
      this.#fail(members, failure);
    } else {
      await this.#partFrom(plans, failure);
    }
  }

  /** Reads and sends the present value. Null, or the refusal. */
  async #read(
    plans: readonly ReplyPlan[],
    members: readonly Member[],
    attempt: PollAttempt,
  ): Promise<Refusal | null> {
    let read: PollParts;
    try {
      read = await readPoll(this.#polled, plans, attempt);
    } catch (caught) {
      return asRefusal(caught);
    }
    for (const plan of plans) {
      this.#proven.add(plan);
    }
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
      if (this.#members.has(entry)) {
        deliver(entry, `! ${caught.code}`, { kind: 'failed', caught }, 0);
      }
    }
  }

  /**
   * Something could not be read for all: finds those for whom it cannot, and goes on without them.
   */
  async #partFrom(plans: readonly ReplyPlan[], failure: Refusal): Promise<void> {
    const attempt = this.#attemptFor(plans);
    if (attempt === null) return this.#partUnread(plans);
    const [first] = plans;
    if (first === undefined || !(await isAnswered(this.#polled, first, attempt))) {
      return this.#fail(this.#asking(plans), failure);
    }
    const open = halvesOf(plans, this.#proven).reverse();
    const read: (readonly ReplyPlan[])[] = [];
    let isFound = false;
    for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
      const asking = this.#asking(piece);
      if (asking.length === 0) continue;
      const paid = this.#attemptFor(piece);
      const failed = paid === null ? null : await this.#read(piece, asking, paid);
      if (failed === null) {
        if (paid !== null) {
          read.push(piece);
        } else {
          isFound = true;
          // A poller of its own reports that, or waits there.
          this.#part(piece, true).#next(0);
        }
      } else if (piece.length > 1 && mayBeOfOne(failed)) {
        open.push(...halvesOf(piece, this.#proven).reverse());
      } else {
        isFound = true;
        this.#fail(asking, failed);
        if (mayBeOfOne(failed)) {
          this.#part(piece, true);
        }
      }
    }
    // Each can be read, only not all together.
    if (!isFound) {
      for (const piece of read.slice(1)) {
        this.#part(piece, false);
      }
    }
  }

  /** No subscriber can pay for the search: the last ones get a poller of their own. */
  #partUnread(plans: readonly ReplyPlan[]): void {
    this.#part(halvesOf(plans, this.#proven).slice(1).flat(), true).#next(0);
    for (const entry of this.#members) {
      entry.isNew = true;
    }
  }

  #asking(plans: readonly ReplyPlan[]): readonly Member[] {
    return [...this.#members].filter(({ member }) => plans.includes(member.plan));
  }

  /** A further reading. Null where no subscriber with this selection can pay for it at once. */
  #attemptFor(plans: readonly ReplyPlan[]): PollAttempt | null {
    const [signal, relay] = [this.#departure, this.#replaying];
    if (relay !== null) return { payment: FREE, signal, relay };
    const payment = this.#subscribers.next(this.#asking(plans));
    this.#subscribers.stop();
    return typeof payment === 'string' ? null : { payment, signal, relay };
  }

  #part(plans: readonly ReplyPlan[], isReturning: boolean): Poller {
    const apart = new Poller(this.#polled, this.#everyMillis, null, { poller: this, isReturning });
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
