import { Buffer } from 'node:buffer';
import t, { type Test } from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { Steps } from '../../src/core/time-slices.js';
import { UPSTREAM_LIMITS } from '../../src/upstream/limits.js';
import type { UpstreamCall, UpstreamRequest } from '../../src/upstream/reply.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { answerWith } from '../kit/backend.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

const LIMITS = { ...defaultsOf(UPSTREAM_LIMITS), connections: 1 };
const SHORT = Buffer.from('short');
const LONG = Buffer.alloc(100 * 1024, 'a');

type Seal = (body: Buffer) => Steps<Buffer>;

/** A backend with one connection, and calls whose messages are sealed in steps. */
async function useSealing(t: Test) {
  const backend = await useBackend(t, answerWith('fine', 'text/plain'));
  const upstream = new Upstream([backend.url], LIMITS);
  t.teardown(() => upstream.close());
  return {
    backend,
    upstream,
    call(body: Buffer, seal: Seal) {
      const request: UpstreamRequest = {
        method: 'POST',
        query: '',
        headers: ['content-length', String(body.length)],
        body,
        insertion: { offsetBytes: 1, make: () => Buffer.from('-'), seal },
      };
      let call: UpstreamCall | null = null;
      const ended = new Promise<string>((resolve) => {
        call = upstream.call(request, {
          head() {},
          data() {},
          end: () => resolve('end'),
          failed: ({ code }) => resolve(code),
        });
      });
      return { ended, abort: (refusal: Refusal) => call?.abort(refusal) };
    },
  };
}

t.test('the message of a call is sealed, whatever its length', async (t) => {
  const { backend, call } = await useSealing(t);
  for (const body of [SHORT, LONG]) {
    t.equal(await call(body, sealAfter(200)).ended, 'end');
    const { headers, body: sent } = backend.complete.at(-1) ?? {};
    t.equal(String(sent), `${String(body).replace(/^./, '$&-')}.`);
    t.equal(headers?.['content-length'], String(body.length + 2));
  }
});

t.test('a call that is given up while its message is sealed sends nothing', async (t) => {
  const { backend, upstream, call } = await useSealing(t);
  let steps = 0;
  const given = call(LONG, function* (body) {
    for (;;) {
      steps++;
      yield;
      if (steps < 0) return body;
    }
  });
  await until(() => steps > 0);
  t.equal(upstream.active, 1);
  given.abort(new Refusal('CLIENT_GONE'));
  t.equal(await given.ended, 'CLIENT_GONE');
  t.equal(upstream.active, 0, 'its connection is free');
  const before = steps;
  t.equal(await call(LONG, sealAfter(1)).ended, 'end', 'the next call has it');
  t.ok(steps <= before + 1, 'it is not sealed any further');
  t.equal(backend.complete.length, 1);
});

t.test('a message that cannot be sealed ends its call, whatever its length', async (t) => {
  const { backend, upstream, call } = await useSealing(t);
  for (const body of [SHORT, LONG]) {
    const seal: Seal = function* () {
      yield;
      throw new Refusal('FORBIDDEN');
    };
    t.equal(await call(body, seal).ended, 'FORBIDDEN');
    t.equal(upstream.active, 0);
  }
  t.equal(backend.begun, 0);
  t.equal(await call(SHORT, sealAfter(1)).ended, 'end', 'the breaker is closed');
});

/** Adds a full stop after so many steps. */
const sealAfter = (steps: number): Seal =>
  function* (body) {
    for (let step = 0; step < steps; step++) yield;
    return Buffer.concat([body, Buffer.from('.')]);
  };
