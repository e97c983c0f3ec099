import { CONNECT_MILLIS, type RedisClient, withTimeout } from './client.js';
import { RedisUnavailable } from './errors.js';

/** The channels of one client. */
interface Session {
  readonly client: RedisClient;
  /** Channels that Redis sends to the client. */
  readonly subscribed: Set<string>;
  /** Channels that were joined or left since the last command. */
  readonly changed: Set<string>;
  /** A command has no reply yet. */
  isBusy: boolean;
  /** Resolves when the changes so far are made, or the client is given up. */
  changes: Promise<void>;
}

/**
 * The channels that a connection in subscriber mode is subscribed to, over each of its clients in
 * turn.
 */
export class Channels {
  readonly #listeners = new Map<string, (message: string) => void>();
  readonly #failed: (error: unknown) => void;
  #session: Session | null = null;

  /** `failed` is called when a change cannot be made. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  join(channel: string, listener: (message: string) => void): void {
    this.#listeners.set(channel, listener);
    this.#update(channel);
  }

  leave(channel: string): void {
    this.#listeners.delete(channel);
    this.#update(channel);
  }

  /** Subscribes a new client to all channels. Rejects where that fails. */
  async open(client: RedisClient): Promise<void> {
    const changed = new Set(this.#listeners.keys());
    this.#session = {
      client,
      subscribed: new Set(),
      changed,
      isBusy: false,
      changes: Promise.resolve(),
    };
    this.#session.changes = this.#synchronize(this.#session);
    await this.#session.changes;
  }

  /**
   * Resolves when all channels are joined, and all messages that were published before have been
   * received.
   */
  async settle(): Promise<void> {
    const session = this.#session;
    await session?.changes;
    if (session === null || session !== this.#session) throw new RedisUnavailable('down');
    // The reply to PING comes after those messages.
    await withTimeout(session.client.sendCommand(['PING']), CONNECT_MILLIS);
  }

  /** The client is gone. */
  close(): void {
    this.#session = null;
  }

  #update(channel: string): void {
    const session = this.#session;
    if (session === null) return;
    session.changed.add(channel);
    if (session.isBusy) return;
    session.changes = this.#synchronize(session).catch((error: unknown) => {
      if (session === this.#session) {
        this.#failed(error);
      }
    });
  }

  /**
   * Sends one command at a time: the client loses a channel that is left and joined by commands
   * that overlap.
   */
  async #synchronize(session: Session): Promise<void> {
    const { client, subscribed, changed } = session;
    session.isBusy = true;
    while (session === this.#session && changed.size > 0) {
      const left = [...changed].filter(
        (channel) => subscribed.has(channel) && !this.#listeners.has(channel),
      );
      const joined = [...changed].filter(
        (channel) => !subscribed.has(channel) && this.#listeners.has(channel),
      );
      changed.clear();
      if (left.length > 0) {
        await withTimeout(client.unsubscribe(left), CONNECT_MILLIS);
      }
      for (const channel of left) {
        subscribed.delete(channel);
      }
      if (joined.length > 0) {
        await withTimeout(client.subscribe(joined, this.#receive), CONNECT_MILLIS);
      }
      for (const channel of joined) {
        subscribed.add(channel);
      }
    }
    session.isBusy = false;
  }

  readonly #receive = (message: string, channel: string): void =>
    this.#listeners.get(channel)?.(message);
}
