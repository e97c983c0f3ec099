import { parsedJson } from '../base/parsed-json.js';
import { isSuspicion, type Suspicion, type SuspicionChannel } from '../base/suspicions.js';
import type { RedisConnection } from './connection.js';

/** Extra time limit of publishing, which no request waits for. */
const EXTRA_MILLIS = 1000;
/** The message of a replica that wants to know the suspicions of the others. */
const ASKED = '?';

/**
 * Carries suspicions between replicas through pub/sub. A replica whose subscription begins, or begins again, asks the
 * others for theirs.
 */
export function redisSuspicions(
  connection: RedisConnection,
  /** In subscriber mode: it sends no commands. */
  subscriber: RedisConnection,
  prefix: string,
  replica: string,
): SuspicionChannel {
  const channel = `${prefix}v1:suspicions`;
  const send = (text: string): void => {
    const words = ['PUBLISH', channel, `${replica} ${text}`];
    // What cannot be published comes with the next sign, or the next question.
    connection.command('suspect', words, EXTRA_MILLIS).catch(() => {});
  };
  const publish = (suspicion: Suspicion): void => send(JSON.stringify(suspicion));
  return {
    publish,
    receive(receiver, list) {
      subscriber.subscribe(channel, (text) => {
        if (text.startsWith(`${replica} `)) return;
        const content = text.slice(text.indexOf(' ') + 1);
        if (content === ASKED) list().forEach(publish);
        else {
          const suspicion = parsedJson(content);
          if (isSuspicion(suspicion)) receiver(suspicion);
        }
      });
      const shareAll = (): void => {
        send(ASKED);
        list().forEach(publish);
      };
      subscriber.onUp(() => connection.isUp && shareAll());
      connection.onUp(() => subscriber.isUp && shareAll());
    },
  };
}
