import { jsonValues, sharedState } from '../core/index.js';
import type { RedisConnection } from './connection.js';

/** Extra time limit of publishing, which no request waits for. */
const EXTRA_MILLIS = 1000;
/** The message of a replica that wants to know the suspicions of the others. */
const ASKED = '?';
/** The most suspicions that are read at once. */
const READ_MAX = 1_000;

/**
 * Carries suspicions between replicas through pub/sub. A replica whose subscription begins, or
 * begins again, asks the others for theirs, and reads those that are stored: of replicas that have
 * ended.
 */
export function redisSuspicions(
  connection: RedisConnection,
  /** In subscriber mode: it sends no commands. */
  subscriber: RedisConnection,
  prefix: string,
  replica: string,
): sharedState.SuspicionChannel {
  const channel = `${prefix}v1:suspicions`;
  const send = (text: string): void => {
    const words = ['PUBLISH', channel, `${replica} ${text}`];
    // What cannot be published comes with the next sign, or the next question.
    connection.command('suspect', words, EXTRA_MILLIS).catch(() => {});
  };
  const stored = storedSuspicions(connection, `${prefix}v1:suspected`);
  const publish = (suspicion: sharedState.Suspicion): void => {
    send(JSON.stringify(suspicion));
    void stored.add(suspicion).catch(() => {});
  };
  return {
    publish,
    receive(receiver, list) {
      subscriber.subscribe(channel, (text) => {
        if (text.startsWith(`${replica} `)) return;
        const content = text.slice(text.indexOf(' ') + 1);
        if (content === ASKED) {
          list().forEach(publish);
        } else {
          const suspicion = jsonValues.parsedJson(content);
          if (sharedState.isSuspicion(suspicion)) {
            receiver(suspicion);
          }
        }
      });
      const shareAll = (): void => {
        send(ASKED);
        list().forEach(publish);
        stored.read().then(
          (all) => all.forEach(receiver),
          () => {},
        );
      };
      subscriber.onUp(() => connection.isUp && shareAll());
      connection.onUp(() => subscriber.isUp && shareAll());
    },
  };
}

/**
 * A sorted set of addresses by the end of their suspension, each with its length and its reach
 * before it.
 */
function storedSuspicions(connection: RedisConnection, key: string) {
  const run = (...words: readonly string[]) => connection.command('suspect', words, EXTRA_MILLIS);
  return {
    async add({
      address,
      atMillis,
      suspendedMillis,
      reachMillis,
    }: sharedState.Suspicion): Promise<void> {
      const member = `${suspendedMillis} ${reachMillis} ${address}`;
      await run('ZADD', key, String(atMillis + suspendedMillis), member);
      await run('ZREMRANGEBYSCORE', key, '-inf', String(Date.now()));
      await run('PEXPIRE', key, String(sharedState.SUSPENDED_MILLIS_MAX));
    },
    async read(): Promise<readonly sharedState.Suspicion[]> {
      const now = String(Date.now());
      const limits = ['WITHSCORES', 'LIMIT', '0', String(READ_MAX)];
      const reply = await run('ZRANGEBYSCORE', key, now, '+inf', ...limits);
      const words = Array.isArray(reply) ? reply.map(String) : [];
      return words.flatMap((word, index) =>
        index % 2 === 0 ? suspicionOf(word, words[index + 1]) : [],
      );
    },
  };
}

/** None for a member that is no suspicion. */
function suspicionOf(member: string, score: string | undefined): readonly sharedState.Suspicion[] {
  const [, suspended, reach, address] = /^(\d+) (\d+) (.*)$/s.exec(member) ?? [];
  const suspendedMillis = Number(suspended);
  const atMillis = Number(score) - suspendedMillis;
  const suspicion = { address, atMillis, suspendedMillis, reachMillis: Number(reach) };
  return sharedState.isSuspicion(suspicion) ? [suspicion] : [];
}
