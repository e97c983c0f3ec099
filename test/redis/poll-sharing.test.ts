import { Buffer } from 'node:buffer';
import t from 'tap';
import type { PollReply } from '../../src/gateway/shared/poll-sharing.js';
import { RedisPollSharing } from '../../src/redis/polling/poll-sharing.js';
import { MISSING, until, useConnection, useProxy, useRedis } from './kit.js';

const LATE_MILLIS = 300;

const REPLY: PollReply = {
  kind: 'reply',
  status: 200,
  contentType: 'text/xml',
  body: Buffer.from('<a/>'),
};

t.test(
  'the age of a shared reply includes the time that Redis takes to pass it on',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const late = await useProxy(t, redis.port);
    const options = { prefix: 'polls:', secret: 's', replyBytes: 1000, onForged: () => {} };
    const join = async (url: string) => {
      const [commands, events] = [await useConnection(t, redis.url), await useConnection(t, url)];
      const ages: number[] = [];
      const sharing = new RedisPollSharing(commands, events, options);
      const poll = sharing.join('one call', (_reply, ageMillis) => void ages.push(ageMillis));
      t.teardown(() => poll.leave());
      return { poll, ages };
    };
    const caller = await join(redis.url);
    const other = await join(late.url);
    await until(() => caller.poll.acquire(), 'the lease');
    await until(() => {
      caller.poll.publish(REPLY, 0);
      return other.ages.length > 0;
    }, 'a reply');
    late.delayMillis = LATE_MILLIS;
    const before = other.ages.length;
    caller.poll.publish(REPLY, 10);
    await until(() => other.ages.slice(before).some((age) => age >= LATE_MILLIS), 'a late reply');
    t.ok((other.ages.at(-1) ?? 0) >= LATE_MILLIS);
    t.equal(caller.ages.length, 0, 'its own replies come to none');
  },
);
