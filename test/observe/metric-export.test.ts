import t, { type Test } from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { HttpClientDurations } from '../../src/observe/metrics/http-client-durations.js';
import { MetricExport } from '../../src/observe/metrics/metric-export.js';
import type { MetricTable } from '../../src/observe/metrics/metric-table.js';
import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { decodeMetrics, PROTOBUF, type SentMetric, type SentPoint, valuesOf } from '../kit/otlp.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

const ACCEPTED = answerWith('', PROTOBUF);

async function startReceiver(t: Test, answer = ACCEPTED) {
  const receiver = await useBackend(t, answer);
  const options = {
    otlp: `${receiver.url}/v1/metrics`,
    everyMillis: 3_600_000,
    headers: {},
    attributes: {},
  };
  const metrics = (): readonly SentMetric[] =>
    receiver.complete.flatMap(({ body }) => decodeMetrics(body));
  return { receiver, options, metrics };
}

const labelsOf = (point: SentPoint | undefined): unknown =>
  point === undefined ? null : Object.fromEntries(valuesOf({ attributes: [], ...point }));

t.test('a gateway sends its metrics at intervals, cumulative since its start', async (t) => {
  const { receiver, metrics } = await startReceiver(t);
  const backend = await useBackend(t, answerWith(envelope('<GotStock xmlns="urn:shop"/>')));
  const gateway = await useGateway(
    t,
    `services: { shop: { url: ${backend.url} } }
metrics: { otlp: "${receiver.url}/v1/metrics", everyMillis: 1000, headers: { x-key: k },
  attributes: { team: a } }
`,
  );
  const call = (): Promise<Response> =>
    postSoap(`${gateway.url}/soap/shop`, envelope('<GetStock xmlns="urn:shop"/>'));
  t.equal((await call()).status, 200);
  const find = (name: string): SentMetric | undefined =>
    metrics().findLast((metric) => metric.name === name);
  await until(() => find('soapstone_requests_total')?.sum?.dataPoints[0]?.asDouble === 1);
  t.equal(receiver.complete[0]?.headers['content-type'], PROTOBUF);
  t.equal(receiver.complete[0]?.headers['x-key'], 'k');
  const requests = find('soapstone_requests_total');
  t.match(requests?.sum, { aggregationTemporality: 2, isMonotonic: true });
  t.match(labelsOf(requests?.sum?.dataPoints[0]), { route: 'shop', outcome: 'ok' });
  const [point] = requests?.sum?.dataPoints ?? [];
  t.ok(BigInt(point?.startTimeUnixNano ?? 0) < BigInt(point?.timeUnixNano ?? 0));
  const durations = find('http.server.request.duration');
  t.equal(durations?.unit, 's');
  t.equal(durations?.histogram?.aggregationTemporality, 2);
  const [duration] = durations?.histogram?.dataPoints ?? [];
  t.equal(duration?.count, '1');
  t.equal(duration?.explicitBounds?.length, 14);
  t.equal(duration?.bucketCounts?.length, 15);
  t.ok((duration?.sum ?? 0) > 0);
  t.same(labelsOf(duration), {
    'http.request.method': 'POST',
    'url.scheme': 'http',
    'http.route': '/soap/shop',
    'http.response.status_code': '200',
  });
  const calls = find('http.client.request.duration');
  t.equal(calls?.unit, 's');
  const [attempt] = calls?.histogram?.dataPoints ?? [];
  t.equal(attempt?.count, '1');
  t.same(labelsOf(attempt), {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': new URL(backend.url).port,
    'http.response.status_code': '200',
  });
  t.ok(find('soapstone_connections')?.gauge ?? find('soapstone_client_connections')?.gauge);
  t.equal(find('soapstone_request_duration_seconds')?.unit, 's');
  await call();
  await until(() => find('soapstone_requests_total')?.sum?.dataPoints[0]?.asDouble === 2);
  const text = await gateway.metrics();
  t.match(text, /soapstone_metric_points_total\{outcome="sent"\} \d+/);
});

const table = (rows: number): MetricTable => ({
  name: 'rows_total',
  help: 'Rows.',
  type: 'counter',
  labels: ['row'],
  aggregator: 'sum',
  bounds: [],
  rows: Array.from({ length: rows }, (_, at) => ({
    values: [`${'x'.repeat(200)}${at}`],
    numbers: [at],
    exemplars: null,
  })),
});

t.test('the row of too many has the text of its labels, where others have a number', async (t) => {
  const { options, metrics } = await startReceiver(t);
  const durations = new HttpClientDurations();
  for (let at = 0; at <= 1000; at++) {
    durations.add(new URL(`http://h${at}.example:81/`), 'POST', 200, null, 1);
  }
  const sender = new MetricExport(
    { metrics: async () => [durations.metric], pace: AT_ONCE, listen: () => {} },
    { count: () => {}, failed: (reason) => t.fail(reason) },
  );
  sender.configure(options);
  await sender.close();
  const points = metrics().flatMap(({ histogram }) => histogram?.dataPoints ?? []);
  t.match(labelsOf(points[0]), { 'server.port': '81' });
  t.match(labelsOf(points.at(-1)), { 'server.port': '_other', 'server.address': '_other' });
});

t.test('more points than one request holds go in several, none twice', async (t) => {
  const { receiver, options, metrics } = await startReceiver(t);
  const counts: [string, number][] = [];
  const sender = new MetricExport(
    { metrics: async () => [table(10_000)], pace: AT_ONCE, listen: () => {} },
    { count: (...count) => counts.push(count), failed: (reason) => t.fail(reason) },
  );
  sender.configure(options);
  await sender.close();
  t.ok(receiver.complete.length > 2, `${receiver.complete.length} requests`);
  t.ok(receiver.complete.every(({ body }) => body.length <= 2 ** 20));
  const values = metrics().flatMap(({ sum }) => sum?.dataPoints.map((at) => at.asDouble) ?? []);
  t.same(
    values,
    Array.from({ length: 10_000 }, (_, at) => at),
  );
  t.equal(
    counts.reduce((sum, [outcome, points]) => sum + (outcome === 'sent' ? points : 0), 0),
    10_000,
  );
});

t.test(
  'a receiver that refuses is counted and reported, and nothing is sent without one',
  async (t) => {
    const { receiver, options } = await startReceiver(t, answerWith('no', 'text/plain', 400));
    const counts: [string, number][] = [];
    const reasons: string[] = [];
    const sender = new MetricExport(
      { metrics: async () => [table(3)], pace: AT_ONCE, listen: () => {} },
      { count: (...count) => counts.push(count), failed: (reason) => reasons.push(reason) },
    );
    sender.configure(null);
    await sender.close();
    t.equal(receiver.complete.length, 0);
    sender.configure(options);
    await sender.close();
    t.same(counts, [['failed', 3]]);
    t.same(reasons, ['status 400']);
  },
);

t.test('requests are counted by method, scheme, route and status alone', async (t) => {
  const { options, metrics } = await startReceiver(t);
  const sender = new MetricExport(
    { metrics: async () => [], pace: AT_ONCE, listen: () => {} },
    { count: () => {}, failed: () => {} },
  );
  sender.configure(options);
  const finish = (method: string, status: number, refusal: Refusal | null = null): void => {
    const exchange = new Exchange('id', '192.0.2.1', method);
    Object.assign(exchange, { status, path: '/soap/shop', refusal });
    sender.finish(exchange, 20);
  };
  finish('POST', 200);
  finish('POST', 200);
  finish('POST', 503, new Refusal('OVERLOADED'));
  finish('BREW', 405);
  finish('EVENT', 200);
  await sender.close();
  const points = metrics().flatMap(({ histogram }) => histogram?.dataPoints ?? []);
  t.same(
    points.map((point) => [
      valuesOf({ attributes: [], ...point }).get('http.request.method'),
      point.count,
    ]),
    [
      ['POST', '2'],
      ['POST', '1'],
      ['_OTHER', '1'],
    ],
  );
  t.equal(valuesOf({ attributes: [], ...points[1] }).get('error.type'), '503');
});

t.test(
  'an attempt is counted by the server, and by its status or the cause of its failure',
  (t) => {
    const durations = new HttpClientDurations();
    durations.add(new URL('http://a.example/x'), 'POST', 200, null, 0.2);
    durations.add(new URL('https://b.example/x'), 'POST', 500, 'SOAP_FAULT', 0.2);
    durations.add(new URL('https://b.example:8443/'), 'GET', 0, 'UPSTREAM_TIMEOUT', 30);
    t.same(
      durations.metric.rows.map(({ values }) => values),
      [
        ['POST', 'a.example', '80', '200', ''],
        ['POST', 'b.example', '443', '500', '500'],
        ['GET', 'b.example', '8443', '', 'UPSTREAM_TIMEOUT'],
      ],
    );
    t.end();
  },
);
