import t, { type Test } from 'tap';
import { errorWith } from '../kit/answers.js';
import { answerBy, answerStatus, type RecordingBackend } from '../kit/backend.js';
import { type Crm, useCrm } from '../kit/crm.js';
import { envelope, faultOf, postSoap } from '../kit/envelope.js';
import { startProcess } from '../kit/gateway-process.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend } from '../kit/use.js';

/** The rate of calls that a service bears: all that calls it waits for its turn. */

const start = (t: Test, rate: string, more = ''): Promise<Crm> =>
  useCrm(t, `, rest: true, rate: ${rate}`, more);

const soap = (url: string): Promise<Response> =>
  postSoap(`${url}/soap/crm`, envelope('<GetCustomer xmlns="urn:crm"><id>7</id></GetCustomer>'), {
    soapaction: 'GetCustomer',
  });

/** The rate of a service that is called often, in a process of its own. */
const rateYaml = (url: string, keys: string): string =>
  `services: { crm: { url: "${url}/crm", rate: { perSecond: 20, ${keys} } } }\n`;

/** The milliseconds between the second call of five and the last, where the backend answers so. */
async function gapOf(t: Test, answer: RecordingBackend['answer'], keys = ''): Promise<number> {
  const times: number[] = [];
  const backend = await useBackend(t, (...asked) => {
    times.push(performance.now());
    answer(...asked);
  });
  const gateway = await startProcess(t, rateYaml(backend.url, `waitMillis: 5000${keys}`));
  for (let at = 0; at < 5; at++) await soap(gateway.url);
  const [, second = 0, , , last = 0] = times;
  return last - second;
}

t.test('SOAP, GraphQL and REST share the rate, and waiting is no time-out', async (t) => {
  const crm = await start(t, '{ perSecond: 10, waitMillis: 10000 }, timeoutMillis: 500');
  const { url } = crm.gateway;
  const begun = performance.now();
  const query =
    '{ a: getCustomer(id: 1) { id } b: getCustomer(id: 2) { id } c: getCustomer(id: 3) { id } }';
  const answers = await Promise.all([
    ...[1, 2, 3].map(() => soap(url)),
    postGraphql(url, { query }),
    ...[4, 5, 6].map((id) => fetch(`${url}/rest/crm/GetCustomer?id=${id}`)),
    ...[7, 8, 9].map((id) => fetch(`${url}/rest/crm/GetCustomer?id=${id}`)),
  ]);
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.match(await answers[3]?.json(), { data: { a: { id: 1 }, b: { id: 2 }, c: { id: 3 } } });
  t.equal(crm.backend.complete.length, 12);
  t.ok(performance.now() - begun >= 1000, 'the twelfth call is at least eleven intervals later');
});

t.test('calls that would wait too long are refused in the form of their protocol', async (t) => {
  const crm = await start(t, '{ perSecond: 1, waitMillis: 0 }');
  const { url } = crm.gateway;
  t.equal((await soap(url)).status, 200);
  const fault = await soap(url);
  t.equal(fault.status, 500);
  t.match(fault.headers.get('retry-after'), /^\d+$/);
  t.match(await fault.text(), /<faultcode>[^<]*Server<\/faultcode>.*its rate allows/s);
  const answer = await postGraphql(url, { query: '{ getCustomer(id: 7) { id } }' });
  t.equal(answer.status, 200);
  t.match(await answer.json(), errorWith('UPSTREAM_RATE_LIMITED'));
  const rest = await fetch(`${url}/rest/crm/GetCustomer?id=7`);
  t.equal(rest.status, 503);
  t.match(rest.headers.get('retry-after'), /^\d+$/);
  t.match(await rest.json(), { code: 'UPSTREAM_RATE_LIMITED', status: 503 });
  t.equal(crm.backend.complete.length, 1);
});

t.test('an operation has a rate of its own, within that of its service', async (t) => {
  const own =
    'operations: { GetCustomer: { field: Query.getCustomer, rate: { perSecond: 1, waitMillis: ' +
    '0 } }, FindCustomers: { field: Query.findCustomers } }';
  const crm = await start(t, `{ perSecond: 100 }, ${own}`);
  const { url } = crm.gateway;
  const ask = async (path: string): Promise<number> =>
    (await fetch(`${url}/rest/crm/${path}`)).status;
  t.equal(await ask('GetCustomer?id=1'), 200);
  t.equal(await ask('GetCustomer?id=2'), 503);
  t.equal(await ask('FindCustomers?ids=1'), 200);
});

t.test('a rate goes on over a reload', async (t) => {
  const crm = await start(t, '{ perSecond: 1, waitMillis: 0 }');
  t.equal((await soap(crm.gateway.url)).status, 200);
  await crm.gateway.reload((yaml) =>
    yaml.replace('waitMillis: 0', 'waitMillis: 0, burst: 1 }, headers: { x-new: y'),
  );
  t.equal((await soap(crm.gateway.url)).status, 500);
});

t.test('a service that answers 429 gets fewer calls', async (t) => {
  t.ok(
    (await gapOf(t, answerStatus(429, { 'retry-after': '1' }))) >= 3 * 90,
    'at most half as many',
  );
});

t.test('a Fault that is named slows calls down, as 429 does, and another does not', async (t) => {
  const backOff = ', backOffOn: [EXCEEDED]';
  const slow = await gapOf(
    t,
    answerBy(() => faultOf('s:EXCEEDED')),
    backOff,
  );
  const usual = await gapOf(
    t,
    answerBy(() => faultOf('s:OTHER')),
    backOff,
  );
  t.ok(slow >= 3 * 90, 'at most half as many');
  t.ok(usual < slow, 'less between the calls after another Fault');
});

t.test('workers share the rate', async (t) => {
  const times: number[] = [];
  const empty = answerBy(() => {
    times.push(performance.now());
    return '';
  });
  const backend = await useBackend(t, empty);
  const gateway = await startProcess(
    t,
    `workers: 2\n${rateYaml(backend.url, 'waitMillis: 30000')}`,
  );
  const answers = await Promise.all(Array.from({ length: 60 }, () => soap(gateway.url)));
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.equal(times.length, 60);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  t.ok(last - first >= 2500, 'two workers with a rate of their own would need half of that');
});

t.test('a burst beyond the rate is an error', async (t) => {
  await t.rejects(
    useCrm(t, ', rate: { perSecond: 2, burst: 3 }'),
    /`services\.crm\.rate\.burst` must not be more/,
  );
});
