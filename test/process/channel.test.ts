import { mock } from 'node:test';
import t from 'tap';

import { Channel, Unanswered } from '../../src/process/channel.js';

/** Questions between two sides, and what becomes of those that get no answer. */

type ServerCalls = {
  readonly double: { readonly data: number; readonly answer: number };
  readonly hang: { readonly data: null; readonly answer: string };
  readonly note: { readonly data: string; readonly answer: undefined };
};
type ClientCalls = { readonly name: { readonly data: null; readonly answer: string } };

function pairOf() {
  const sent: unknown[] = [];
  const client: Channel<ServerCalls, ClientCalls> = new Channel(async (message) => {
    sent.push(message);
    server.receive(message);
  });
  const server: Channel<ClientCalls, ServerCalls> = new Channel(async (message) =>
    client.receive(message),
  );
  return { client, server, sent };
}

const reasonOf = (question: Promise<unknown>): Promise<string> =>
  question.then(
    () => 'answered',
    (error: unknown) => (error instanceof Unanswered ? error.reason : String(error)),
  );

const never = (): Promise<never> => new Promise(() => {});

t.test('both sides ask and answer, each question with its own answer', async (t) => {
  const { client, server } = pairOf();
  const bugs: unknown[] = [];
  const notes: string[] = [];
  server.answer(
    {
      double: async (number) => {
        // The first question is answered last.
        if (number === 1) await new Promise((resolve) => setImmediate(resolve));
        return 2 * number;
      },
      note: (text) => {
        notes.push(text);
        return undefined;
      },
    },
    (error) => bugs.push(error),
  );
  client.answer({ name: () => 'client' }, (error) => bugs.push(error));
  t.same(await Promise.all([1, 2, 3].map((number) => client.ask('double', number))), [2, 4, 6]);
  t.equal(await server.ask('name', null), 'client');
  await client.tell('note', 'told');
  t.same([notes, bugs], [['told'], []]);
});

t.test('a question is late after its limit, and a late answer counts for none', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { client, server } = pairOf();
  let answer = (_text: string): void => {};
  server.answer(
    {
      hang: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    },
    () => t.fail('no bug'),
  );
  const late = reasonOf(client.ask('hang', null, 1000));
  mock.timers.tick(1000);
  t.equal(await late, 'late');
  t.equal(client.owes('hang'), 1, 'it is owed all the same');
  const first = answer;
  const next = client.ask('hang', null);
  first('first');
  answer('second');
  t.equal(await next, 'second');
  t.equal(client.owes('hang'), 0);
});

t.test(
  'a side that answers nothing collects no questions without end, and still takes others',
  async (t) => {
    const { client, server, sent } = pairOf();
    server.answer({ hang: never, double: (number) => 2 * number }, () => t.fail('no bug'));
    const asked = Array.from({ length: 20 }, () => reasonOf(client.ask('hang', null)));
    t.equal(sent.length, 16);
    t.same(await Promise.all(asked.slice(16)), ['busy', 'busy', 'busy', 'busy']);
    t.equal(await client.ask('double', 2), 4);
    client.close();
    t.same(new Set(await Promise.all(asked.slice(0, 16))), new Set(['ended']));
  },
);

t.test('of a side that has ended nothing is expected', async (t) => {
  const { client, server, sent } = pairOf();
  server.answer({ hang: never }, () => t.fail('no bug'));
  const pending = reasonOf(client.ask('hang', null, 60_000));
  client.close();
  t.equal(await pending, 'ended');
  t.equal(await reasonOf(client.ask('double', 1)), 'ended');
  await client.tell('note', 'too late');
  t.equal(sent.length, 1);
});

t.test('the error of a handler is reported where it happened', async (t) => {
  const { client, server } = pairOf();
  const bugs: unknown[] = [];
  const bug = new Error('bug');
  server.answer({ double: () => Promise.reject(bug) }, (error) => bugs.push(error));
  t.equal(await reasonOf(client.ask('double', 1)), 'failed');
  t.same(bugs, [bug]);
});

t.test('announcements wait for their handlers, 1,024 of them at most', async (t) => {
  const { client, server } = pairOf();
  const notes: string[] = [];
  const note = (text: string): undefined => {
    notes.push(text);
  };
  for (let count = 1; count <= 1025; count++) await client.tell('note', String(count));
  server.answer({ double: (number) => 2 * number }, () => t.fail('no bug'));
  t.same(notes, []);
  server.answer({ note }, () => t.fail('no bug'));
  await client.tell('note', 'later');
  t.same(
    notes,
    [...Array.from({ length: 1024 }, (_, at) => String(at + 1)), 'later'],
    'those that came first',
  );
  t.equal(await client.ask('double', 4), 8);
});

t.test('messages that are not understood are ignored', async (t) => {
  const { client, server } = pairOf();
  server.answer({ double: (number) => 2 * number }, () => t.fail('no bug'));
  const foreign: readonly unknown[] = [
    null,
    'text',
    7,
    {},
    { cmd: 'NODE_CLUSTER' },
    { answered: 99, data: 1 },
    { failed: 99 },
    { call: 'toString', number: 1, data: null },
    { call: 'removed', number: null, data: null },
  ];
  for (const message of JSON.parse(JSON.stringify(foreign))) client.receive(message);
  t.equal(await client.ask('double', 4), 8);
});
