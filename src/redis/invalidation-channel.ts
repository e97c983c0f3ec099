import {
  type InvalidatedOperations,
  type InvalidationChannel,
  type InvalidationReceiver,
  InvalidationSender,
} from '../base/invalidation.js';
import type { RedisConnection } from './connection.js';

/** Extra time limit of publishing, which no request waits for. */
const EXTRA_MILLIS = 1000;
/** The longest message that is read; more than 100 operations have room in it. */
const CHARS_MAX = 256 * 1024;

/**
 * Carries invalidations between replicas through pub/sub. What cannot be published waits until Redis is there again. A
 * replica whose subscription was interrupted may have missed some: it takes all cached replies for invalid.
 */
export class RedisInvalidationChannel implements InvalidationChannel {
  readonly #subscriber: RedisConnection;
  readonly #channel: string;
  readonly #replica: string;
  readonly #sender: InvalidationSender;

  /** The second connection is in subscriber mode, and sends no commands. */
  constructor(connection: RedisConnection, subscriber: RedisConnection, prefix: string, replica: string) {
    this.#subscriber = subscriber;
    this.#channel = `${prefix}v1:invalidations`;
    this.#replica = replica;
    this.#sender = new InvalidationSender(async (operations) => {
      const message = `${replica} ${JSON.stringify([...operations])}`;
      await connection.command('invalidate', ['PUBLISH', this.#channel, message], EXTRA_MILLIS);
    });
    connection.onUp(() => void this.#sender.flush());
  }

  publish(operations: InvalidatedOperations): void {
    this.#sender.add(operations);
  }

  receive(receiver: InvalidationReceiver): void {
    this.#subscriber.subscribe(this.#channel, (text) => {
      if (text.startsWith(`${this.#replica} `)) return;
      receiver(readOperations(text));
    });
    this.#subscriber.onUp(() => receiver(null));
  }
}

/** Null for a message that cannot be read: it may have named any operation. */
function readOperations(text: string): InvalidatedOperations | null {
  if (text.length > CHARS_MAX) return null;
  const entries = parseJson(text.slice(text.indexOf(' ') + 1));
  if (!Array.isArray(entries)) return null;
  const operations = new Map<string, number>();
  for (const entry of entries) {
    const [name, pauseMillis]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof name !== 'string' || typeof pauseMillis !== 'number' || !Number.isFinite(pauseMillis)) return null;
    operations.set(name, pauseMillis);
  }
  return operations;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
