import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';

import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope, operationIn, textIn } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useBackend, useService } from '../kit/use.js';

/** What a decision point says about callers: claims in calls, and the reason of a denial. */

interface Point {
  readonly url: string;
  /** The questions so far. */
  readonly inputs: unknown[];
  /** The answers, in turn; the last one again and again. Null: a status of 500. */
  answers: unknown[];
}

async function startPoint(t: Test): Promise<Point> {
  const server = await useBackend(t, ({ body }, response) => {
    point.inputs.push(JSON.parse(String(body)).input);
    const [answer = null] = point.answers;
    if (point.answers.length > 1) point.answers.shift();
    response.statusCode = answer === null ? 500 : 200;
    response.end(JSON.stringify({ result: answer }));
  });
  const point: Point = { url: `${server.url}/allow`, inputs: [], answers: [true] };
  return point;
}

let serial = 0;

/** Shows what a call had in its arguments and in its header block. */
function answer(message: RecordedMessage, response: ServerResponse): void {
  const { body } = message;
  const name = operationIn(body);
  const seen = ['tenant', 'level'].map((part) => `${part}=${textIn(body, part) ?? 'none'}`);
  const content = `<seen>${seen.join(' ')}</seen><serial>${++serial}</serial>`;
  const reply = `<${name}Response xmlns="urn:bank">${content}</${name}Response>`;
  answerWith(envelope(reply))(message, response);
}

async function start(t: Test, keys = '', clients = '  address: { class: all }\n', more = '') {
  const point = await startPoint(t);
  const service = await useService(
    t,
    answer,
    (url) => `services:
  bank:
    url: ${url}/bank
    namespace: urn:bank
    rest: true
    types: |
      type Query { account(tenant: String!): Seen, open: Seen }
      type Mutation { pay(tenant: String): Seen }
      type Seen { seen: String, serial: Int }
    soapHeaders: { "{urn:bank}Context/level": { claim: level } }
    operations:
      GetAccount:
        field: Query.account
        arguments: { tenant: { claim: tenant } }
        read: { cacheMillis: 60000, scope: shared }
      GetOpen: { field: Query.open }
      Pay:
        field: Mutation.pay
        arguments: { tenant: { claim: tenant } }
        idempotency: { header: idempotency-key }
clients:
${clients}  classes: { all: {} }
  authorize: { url: "${point.url}", timeoutMillis: 10000${keys} }
${more}`,
  );
  return { ...service, point };
}

const allow = (claims?: unknown): unknown =>
  claims === undefined ? { allow: true } : { allow: true, claims };

const ACCOUNT = '{ account { seen } }';

t.test('claims fill arguments and header blocks, over GraphQL and REST', async (t) => {
  const { point, ask, gateway } = await start(t);
  point.answers = [allow({ tenant: 'a', level: 3, more: true, none: null })];
  t.same((await ask(ACCOUNT)).data, { account: { seen: 'tenant=a level=3' } });
  t.same((await ask('{ open { seen } }')).data, { open: { seen: 'tenant=none level=3' } });
  const rest = await fetch(`${gateway.url}/rest/bank/GetOpen?fields=seen`);
  t.same(JSON.parse(await rest.text()), { seen: 'tenant=none level=3' });
});

t.test('calls whose claims differ share nothing', async (t) => {
  const { point, ask } = await start(t);
  point.answers = [allow({ tenant: 'a' })];
  const first = (await ask('{ account { seen serial } }')).data;
  t.same((await ask('{ account { seen serial } }')).data, first, 'the cached reply');
  point.answers = [allow({ tenant: 'b' })];
  t.match((await ask('{ account { seen } }')).data, { account: { seen: /^tenant=b/ } });

  const pay = (headers: Record<string, string>) =>
    ask('mutation { pay { seen serial } }', {}, headers);
  const key = { 'idempotency-key': 'one' };
  point.answers = [allow({ tenant: 'a' })];
  const paid = await pay(key);
  t.same((await pay(key)).data, paid.data, 'the answer under the key');
  point.answers = [allow({ tenant: 'b' })];
  t.match((await pay(key)).errors, [{ extensions: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
});

t.test('a claim is there for the operation that it was given to alone', async (t) => {
  const { point, gateway } = await start(t, '', undefined, 'graphql: { batch: 2 }\n');
  point.answers = [allow({ tenant: 'a' }), allow()];
  const batch = await postJson(
    `${gateway.url}/graphql`,
    JSON.stringify([{ query: ACCOUNT }, { query: ACCOUNT }]),
  );
  const answers: { data: unknown; errors?: object[] }[] = JSON.parse(await batch.text());
  t.equal(answers.filter(({ errors }) => errors === undefined).length, 1);
  t.match(
    answers.flatMap(({ errors = [] }) => errors),
    [{ extensions: { code: 'FORBIDDEN' } }],
  );
});

t.test('with `cacheMillis` claims are kept with their decision', async (t) => {
  const { point, ask } = await start(t, ', cacheMillis: 60000');
  point.answers = [allow({ tenant: 'a' }), allow({ tenant: 'b' })];
  for (let times = 0; times < 3; times++) {
    t.match((await ask(ACCOUNT)).data, { account: { seen: /^tenant=a/ } });
  }
  t.equal(point.inputs.length, 1);
});

t.test('without an answer there are no claims, and what requires one is forbidden', async (t) => {
  const { point, ask } = await start(t, ', onError: allow');
  point.answers = [null];
  t.match((await ask(ACCOUNT)).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  t.same((await ask('{ open { seen } }')).data, { open: { seen: 'tenant=none level=none' } });
});

t.test('an answer whose claims are not flat, or too many, is none', async (t) => {
  const { point, ask } = await start(t);
  const wide = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`c${at}`, at]));
  for (const claims of [
    { tenant: { id: 'a' } },
    { tenant: ['a'] },
    ['a'],
    'a',
    { ...wide, tenant: 'a' },
    { tenant: 'a'.repeat(8200) },
    { [`t${'t'.repeat(128)}`]: 'a' },
  ]) {
    point.answers = [allow(claims)];
    const { errors } = await ask('{ open { seen } }');
    t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }], JSON.stringify(claims).slice(0, 40));
  }
  const { c64, ...most } = wide;
  point.answers = [allow(most)];
  t.equal(c64, 64);
  t.same((await ask('{ open { seen } }')).errors, undefined, '64 are taken');
  point.answers = [JSON.parse('{ "allow": true, "claims": { "__proto__": "x" } }')];
  t.same((await ask('{ open { seen } }')).errors, undefined);
});

t.test('the reason of a denial is what the caller is told, on one line', async (t) => {
  const { point, ask, gateway, send } = await start(t);
  point.answers = [{ allow: false, reason: 'The contract\n of  tenant a\u0000has ended.' }];
  const text = 'The contract of tenant a has ended.';
  t.match((await ask(ACCOUNT)).errors, [{ message: text, extensions: { code: 'FORBIDDEN' } }]);
  const rest = await fetch(`${gateway.url}/rest/bank/GetOpen`);
  t.equal(rest.status, 403);
  t.match(JSON.parse(await rest.text()), { detail: text });
  t.match(await (await send(envelope('<GetOpen xmlns="urn:bank"/>'))).text(), text);
  point.answers = [{ allow: false, reason: `<&${'x'.repeat(5000)}` }];
  const [{ message = '' } = {}] = (await ask(ACCOUNT)).errors ?? [];
  t.equal(message.length, 256);
  const fault = await (await send(envelope('<GetOpen xmlns="urn:bank"/>'))).text();
  t.match(fault, '&lt;&amp;xxx');
  point.answers = [{ allow: true, reason: 'not shown' }];
  t.notMatch(JSON.stringify(await ask('{ open { seen } }')), 'not shown');
});

t.test('a question has the claims of credentials, not those of earlier answers', async (t) => {
  const { point, ask } = await start(t);
  point.answers = [allow({ tenant: 'a' })];
  await ask(ACCOUNT);
  await ask(ACCOUNT);
  t.match(point.inputs, [{ client: { claims: null } }, { client: { claims: null } }]);
  t.same(point.inputs[0], point.inputs[1]);
});

t.test('polls are for subscribers of the same claims, and end with them', async (t) => {
  const { point, gateway } = await start(
    t,
    ', recheckMillis: 50',
    undefined,
    'subscriptions: { accountChanged: { poll: { operation: bank.GetAccount, everyMillis: ' +
      '100 } } }\n',
  );
  const abort = new AbortController();
  t.teardown(() => abort.abort());
  const subscribe = async (): Promise<string[]> => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { accountChanged { seen serial } }' }),
      signal: abort.signal,
    });
    const texts: string[] = [];
    void (async () => {
      for await (const chunk of response.body ?? []) texts.push(Buffer.from(chunk).toString());
    })().catch(() => {});
    return texts;
  };
  point.answers = [allow({ tenant: 'a' })];
  const ofA = await subscribe();
  await until(() => ofA.join('').includes('tenant=a'));
  point.answers = [allow({ tenant: 'b' })];
  const ofB = await subscribe();
  await until(() => ofB.join('').includes('tenant=b'));
  await until(() => ofA.join('').includes('FORBIDDEN'));
  t.notMatch(ofB.join(''), 'tenant=a');
  t.notMatch(ofA.join(''), 'tenant=b');
});
