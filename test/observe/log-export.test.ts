import t, { type Test } from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { Log, type LogOptions } from '../../src/observe/log/log.js';
import { answerWith } from '../kit/backend.js';
import { startProcess } from '../kit/gateway-process.js';
import { decodeRecords, PROTOBUF, type SentRecord, valuesOf } from '../kit/otlp.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

const NONE: LogOptions = { level: 'info', format: 'json', headers: {}, attributes: {} };

/** A log, and the lines of its standard output. */
function openLog(options: Partial<LogOptions>) {
  const lines: string[] = [];
  const log = new Log('info', { write: (line) => void lines.push(line) });
  log.configure({ ...NONE, ...options });
  return { log, lines };
}

/** A request that was refused, within a trace. */
function refused(): Exchange {
  const exchange = new Exchange('an-id', '192.0.2.7', 'POST');
  Object.assign(exchange, {
    route: 'shop',
    operation: 'GetStock',
    dialect: '1.1',
    status: 500,
    outcome: 'refused',
    refusal: new Refusal('XML_NOT_WELLFORMED', 'a start tag that is not whole'),
    loggedFields: `,"trace":"${'ab'.repeat(16)}","span":"${'cd'.repeat(8)}"`,
  });
  return exchange;
}

t.test('lines by the Elastic Common Schema have its names, and the others in a group', (t) => {
  const { log, lines } = openLog({ format: 'ecs' });
  log.access(refused(), 12.5);
  log.event('info', 'ready', { url: 'http://127.0.0.1:1', urls: ['http://127.0.0.1:1'] });
  const [access, ready] = lines.map((line) => JSON.parse(line));
  t.match(access, {
    '@timestamp': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    'log.level': 'warn',
    message: 'request',
    'ecs.version': '8.11.0',
    'service.name': 'soapstone',
    'event.dataset': 'soapstone.access',
    'event.category': ['web'],
    'event.outcome': 'failure',
    'event.duration': 12_500_000,
    'http.request.method': 'POST',
    'http.request.id': 'an-id',
    'http.response.status_code': 500,
    'client.address': '192.0.2.7',
    'client.ip': '192.0.2.7',
    'error.code': 'XML_NOT_WELLFORMED',
    'error.message': 'a start tag that is not whole',
    'trace.id': 'ab'.repeat(16),
    'span.id': 'cd'.repeat(8),
    soapstone: { route: 'shop', operation: 'GetStock', dialect: '1.1', outcome: 'refused' },
  });
  t.match(ready, {
    'log.level': 'info',
    message: 'ready',
    'event.dataset': 'soapstone.log',
    soapstone: { url: 'http://127.0.0.1:1', urls: ['http://127.0.0.1:1'] },
  });
  t.ok(lines.every((line) => line.indexOf('\n') === line.length - 1));
  t.end();
});

t.test('the format changes with a reload, and names of callers are no fields', (t) => {
  const { log, lines } = openLog({ format: 'ecs' });
  log.event('info', 'a', { ['__proto__x']: 1, '@timestamp': 'mine', message: 'mine' });
  log.configure(NONE);
  log.event('info', 'b');
  const [first, second] = lines.map((line) => JSON.parse(line));
  t.match(first, { message: 'a', soapstone: { '@timestamp': 'mine', message: 'mine' } });
  t.equal(second.msg, 'b');
  t.end();
});

async function startReceiver(t: Test, answer = answerWith('', PROTOBUF)) {
  const receiver = await useBackend(t, answer);
  const records = (): readonly SentRecord[] =>
    receiver.complete.flatMap(({ body }) => decodeRecords(body));
  return { receiver, records, otlp: `${receiver.url}/v1/logs` };
}

t.test('lines are sent as records, besides standard output', async (t) => {
  const { otlp, records } = await startReceiver(t);
  const { log, lines } = openLog({ otlp, attributes: { team: 'a' } });
  log.access(refused(), 12.5);
  const error = new Error('broken');
  error.stack = `Error: broken\n${'    at a function\n'.repeat(50)}`;
  log.bug(error);
  await log.close();
  t.equal(lines.length, 2);
  const [access, bug] = records();
  t.match(access, {
    severityNumber: 13,
    severityText: 'warn',
    body: { stringValue: 'request' },
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
  });
  t.equal(
    BigInt(access?.timeUnixNano ?? 0) / 1_000_000n,
    BigInt(Date.parse(JSON.parse(lines[0] ?? '').time)),
  );
  t.match(Object.fromEntries(valuesOf({ attributes: access?.attributes ?? [] })), {
    'client.address': '192.0.2.7',
    'http.request.method': 'POST',
    'http.response.status_code': '500',
    'error.type': 'XML_NOT_WELLFORMED',
    'soapstone.detail': 'a start tag that is not whole',
    'soapstone.operation': 'GetStock',
    'soapstone.millis': 12.5,
  });
  const stack = valuesOf({ attributes: bug?.attributes ?? [] }).get('exception.stacktrace');
  t.equal(stack, error.stack, 'longer than texts from outside may be');
  t.same(log.exported, { sent: 2, dropped: 0, failed: 0 });
});

t.test('a receiver that is away is reported once, and holds nothing up', async (t) => {
  const { receiver, otlp } = await startReceiver(t, answerWith('no', 'text/plain', 400));
  const { log, lines } = openLog({ otlp });
  log.event('info', 'one');
  await until(() => lines.length === 2);
  t.match(JSON.parse(lines[1] ?? ''), { msg: 'log lines could not be sent', reason: 'status 400' });
  await until(() => receiver.complete.length === 2);
  await log.close();
  t.equal(lines.length, 2);
  t.same(log.exported, { sent: 0, dropped: 0, failed: 2 });
});

t.test('a process writes its first line in the format of the configuration', async (t) => {
  const { otlp, records } = await startReceiver(t);
  const gateway = await startProcess(
    t,
    `services: { shop: { url: "http://127.0.0.1:1" } }\nlog: { format: ecs, otlp: "${otlp}" }\n`,
  );
  t.match(gateway.lines[0], { message: 'ready', 'log.level': 'info' });
  await until(() => records().some(({ body }) => body.stringValue === 'ready'));
  gateway.child.kill('SIGTERM');
});
