import t from 'tap';
import { Refusal } from '../../../src/core/refusals/refusal.js';
import { Suspicions } from '../../../src/core/shared/suspicions.js';
import { ANSWER_BYTES_MAX, WAITING_MAX } from '../../../src/flow/idempotency/keyed-call.js';
import { KeyedCalls } from '../../../src/flow/idempotency/keyed-calls.js';
import { MemoryOutcomes } from '../../../src/flow/idempotency/memory-outcomes.js';
import type { OwnedClaim } from '../../../src/gateway/shared/outcome-store.js';
import type { ReplyHead, UpstreamReceiver } from '../../../src/upstream/reply.js';

/** Calls by idempotency key, at their limits and where parts of them fail. */

const claimOf = (key: string, fingerprint = 'f', owner = 'one'): OwnedClaim => ({
  key,
  owner,
  fingerprint,
  keepMillis: 1000,
  callMillis: 1000,
});
const HEAD: ReplyHead = {
  status: 200,
  header: (name) => (name === 'content-type' ? 'text/xml' : null),
  headers: () => [],
};
const CALL = { pause() {}, resume() {}, abort() {} };
const turn = () => new Promise((resolve) => setImmediate(resolve));

class Recorder implements UpstreamReceiver {
  bytes = 0;
  outcome: string | null = null;
  onEnd = (): void => {};

  head(): void {}

  data(chunk: Buffer): void {
    this.bytes += chunk.length;
  }

  end(): void {
    this.onEnd();
    this.outcome = 'end';
  }

  failed({ code }: Refusal): void {
    this.outcome = code;
  }
}

t.test('a call that cannot be begun fails, and may be made again', async (t) => {
  const calls = new KeyedCalls(new MemoryOutcomes(), new Suspicions());
  for (let times = 0; times < 2; times++) {
    const receiver = new Recorder();
    calls.start(claimOf('k'), receiver, () => {
      throw new Refusal('POOL_EXHAUSTED');
    });
    await turn();
    t.equal(receiver.outcome, 'POOL_EXHAUSTED');
  }
  t.equal(calls.count, 0);
});

t.test('a caller that refuses the end of a long answer gets the reason', async (t) => {
  const calls = new KeyedCalls(new MemoryOutcomes(), new Suspicions());
  const receiver = new Recorder();
  receiver.onEnd = () => {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE');
  };
  let reply: UpstreamReceiver | null = null;
  calls.start(claimOf('k'), receiver, (made) => {
    reply = made;
    return { call: CALL, declared: null };
  });
  await turn();
  const made = reply as UpstreamReceiver | null;
  made?.sent?.();
  made?.head(HEAD);
  made?.data(Buffer.alloc(ANSWER_BYTES_MAX + 1));
  t.equal(receiver.bytes, ANSWER_BYTES_MAX + 1);
  // As connections do it.
  try {
    made?.end();
  } catch (caught) {
    if (caught instanceof Refusal) made?.failed(caught);
  }
  t.equal(receiver.outcome, 'UPSTREAM_INVALID_RESPONSE');
  t.equal(calls.count, 0);
});

t.test('so many requests wait for one call, and one more does not', async (t) => {
  const calls = new KeyedCalls(new MemoryOutcomes(), new Suspicions());
  let reply: UpstreamReceiver | null = null;
  const receivers = Array.from({ length: WAITING_MAX + 1 }, () => new Recorder());
  for (const receiver of receivers)
    calls.start(claimOf('k'), receiver, (made) => {
      reply = made;
      return { call: CALL, declared: null };
    });
  await turn();
  t.equal(receivers.at(-1)?.outcome, 'IDEMPOTENCY_KEY_IN_USE');
  const made = reply as UpstreamReceiver | null;
  made?.head(HEAD);
  made?.data(Buffer.alloc(ANSWER_BYTES_MAX));
  made?.end();
  while (receivers.at(-2)?.outcome === null) await turn();
  t.ok(
    receivers
      .slice(0, -1)
      .every(({ outcome, bytes }) => outcome === 'end' && bytes === ANSWER_BYTES_MAX),
  );
});

t.test(
  'memory is bounded by keys and by bytes, and what is remembered is not forgotten for more',
  async (t) => {
    let nowMillis = 0;
    const outcomes = new MemoryOutcomes(2, 10_000, () => nowMillis);
    t.same(outcomes.claim(claimOf('a')), { kind: 'new' });
    outcomes.settle(claimOf('a'), {
      status: 200,
      contentType: 'text/xml',
      body: Buffer.alloc(100),
    });
    t.same(outcomes.claim(claimOf('b')), { kind: 'new' });
    t.same(outcomes.claim(claimOf('c')), { kind: 'full' });
    t.match(outcomes.claim(claimOf('a')), { kind: 'answered', answer: { status: 200 } });
    t.same(outcomes.claim(claimOf('a', 'other')), { kind: 'other' });
    outcomes.settle(claimOf('b'), {
      status: 200,
      contentType: 'text/xml',
      body: Buffer.alloc(10_000),
    });
    t.same(
      outcomes.claim(claimOf('b')),
      { kind: 'unknown' },
      'an answer without room is one that nobody can have again',
    );
    nowMillis = 1001;
    t.same(outcomes.claim(claimOf('c')), { kind: 'new' });
    t.equal(outcomes.count, 1, 'what is over goes');
  },
);

t.test('a pending claim outlives its call, whatever the lifetime of its answer', async (t) => {
  let nowMillis = 0;
  const outcomes = new MemoryOutcomes(10, 10_000, () => nowMillis);
  t.same(outcomes.claim(claimOf('a')), { kind: 'new' });
  nowMillis = 60_000;
  t.same(outcomes.claim(claimOf('a', 'f', 'two')), { kind: 'pending' });
  outcomes.release(claimOf('a', 'f', 'two'));
  outcomes.settle(claimOf('a', 'f', 'two'), null);
  t.same(
    outcomes.claim(claimOf('a', 'f', 'three')),
    { kind: 'pending' },
    'the owner alone ends it',
  );
  outcomes.settle(claimOf('a'), { status: 200, contentType: 'text/xml', body: Buffer.from('x') });
  nowMillis += 999;
  t.match(outcomes.claim(claimOf('a', 'f', 'four')), { kind: 'answered' });
  nowMillis += 2;
  t.same(outcomes.claim(claimOf('a', 'f', 'four')), { kind: 'new' });
  outcomes.release(claimOf('a', 'f', 'four'));
  t.equal(outcomes.count, 0);
});
