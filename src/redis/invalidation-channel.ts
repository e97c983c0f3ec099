import { jsonValues } from '../core/index.js';
import {
  type InvalidatedOperations,
  type InvalidationChannel,
  InvalidationSender,
} from '../gateway/shared/invalidation.js';
import type { RedisConnection } from './connection.js';

/** Extra time limit of publishing, which no request waits for. */
const EXTRA_MILLIS = 1000;
/** The longest message that is read; more than 100 operations have room in it. */
const CHARS_MAX = 256 * 1024;

/**
 * Carries invalidations between replicas through pub/sub. What cannot be published waits until
 * Redis is there again. A replica whose subscription was interrupted may have missed some: it takes
 * all cached replies for invalid.
 */
export function redisInvalidations(
  connection: RedisConnection,
  /** In subscriber mode: it sends no commands. */
  subscriber: RedisConnection,
  prefix: string,
  replica: string,
): InvalidationChannel {
  const channel = `${prefix}v1:invalidations`;
  const sender = new InvalidationSender(async (operations) => {
    const message = `${replica} ${JSON.stringify([...operations])}`;
    await connection.command('invalidate', ['PUBLISH', channel, message], EXTRA_MILLIS);
  });
  connection.onUp(() => void sender.flush());
  return {
    publish: (operations) => sender.add(operations),
    receive(receiver) {
      subscriber.subscribe(channel, (text) => {
        if (!text.startsWith(`${replica} `)) {
          receiver(readOperations(text));
        }
      });
      subscriber.onUp(() => receiver(null));
    },
  };
}

/** Null for a message that cannot be read: it may have named any operation. */
function readOperations(text: string): InvalidatedOperations | null {
  if (text.length > CHARS_MAX) return null;
  const entries = jsonValues.parsedJson(text.slice(text.indexOf(' ') + 1));
  if (!Array.isArray(entries)) return null;
  const operations = new Map<string, number>();
  for (const entry of entries) {
    const [name, pauseMillis]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (
      typeof name !== 'string' ||
      typeof pauseMillis !== 'number' ||
      !Number.isFinite(pauseMillis)
    ) {
      return null;
    }
    operations.set(name, pauseMillis);
  }
  return operations;
}
