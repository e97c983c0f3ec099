import { randomBytes } from 'node:crypto';
import type { CancelSignal } from '../../core/index.js';
import type {
  ConfirmationChannel,
  ConfirmationNews,
  ConfirmationUse,
} from '../../gateway/shared/confirmation-channel.js';
import { OnceMemory } from '../../gateway/shared/once-memory.js';

/** How the wait for a person ended. */
export type Confirmed = 'accepted' | 'declined' | 'late' | 'gone' | 'full';

interface Waiting {
  readonly client: string;
  end(how: Confirmed): void;
}

/** Confirmations that are remembered as used. */
export const USED_MAX = 100_000;

/**
 * The calls of this process that wait for a person, and the confirmations that were used. It
 * survives reloads.
 */
export class PendingConfirmations {
  /** What states are sealed with where the configuration has no keys. All workers have the same. */
  readonly secret: string;
  readonly #channel: ConfirmationChannel | null;
  readonly #waiting = new Map<string, Waiting>();
  readonly #used = new OnceMemory(USED_MAX);

  constructor(secret: string | null, channel: ConfirmationChannel | null) {
    this.secret = secret ?? randomBytes(32).toString('base64url');
    this.#channel = channel;
    channel?.receive((news) => this.#take(news));
  }

  /** Calls that wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Waits for the answer of this client to a question. `send` sends the question by its id. */
  wait(
    client: string,
    { max, millis }: { readonly max: number; readonly millis: number },
    signal: CancelSignal,
    send: (id: string) => void,
  ): Promise<Confirmed> {
    if (signal.aborted) return Promise.resolve('gone');
    if (this.#waiting.size >= max) return Promise.resolve('full');
    const id = `confirm-${randomBytes(16).toString('base64url')}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => end('late'), millis);
      const onAbort = (): void => end('gone');
      const end = (how: Confirmed): void => {
        if (!this.#waiting.delete(id)) return;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(how);
      };
      this.#waiting.set(id, { client, end });
      signal.addEventListener('abort', onAbort);
      send(id);
    });
  }

  /**
   * Takes the answer of a client to a question, which a call of this process or of another one
   * waits for.
   */
  answer(question: string, client: string, isAccepted: boolean): void {
    if (!/^confirm-[\w-]{22}$/.test(question)) return;
    const news = { question, client, isAccepted };
    if (!this.#take(news)) {
      this.#channel?.publish(news);
    }
  }

  /**
   * Uses a confirmation, which is remembered until its time: `seen` where a worker has used it
   * before.
   */
  async use(name: string, untilMillis: number): Promise<ConfirmationUse> {
    if (this.#channel === null) return this.#used.take(name, untilMillis, Date.now());
    return this.#channel.use(name, untilMillis).catch(() => 'full');
  }

  /**
   * Whether a call of this process waits for the answer. Another client than the one that was asked
   * is not heard.
   */
  #take({ question, client, isAccepted }: ConfirmationNews): boolean {
    const waiting = this.#waiting.get(question);
    if (waiting === undefined) return false;
    if (waiting.client === client) {
      waiting.end(isAccepted ? 'accepted' : 'declined');
    }
    return true;
  }
}
