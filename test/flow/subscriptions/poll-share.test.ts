import { Buffer } from 'node:buffer';
import t from 'tap';
import { PollShare } from '../../../src/flow/subscriptions/polling/poll-share.js';
import type { PollReceiver, PollReply } from '../../../src/gateway/shared/poll-sharing.js';

/** The part of a process in a poll that others call for. */
function joined() {
  let receive: PollReceiver = () => {};
  let arrived = 0;
  const share = new PollShare(
    {
      replyBytes: 1000,
      join(_poll, receiver) {
        receive = receiver;
        return {
          acquire: async () => false,
          publish() {},
          release() {},
          leave() {},
        };
      },
    },
    'poll',
    () => {
      arrived++;
    },
  );
  return {
    share,
    arrived: () => arrived,
    receive: (reply: PollReply, ageMillis: number): void => receive(reply, ageMillis),
  };
}

const reply = (text: string): PollReply => ({
  kind: 'reply',
  status: 200,
  contentType: 'text/xml',
  body: Buffer.from(text),
});

t.test('a slow reply that another process has to an earlier call is not read', async (t) => {
  const { share, receive, arrived } = joined();
  receive(reply('later'), 10);
  t.ok(share.hasReply);
  share.take();
  receive(reply('earlier'), 60_000);
  t.notOk(share.hasReply, 'subscribers have a later one');
  t.equal(arrived(), 1);
  receive(reply('latest'), 0);
  t.ok(share.hasReply);
});

t.test('a reply to a call before the own one is not read', async (t) => {
  const { share, receive } = joined();
  share.call();
  receive(reply('earlier'), 60_000);
  t.notOk(share.hasReply);
});
