import { jsonValues } from '../core/index.js';
import {
  type CanaryChannel,
  type CanaryState,
  isCanaryState,
} from '../gateway/canary/canary-channel.js';
import type { RedisConnection } from './connection.js';

/** Extra time limit of publishing, which no request waits for. */
const EXTRA_MILLIS = 1000;
/** How long a state is remembered that no replica has changed. */
const KEPT_MILLIS = 400 * 86_400_000;
/** The most states that are read at once. */
const READ_MAX = 1_000;

/**
 * Carries the shares of canaries between replicas through pub/sub, and keeps them for replicas that
 * start later.
 */
export function redisCanaries(
  connection: RedisConnection,
  /** In subscriber mode: it sends no commands. */
  subscriber: RedisConnection,
  prefix: string,
  replica: string,
): CanaryChannel {
  const channel = `${prefix}v1:canaries`;
  const key = `${prefix}v1:canary`;
  const run = (...words: readonly string[]) => connection.command('canary', words, EXTRA_MILLIS);
  const store = async (state: CanaryState): Promise<void> => {
    const text = JSON.stringify(state);
    await run('HSET', key, `${state.service} ${state.digest}`, text);
    await run('PEXPIRE', key, String(KEPT_MILLIS));
    await run('PUBLISH', channel, `${replica} ${text}`);
  };
  return {
    // What cannot be written now is written when Redis is there again.
    publish: (state) => void store(state).catch(() => {}),
    receive({ state: receive }, list) {
      const take = (text: string): void => {
        const state = jsonValues.parsedJson(text);
        if (isCanaryState(state)) {
          receive(state);
        }
      };
      subscriber.subscribe(channel, (text) => {
        if (!text.startsWith(`${replica} `)) take(text.slice(text.indexOf(' ') + 1));
      });
      const share = async (): Promise<void> => {
        const stored = await run('HVALS', key);
        const texts = Array.isArray(stored) ? stored.slice(0, READ_MAX).map(String) : [];
        texts.forEach(take);
        // An own state that is later than the stored one was moved while Redis was away.
        const known = new Set(texts);
        for (const state of list()) {
          if (!known.has(JSON.stringify(state))) {
            await store(state);
          }
        }
      };
      const begin = (): void => void share().catch(() => {});
      subscriber.onUp(() => connection.isUp && begin());
      connection.onUp(() => subscriber.isUp && begin());
    },
  };
}
