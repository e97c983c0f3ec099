import type { Test } from 'tap';
import { WSSE } from '../../src/wss/wsse-names.js';
import { answerBy } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { payingBank } from '../kit/paying-bank.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useService } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';

/** Requests under an idempotency key that another asker has used. */

type Fields = Readonly<Record<string, string>>;

const FIRST: Fields = {
  authorization: 'Basic YTph',
  cookie: 's=1',
  'x-tenant': '1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

const OTHERS: Readonly<Record<string, Fields>> = {
  'another Authorization': { ...FIRST, authorization: 'Basic YjpI' },
  'another cookie': { ...FIRST, cookie: 's=2' },
  'another forwarded field': { ...FIRST, 'x-tenant': '2' },
  'another trace': {
    ...FIRST,
    traceparent: '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
};

const blockOf = (user: string): string =>
  `<o:Security xmlns:o="${WSSE}"><o:UsernameToken><o:Username>${user}</o:Username>` +
  '</o:UsernameToken></o:Security>';
const messageOf = (user: string): string =>
  envelope('<Pay xmlns="urn:bank"><sum>1</sum></Pay>', blockOf(user));

const PAY = 'pay(sum: 1) { receipt }';
const mutation = (name: string): object => ({ query: `mutation { ${name}: ${PAY} }` });
const BATCH = [mutation('a'), mutation('b')];

const configOf = (url: string): string => `graphql: { batch: 5 }
services:
${payingBank(url)}    rest: true
    forwardHeaders: [x-tenant, authorization]
    cookies: forward
`;

/**
 * The answers to those that come second under a key are those of the table, and nothing of them is
 * sent.
 */
export async function keyedRequests(t: Test, rows: Rows): Promise<void> {
  let paid = 0;
  const reply = (): string =>
    `<PayResponse xmlns="urn:bank"><receipt>R${++paid}</receipt></PayResponse>`;
  const { backend, gateway } = await useService(t, answerBy(reply), configOf);
  const send = (path: string, type: string, body: string, fields: Fields, key: string) =>
    sendRaw(gateway.url, post(path, type, body, { ...fields, 'idempotency-key': key }));
  const json = (path: string, value: unknown) => (fields: Fields, key: string) =>
    send(path, 'application/json', JSON.stringify(value), fields, key);
  const soap = (user: string) => (fields: Fields, key: string) =>
    send('/soap/bank', 'text/xml', messageOf(user), fields, key);
  const expect = (reply: RawReply, name: string): void => {
    const answer = rows.answer('B20', name);
    if (answer.startsWith('G:')) t.match(reply.body, `"code":"${answer.slice(2)}"`, name);
    else expectAnswer(t, reply, answer, '1.1', name);
    if (answer === 'pass') t.match(reply.body, /R\d/, `${name}: the answer that is kept`);
    else t.notMatch(reply.body, /R\d/, `${name}: no answer of the other`);
  };
  const endpoints = {
    SOAP: soap('ann'),
    GraphQL: json('/graphql', mutation('pay')),
    REST: json('/rest/bank/Pay', { sum: 1 }),
  };
  for (const [endpoint, ask] of Object.entries(endpoints)) {
    t.match((await ask(FIRST, endpoint)).body, /R\d/, endpoint);
    for (const [name, fields] of Object.entries(OTHERS))
      expect(await ask(fields, endpoint), `${endpoint}: ${name}`);
  }
  expect(await soap('bob')(FIRST, 'SOAP'), 'SOAP: another Security block');
  t.match((await json('/graphql', BATCH)(FIRST, 'batch')).body, /R\d+.*R\d/s, 'a batch');
  for (const [name, items] of [
    ['GraphQL: the same batch', BATCH],
    ['GraphQL: another order of a batch', [...BATCH].reverse()],
    ['GraphQL: a part of a batch', BATCH.slice(1)],
  ] as const)
    expect(await json('/graphql', items)(FIRST, 'batch'), name);
  t.equal(backend.complete.length, 5, 'the backend hears of none');
}
