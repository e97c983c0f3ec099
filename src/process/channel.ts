/**
 * The calls that one side of a channel takes: by name, the data that comes with each and the
 * answer.
 */
type Calls = Readonly<Record<string, { readonly data: unknown; readonly answer: unknown }>>;

/** Answers calls; a call that is answered by nothing is told, not asked. */
type Handlers<C extends Calls> = {
  readonly [K in keyof C]?: (data: C[K]['data']) => C[K]['answer'] | Promise<C[K]['answer']>;
};

/** A question, or an announcement: its number is null, for no answer is expected. */
interface Call {
  readonly call: string;
  readonly number: number | null;
  readonly data: unknown;
}

/** What crosses a channel. */
export type Message =
  | Call
  | { readonly answered: number; readonly data: unknown }
  | { readonly failed: number };

/**
 * Why a question got no answer: the other side has ended, is late, owes too many answers, or has
 * failed.
 */
type Reason = 'ended' | 'late' | 'busy' | 'failed';

/** A question that got no answer. */
export class Unanswered extends Error {
  readonly reason: Reason;

  constructor(call: string, reason: Reason) {
    super(`the question ${call} was not answered: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Answers of one kind that the other side may owe: a process that hangs must not collect questions
 * without end.
 */
const OWED_MAX = 16;

/** Announcements that are kept for handlers to come; the first of more are. */
const EARLY_MAX = 1024;

/** A question that was sent. The types of data hold on both sides, for both are of one program. */
interface Question {
  readonly call: string;
  end(outcome: unknown): void;
}

type Handler = (data: unknown) => unknown;

/**
 * Questions, their answers and announcements between two sides, each of which takes the calls of
 * one table. The other side is a process of the same program; what it sends and this one does not
 * understand is ignored.
 */
export class Channel<Theirs extends Calls, Ours extends Calls> {
  readonly #send: (message: Message) => Promise<void>;
  readonly #handlers = new Map<string, Handler>();
  /**
   * Announcements that came before the handlers of their calls: a process may begin for seconds.
   */
  #early: Call[] = [];
  #failed: (error: unknown) => void = () => {};
  /** Questions that the other side owes an answer to, also those that are no longer waited for. */
  readonly #owed = new Map<number, Question>();
  #number = 0;
  #isClosed = false;

  /** `send` resolves when a message is with the system, or cannot be sent. */
  constructor(send: (message: Message) => Promise<void>) {
    this.#send = send;
  }

  /**
   * Takes more calls from now on, and announcements of them that came before. `failed` reports the
   * error of a handler, whose question stays without an answer.
   */
  answer(handlers: Handlers<Ours>, failed: (error: unknown) => void): void {
    for (const [call, handler] of Object.entries<Handler | undefined>(handlers)) {
      if (handler !== undefined) {
        this.#handlers.set(call, handler);
      }
    }
    this.#failed = failed;
    const early = this.#early;
    this.#early = [];
    for (const call of early) {
      void this.#take(call);
    }
  }

  /** Sends a call that needs no answer. Resolves when it is with the system, or cannot be sent. */
  async tell<K extends keyof Theirs & string>(call: K, data: Theirs[K]['data']): Promise<void> {
    if (!this.#isClosed) {
      await this.#send({ call, number: null, data });
    }
  }

  /**
   * Resolves to the answer. Rejects with `Unanswered`, after `limitMillis` at the latest where
   * there is a limit.
   */
  ask<K extends keyof Theirs & string>(
    call: K,
    data: Theirs[K]['data'],
    limitMillis: number | null = null,
  ): Promise<Theirs[K]['answer']> {
    if (this.#isClosed) return Promise.reject(new Unanswered(call, 'ended'));
    if (this.owes(call) >= OWED_MAX) return Promise.reject(new Unanswered(call, 'busy'));
    const number = ++this.#number;
    return new Promise<Theirs[K]['answer']>((resolve, reject) => {
      const late = (): void => reject(new Unanswered(call, 'late'));
      const timer = limitMillis === null ? null : setTimeout(late, limitMillis);
      this.#owed.set(number, {
        call,
        end(outcome: Theirs[K]['answer'] | Unanswered) {
          if (timer !== null) {
            clearTimeout(timer);
          }
          if (outcome instanceof Unanswered) {
            reject(outcome);
          } else {
            resolve(outcome);
          }
        },
      });
      void this.#send({ call, number, data });
    });
  }

  /** How many answers to this question the other side owes. */
  owes(call: keyof Theirs & string): number {
    let owed = 0;
    for (const question of this.#owed.values()) {
      if (question.call === call) {
        owed++;
      }
    }
    return owed;
  }

  /** Takes what the other side has sent. */
  receive(message: Message): void {
    if (typeof message !== 'object' || message === null) return;
    if ('call' in message) {
      void this.#take(message);
    } else if ('answered' in message) {
      this.#end(message.answered, () => message.data);
    } else if ('failed' in message) {
      this.#end(message.failed, (call) => new Unanswered(call, 'failed'));
    }
  }

  /**
   * The other side has ended: nothing is sent any more, and what was asked stays without an answer.
   */
  close(): void {
    this.#isClosed = true;
    for (const number of [...this.#owed.keys()]) {
      this.#end(number, (call) => new Unanswered(call, 'ended'));
    }
  }

  async #take(taken: Call): Promise<void> {
    const { call, number, data } = taken;
    const handler = this.#handlers.get(call);
    if (handler === undefined) {
      if (number === null && this.#early.length < EARLY_MAX) {
        this.#early.push(taken);
      }
      return;
    }
    try {
      const answer = await handler(data);
      if (number !== null) {
        await this.#send({ answered: number, data: answer });
      }
    } catch (error) {
      this.#failed(error);
      if (number !== null) {
        await this.#send({ failed: number });
      }
    }
  }

  #end(number: number, outcomeOf: (call: string) => unknown): void {
    const question = this.#owed.get(number);
    this.#owed.delete(number);
    question?.end(outcomeOf(question.call));
  }
}
