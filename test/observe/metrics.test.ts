import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Histogram, Registry } from 'prom-client';
import t from 'tap';
import { packageVersion } from '../../src/core/files/package-folder.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { histogram, MetricBook } from '../../src/observe/metrics/metric-book.js';
import { addUp } from '../../src/observe/metrics/metric-table.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';
import { SCRAPES_MAX, Scrapes } from '../../src/observe/metrics/scrapes.js';
import { metricsText, textOf } from '../kit/metrics-text.js';

function exchange(route: string, operation: string): Exchange {
  const made = new Exchange('id', '127.0.0.1', 'POST');
  return Object.assign(made, {
    route,
    operation,
    dialect: '1.1',
    status: 200,
    bytesIn: 10,
    bytesOut: 20,
  });
}

const linesOf = async (metrics: Metrics, name: string): Promise<string[]> =>
  (await metricsText(metrics)).split('\n').filter((line) => line.startsWith(name));

t.test('observed values are in the metrics', async (t) => {
  const metrics = new Metrics(() => []);
  for (let n = 0; n < 3; n++) metrics.observe(exchange('orders', 'Get'), 0.002);
  const failed = exchange('orders', 'Get');
  failed.refuse(new Refusal('UPSTREAM_TIMEOUT'));
  failed.faultCode = 'Server.Busy';
  failed.upstream.calls = 1;
  failed.upstream.millis = 61_000;
  failed.heldMillis = 1;
  failed.graphql.cost = 7;
  metrics.observe(failed, 61);
  metrics.violation('orders', 'XML_DTD_FORBIDDEN');
  const text = await metricsText(metrics);
  for (const line of [
    'soapstone_requests_total{route="orders",operation="Get",dialect="1.1",outcome="ok"} 3',
    'soapstone_requests_total{route="orders",operation="Get",dialect="1.1",outcome="failed"} 1',
    'soapstone_request_duration_seconds_bucket{le="0.001",route="orders",operation="Get"} 0',
    'soapstone_request_duration_seconds_bucket{le="0.0025",route="orders",operation="Get"} 3',
    'soapstone_request_duration_seconds_bucket{le="60",route="orders",operation="Get"} 3',
    'soapstone_request_duration_seconds_bucket{le="+Inf",route="orders",operation="Get"} 4',
    'soapstone_request_duration_seconds_sum{route="orders",operation="Get"} 61.006',
    'soapstone_request_duration_seconds_count{route="orders",operation="Get"} 4',
    'soapstone_upstream_duration_seconds_bucket{le="+Inf",route="orders"} 1',
    'soapstone_held_head_duration_seconds_bucket{le="0.001",route="orders"} 1',
    'soapstone_refusals_total{route="orders",code="UPSTREAM_TIMEOUT"} 1',
    'soapstone_faults_total{route="orders",origin="gateway",code="_other"} 0',
    'soapstone_faults_total{route="orders",origin="gateway",code="Server"} 1',
    'soapstone_bytes_total{route="orders",operation="Get",direction="in"} 40',
    'soapstone_bytes_total{route="orders",operation="Get",direction="out"} 80',
    'soapstone_responses_total{route="orders",operation="Get",status="200"} 4',
    'soapstone_graphql_cost_sum 7',
    'soapstone_monitored_violations_total{service="orders",code="XML_DTD_FORBIDDEN"} 1',
    'soapstone_config_loads_total{result="ok"} 1',
    `soapstone_build_info{version="${packageVersion()}",node="${process.version}"} 1`,
  ]) {
    if (line.endsWith('_other"} 0'))
      t.notMatch(text, line.slice(0, -2), 'nothing is told that never happened');
    else t.ok(text.includes(`${line}\n`), line);
  }
});

t.test('a histogram of ours tells what one of the package would', async (t) => {
  const bounds = [0.1, 1, 2.5, 10];
  const registry = new Registry();
  const theirs = new Histogram({
    name: 'h',
    help: 'H.',
    labelNames: ['a'],
    buckets: bounds,
    registers: [registry],
  });
  const book = new MetricBook();
  const { ours } = book.add({ ours: histogram('h', ['a'], bounds, 'H.') });
  for (let n = 0; n < 200; n++) {
    const value = n < 5 ? (bounds[n] ?? 0) : ((n * 7919) % 1300) / 64;
    theirs.labels(n % 2 === 0 ? 'x' : 'y').observe(value);
    ours.add(value, n % 2 === 0 ? 'x' : 'y');
  }
  t.equal(await metricsText(book), await registry.metrics());
});

t.test('the metrics of several processes are added up', async (t) => {
  const processes = [new Metrics(() => []), new Metrics(() => [])];
  for (const metrics of processes) metrics.observe(exchange('orders', 'Get'), 0.5);
  const gathered = await Promise.all(processes.map((each) => each.list(AT_ONCE)));
  const text = await textOf(AT_ONCE.finish(addUp(gathered)), 'prometheus');
  t.match(
    text,
    'soapstone_requests_total{route="orders",operation="Get",dialect="1.1",outcome="ok"} 2',
  );
  t.match(
    text,
    'soapstone_request_duration_seconds_bucket{le="0.5",route="orders",operation="Get"} 2',
  );
  t.match(text, 'soapstone_request_duration_seconds_count{route="orders",operation="Get"} 2');
});

t.test('no metric has more than 1,000 combinations of labels, whatever comes', async (t) => {
  const metrics = new Metrics(() => []);
  for (let n = 0; n < 20_000; n++) {
    const odd = exchange(`route ${n}`, `operation ${n}`);
    odd.faultCode = `code ${n}`;
    odd.refuse(new Refusal('HTTP_NOT_FOUND'));
    metrics.observe(odd, 0.1);
    metrics.violation(`service ${n}`, 'XML_DTD_FORBIDDEN');
  }
  for (const name of [
    'requests_total',
    'refusals_total',
    'faults_total',
    'bytes_total',
    'monitored_violations_total',
  ]) {
    const lines = await linesOf(metrics, `soapstone_${name}{`);
    t.equal(lines.length, 1000, name);
    t.ok(
      lines.some((line) => /\{\w+="_other"/.test(line)),
      `${name}: the rest is in one row`,
    );
  }
  const total = (await linesOf(metrics, 'soapstone_requests_total{')).reduce(
    (sum, line) => sum + Number(line.split(' ').at(-1)),
    0,
  );
  t.equal(total, 20_000, 'and nothing is lost');
});

t.test('what others tell is asked for when it is read', async (t) => {
  let shedding = false;
  const breakers = (state: 'open' | 'half-open'): number => (state === 'open' ? 7 : 8);
  const metrics = new Metrics(
    () => [{ service: 'a', active: () => 1, waiting: () => 2, paced: () => 0, breakers }],
    {
      connections: () => 3,
      droppedConnections: () => 4,
      droppedLogLines: () => 5,
      isShedding: () => shedding,
      eventLoopDelayMillis: () => 6,
    },
  );
  shedding = true;
  const text = await metricsText(metrics);
  for (const line of [
    'soapstone_upstream_calls_active{service="a"} 1',
    'soapstone_upstream_calls_waiting{service="a"} 2',
    'soapstone_upstream_breakers_open{service="a"} 7',
    'soapstone_upstream_breakers_half_open{service="a"} 8',
    'soapstone_client_connections 3',
    'soapstone_client_connections_dropped_total 4',
    'soapstone_log_lines_dropped_total 5',
    'soapstone_shedding 1',
    'soapstone_event_loop_delay_seconds 0.006',
  ])
    t.ok(text.includes(`${line}\n`), line);
  await metricsText(metrics);
  t.ok(
    (await metricsText(metrics)).includes('soapstone_log_lines_dropped_total 5\n'),
    'not added up by reading',
  );
});

t.test(
  'as many scrapes as are answered at a time are a limit, and a client that leaves makes room',
  async (t) => {
    const scrapes = new Scrapes({ metrics: async () => [], pace: AT_ONCE });
    const ask = (): { response: ServerResponse; answer: ReturnType<Scrapes['answer']> } => {
      const request = new IncomingMessage(new Socket());
      const response = new ServerResponse(request);
      return { response, answer: scrapes.answer(request, response) };
    };
    const asked = Array.from({ length: SCRAPES_MAX }, ask);
    for (const { answer } of asked) t.equal((await answer).status, 200);
    const refused = await ask().answer;
    t.equal(refused.status, 503);
    t.match(refused.body, /16 scrapes are being answered/);
    asked[0]?.response.emit('close');
    t.equal((await ask().answer).status, 200);
  },
);

t.test('metrics of workers keep the greatest of values that are no sums', async (t) => {
  const lists = [1, 3, 2].map((value) => [
    {
      name: 'most',
      help: 'M.',
      type: 'gauge' as const,
      labels: ['a'],
      aggregator: 'max' as const,
      bounds: [],
      rows: [{ values: ['x'], numbers: [value], exemplars: null }],
    },
  ]);
  t.match(await textOf(AT_ONCE.finish(addUp(lists)), 'prometheus'), 'most{a="x"} 3\n');
});
