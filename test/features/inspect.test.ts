import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SoapService } from '../../src/compile/soap/service.js';
import type { ExchangeSummary } from '../../src/flow/inspect/exchange-view.js';
import { Inspector } from '../../src/flow/inspect/inspector.js';
import { keptExchange } from '../../src/flow/inspect/kept-exchange.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { answerStatus, answerWith, type RecordingBackend } from '../kit/backend.js';
import { compileAlone, diagnosticsOf } from '../kit/configuration.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** The latest exchanges with a backend, which the console shows to operators. */

const WSDL = wsdlOf(
  'urn:t',
  wrapper('GetOrder', element('id', 'xs:string')) +
    wrapper(
      'GetOrderResponse',
      element('id', 'xs:string') + element('total', 'xs:decimal') + element('iban', 'xs:string'),
    ) +
    wrapper('PlaceOrder', element('id', 'xs:string')) +
    wrapper('PlaceOrderResponse', element('id', 'xs:string')),
  ['GetOrder', 'PlaceOrder'],
);

const REPLY = envelope(
  '<GetOrderResponse xmlns="urn:t"><id>AB-1234</id><total>0120.50</total>' +
    '<iban>CH12</iban></GetOrderResponse>',
);

const TOKENS = { alice: 'alice-token-0123456789', bob: 'bob-token-012345678901' };
const ADMIN = `admin:
  address: 127.0.0.1:0
  bearer: { tokens: [${TOKENS.alice}, ${TOKENS.bob}] }
`;
const MASK = `    schema:
      types: { GetOrderResponse: { fields: { iban: { mask: { default: last4 } } } } }
`;

type Operator = keyof typeof TOKENS;

async function useInspected(
  t: Test,
  keys: string | null,
  answer: RecordingBackend['answer'] = answerWith(REPLY),
  more = '',
  admin = ADMIN,
) {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const inspect = keys === null ? '' : `console: { inspect: { ${keys} } }\n`;
  const desk = await useService(
    t,
    answer,
    (url) =>
      `${admin}${inspect}audit: { file: audit.log }\n${more}services:\n  a:\n    wsdl: a.wsdl\n` +
      `    url: ${url}\n${MASK}`,
    folder,
  );
  const ask = (path: string, by: Operator = 'bob'): Promise<Response> =>
    fetch(`${desk.gateway.adminUrl}/console/${path}`, {
      headers: { authorization: `Bearer ${TOKENS[by]}` },
    });
  const list = async (): Promise<readonly ExchangeSummary[]> =>
    JSON.parse(await (await ask('exchanges?service=a&operation=GetOrder')).text());
  const show = async (id: string, values = 'replaced', by: Operator = 'bob') =>
    ask(`exchange?service=a&operation=GetOrder&id=${id}&values=${values}`, by);
  const latest = async (): Promise<ExchangeSummary> => {
    const [found] = await list();
    if (found === undefined) throw new Error('no exchange is kept');
    return found;
  };
  return { ...desk, folder, ask, list, latest, show };
}

const request = (id: string, header = ''): string =>
  envelope(`<GetOrder xmlns="urn:t"><id>${id}</id></GetOrder>`, header);

const SECURITY =
  '<w:Security xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-' +
  'secext-1.0.xsd"><w:UsernameToken><w:Password>secret</w:Password></w:UsernameToken>' +
  '</w:Security><h:Tenant xmlns:h="urn:h">acme</h:Tenant>';

t.test('without `console.inspect` no exchange is kept', async (t) => {
  const { send, ask } = await useInspected(t, null);
  await send(request('AB-1234'));
  t.equal((await ask('exchanges?service=a&operation=GetOrder')).status, 404);
  t.equal((await ask('exchange?service=a&operation=GetOrder&id=x')).status, 404);
});

t.test('an exchange is shown with other values of their class, and without secrets', async (t) => {
  const { send, latest, show, gateway } = await useInspected(t, '');
  await send(request('AB-1234', SECURITY), {
    authorization: 'Basic c2VjcmV0',
    'x-tenant': 'acme',
  });
  const { id: requestId } = await gateway.accessLine();
  const summary = await latest();
  t.match(summary, { requestId, status: 200, code: null, millis: Number, startedMillis: Number });
  const text = await (await show(summary.id)).text();
  t.notMatch(text, /AB-1234|120\.50|CH12|acme|secret|c2VjcmV0|Password/);
  const { request: sent, reply, values } = JSON.parse(text);
  t.equal(values, 'replaced');
  const [, id] = /<id>([A-Z]{2}-\d{4})<\/id>/.exec(reply.envelope) ?? [];
  t.ok(id, 'letters are letters, digits are digits');
  t.match(sent.envelope, `<id>${id}</id>`, 'values still join');
  t.match(reply.envelope, /<total>0\d{3}\.\d{2}<\/total>/);
  const fieldsOf = (fields: { name: string; value: string | null }[]) =>
    new Map(fields.map(({ name, value }) => [name, value]));
  t.equal(fieldsOf(sent.fields).get('soapaction'), '"GetOrder"', 'fields of the protocol stay');
  t.match(fieldsOf(reply.fields).get('content-type'), /^text\/xml/);
});

t.test('values are shown to operators that are named, and each look is recorded', async (t) => {
  const { send, latest, show, gateway, folder } = await useInspected(t, 'operators: [bearer:1]');
  await send(request('AB-1234', SECURITY), { authorization: 'Basic c2VjcmV0' });
  const { id } = await latest();
  const refused = await show(id, 'kept', 'bob');
  t.equal(refused.status, 403);
  t.match(await refused.text(), /`console\.inspect\.operators` names\. You are "bearer:2"/);
  const text = await (await show(id, 'kept', 'alice')).text();
  t.match(text, 'AB-1234');
  t.match(text, 'acme');
  t.notMatch(text, /CH12|c2VjcmV0|Password/, 'masked fields and secrets stay out');
  const about = { service: 'a', operation: 'GetOrder', exchange: id };
  t.match(await gateway.logLine('an operator was shown the values of an exchange'), {
    ...about,
    level: 'info',
    operator: 'bearer:1',
    client: '127.0.0.1',
  });
  t.match(await gateway.logLine('an operator was refused the values of an exchange'), {
    ...about,
    level: 'warn',
    operator: 'bearer:2',
  });
  const lines = (): Record<string, unknown>[] =>
    readFileSync(join(folder, 'audit.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('console.inspect'))
      .map((line) => JSON.parse(line));
  await until(() => lines().length === 2);
  const line = { route: 'a', operation: 'GetOrder', rule: 'console.inspect', of: [id] };
  t.match(lines(), [
    { ...line, decision: 'denied', operator: 'bearer:2' },
    { ...line, decision: 'shown', operator: 'bearer:1' },
  ]);
});

t.test('a look at an exchange that is not kept is no refusal, and is not recorded', async (t) => {
  const { show, send, latest, gateway, folder } = await useInspected(t, '');
  t.equal((await show('x'.repeat(4000), 'kept')).status, 404);
  await send(request('1'));
  const { id } = await latest();
  t.equal((await show(id, 'kept')).status, 403);
  await gateway.logLine('an operator was refused the values of an exchange');
  const refused = gateway.logLines().filter(({ msg }) => /refused the values/.test(String(msg)));
  t.equal(refused.length, 1);
  const audit = (): string => readFileSync(join(folder, 'audit.log'), 'utf8');
  await until(() => audit().includes(id));
  t.notMatch(audit(), 'xxxx');
});

const SECRETS = [
  ...['x-auth', 'x-jwt', 'x-pwd', 'x-passwd', 'x-pin', 'x-otp', 'dpop', 'x-saml-assertion'],
  'x-desk',
];

t.test('header fields that may hold credentials are withheld from all operators', async (t) => {
  const clients = `clients:
  classes: { all: {} }
  apiKeys: { header: X-Desk, clients: { alice: { class: all, keys: [a-key-of-16-chars-1] } } }
`;
  const fields = Object.fromEntries(SECRETS.map((name) => [name, 'canary']));
  const { send, latest, show } = await useInspected(
    t,
    'operators: [bearer:1]',
    answerStatus(200, { 'content-type': 'text/xml', ...fields, 'x-author': 'shown' }, REPLY),
    clients,
  );
  await send(request('1'), { 'x-desk': 'a-key-of-16-chars-1' });
  const { id } = await latest();
  const text = await (await show(id, 'kept', 'alice')).text();
  t.notMatch(text, /canary|a-key-of/);
  t.match(text, 'shown');
});

t.test('exchanges are refused where other machines reach the address freely', async (t) => {
  const open = 'admin: 0.0.0.0:0\n';
  const { send, gateway } = await useInspected(t, '', answerWith(REPLY), '', open);
  await send(request('1'));
  const url = gateway.adminUrl.replace('0.0.0.0', '127.0.0.1');
  for (const path of [
    'exchanges?service=a&operation=GetOrder',
    'exchange?service=a&operation=GetOrder&id=1',
  ]) {
    const answer = await fetch(`${url}/console/${path}`);
    t.equal(answer.status, 403, path);
    t.match(await answer.text(), /Exchanges are not shown here: .* Listen on 127\.0\.0\.1/);
  }
  t.equal((await fetch(`${url}/console/hour`)).status, 200, 'other pages are');
});

t.test('the latest of each operation are kept, as many as configured', async (t) => {
  const { send, list, latest, show, ask } = await useInspected(
    t,
    'exchanges: 2, operations: [a.GetOrder]',
  );
  await send(request('1'));
  const first = await latest();
  await send(request('2'));
  await send(request('3'));
  t.equal((await list()).length, 2);
  t.equal((await show(first.id)).status, 404, 'it is dropped');
  await send(envelope('<PlaceOrder xmlns="urn:t"><id>1</id></PlaceOrder>'));
  const other = await ask('exchanges?service=a&operation=PlaceOrder');
  t.equal(other.status, 404, 'not among `operations`');
});

t.test('long messages, refused replies and failures have their header fields', async (t) => {
  const limits = 'limits: { inspect: { messageBytes: 1KiB } }\n';
  const { send, latest, show } = await useInspected(t, '', answerWith(REPLY), limits);
  const read = async (id: string) => (await show(id)).json();
  await send(request('x'.repeat(2000)));
  const long = await latest();
  t.match(await read(long.id), {
    request: { envelope: null, why: 'long', fields: Array },
    reply: { envelope: String, why: null },
  });

  const html = answerStatus(502, { 'content-type': 'text/html' }, '<html>canary</html>');
  const broken = await useInspected(t, '', html);
  await broken.send(request('1'));
  const failed = await broken.latest();
  t.match(failed, { status: 502, code: /^UPSTREAM_/ });
  t.match(await (await broken.show(failed.id)).json(), { request: { envelope: String } });

  const gone = await useInspected(t, '');
  await gone.backend.close();
  await gone.send(request('1'));
  t.match(await gone.list(), [{ status: 0, code: 'UPSTREAM_UNREACHABLE' }]);
});

t.test('all exchanges together are bounded: the oldest goes first', (t) => {
  const inspector = new Inspector(10, 1000);
  const service = { name: 'a' } as SoapService;
  const add = (operation: string, bytes: number): string => {
    const body = Buffer.alloc(bytes);
    const message = { fields: [], body, missing: null };
    const exchange = new Exchange('1', '127.0.0.1', 'POST');
    const kept = keptExchange(service, operation, exchange, message);
    inspector.add(kept);
    return kept.id;
  };
  const first = add('A', 600);
  const second = add('B', 400);
  t.equal(inspector.find('a', 'A', first)?.id, first, 'just within');
  add('B', 1);
  t.equal(inspector.find('a', 'A', first), null);
  t.equal(inspector.find('a', 'B', second)?.id, second);
  t.equal(inspector.find('a', '__proto__', first), null);
  t.end();
});

t.test('names that no service has are errors, with the nearest one', async (t) => {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const text = `console: { inspect: { operations: [a.GetOrders, b.*] } }
services: { a: { wsdl: ${folder}/a.wsdl, url: "http://127.0.0.1:9/" } }
`;
  const problems = await diagnosticsOf(compileAlone(text));
  t.match(problems, [
    { line: Number, what: /names `a\.GetOrders`, which no service has/, remedy: /`a\.GetOrder`/ },
    { what: /names `b\.\*`/ },
  ]);
});
