import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange, nextExchangeId } from '../../src/gateway/exchange.js';
import { parseTraceparent } from '../../src/gateway/trace-headers.js';
import { BATCH_ITEMS, BATCHES_MAX, OtlpBatches } from '../../src/observe/otlp/batches.js';
import { ProtoWriter } from '../../src/observe/otlp/proto-writer.js';
import { readRejected } from '../../src/observe/otlp/rejected-items.js';
import type { ItemOutcome } from '../../src/observe/otlp/sender.js';
import { ATTEMPTS_MAX, LINKS_MAX, RequestSpans } from '../../src/observe/trace/request-spans.js';
import { KEPT_PER_SECOND, Tracer } from '../../src/observe/trace/tracer.js';
import { answerWith, type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import {
  decodeExport,
  ofKind,
  PROTOBUF,
  rejected,
  type Span,
  startReceiver,
  valuesOf,
} from '../kit/otlp.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

const ASKED = envelope('<GetStock xmlns="urn:shop"><sku>secret-sku</sku></GetStock>');
const REPLY = envelope('<GetStockResponse xmlns="urn:shop"><stock>7</stock></GetStockResponse>');

/** Waits until the metrics have this line. */
async function untilMetric(gateway: TestGateway, line: string): Promise<void> {
  await until(async () => (await gateway.metrics()).includes(line));
}

async function startTraced(t: Test, traces: string, { service = '', more = '' } = {}) {
  const receiver = await startReceiver(t);
  const backend = await useBackend(t, answerWith(REPLY));
  const gateway = await useGateway(
    t,
    `services:
  shop:
    url: ${backend.url}/shop?key=hidden
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int, sold(sku: String!): Int }
    operations:
      GetStock: { field: Query.stock, read: {}, idempotent: true }
      GetSold: { field: Query.sold }
${service}
${traces === '' ? '' : `traces: { otlp: "${receiver.url}", ${traces} }`}
${more}
`,
  );
  return {
    ...receiver,
    backend,
    gateway,
    send: (headers: Record<string, string> = {}, body = ASKED): Promise<Response> =>
      postSoap(`${gateway.url}/soap/shop`, body, headers),
  };
}

t.test(
  'behind a trusted proxy the span of a request names the client, and the proxy as its peer',
  async (t) => {
    const { send, received } = await startTraced(t, 'sample: 1', {
      more: 'clients: { trustedProxies: [127.0.0.1] }',
    });
    await send({ 'x-forwarded-for': '203.0.113.9' });
    await send();
    const spans = await received(4);
    const addresses = spans
      .filter(({ kind }) => kind === 2)
      .map((span) => [
        valuesOf(span).get('client.address'),
        valuesOf(span).get('network.peer.address'),
      ]);
    t.same(addresses, [
      ['203.0.113.9', '127.0.0.1'],
      ['127.0.0.1', undefined],
    ]);
  },
);

t.test(
  'a request and its call are two spans of one trace, which the backend gets on',
  async (t) => {
    const { send, received, exports, backend, gateway } = await startTraced(
      t,
      'sample: 1, attributes: { team: a }',
    );
    t.equal((await send({ tracestate: 'of=another' })).status, 200);
    const [server, client, ...others] = [...(await received(2))].sort(
      (one, other) => one.kind - other.kind,
    );
    t.same(others, []);
    if (server === undefined || client === undefined) throw new Error('two spans');
    t.match(server, {
      name: 'shop/GetStock',
      kind: 2,
      traceId: /^[0-9a-f]{32}$/,
      spanId: /^[0-9a-f]{16}$/,
    });
    t.match(client, {
      name: 'shop/GetStock',
      kind: 3,
      traceId: server.traceId,
      parentSpanId: server.spanId,
    });
    t.notOk('parentSpanId' in server);
    t.ok(BigInt(server.startTimeUnixNano) <= BigInt(client.startTimeUnixNano));
    t.ok(BigInt(client.endTimeUnixNano) <= BigInt(server.endTimeUnixNano));
    t.ok(Math.abs(Number(BigInt(server.endTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000);
    const [sent] = backend.complete;
    t.equal(sent?.headers['traceparent'], `00-${server.traceId}-${client.spanId}-01`);
    t.equal(sent?.headers['tracestate'], undefined, 'without a trace to belong to');
    t.match(await gateway.accessLine(), { trace: server.traceId, span: server.spanId });
    const values = Object.fromEntries(valuesOf(server));
    t.match(values, {
      'http.request.method': 'POST',
      'http.route': '/soap/shop',
      'url.path': '/soap/shop',
      'url.scheme': 'http',
      'http.response.status_code': '200',
      'rpc.system.name': 'soap',
      'rpc.method': 'shop/GetStock',
      'soapstone.dialect': '1.1',
      'soapstone.outcome': 'ok',
      'client.address': '127.0.0.1',
      'soapstone.cached': false,
      'soapstone.coalesced': false,
    });
    t.ok(Number(values['soapstone.held.duration']) > 0);
    const port = new URL(backend.url).port;
    t.match(Object.fromEntries(valuesOf(client)), {
      'url.full': `${backend.url}/shop`,
      'server.address': '127.0.0.1',
      'server.port': port,
      'soapstone.attempt': '1',
      'http.response.status_code': '200',
    });
    t.match(exports()[0]?.resourceSpans[0]?.resource.attributes, [
      { key: 'service.name', value: { stringValue: 'soapstone' } },
      { key: 'service.version', value: { stringValue: /^\d+\.\d+\.\d+/ } },
      {
        key: 'service.instance.id',
        value: { stringValue: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
      },
      { key: 'process.pid', value: { intValue: String(process.pid) } },
      { key: 'team', value: { stringValue: 'a' } },
    ]);
    t.notMatch(JSON.stringify(exports()), /secret-sku|hidden|[^/]">7</, 'no values');
    await untilMetric(gateway, 'soapstone_trace_spans_total{outcome="sent"} 2');
  },
);

t.test('the trace context of a caller is taken, with its decision', async (t) => {
  const { send, received, backend, spans } = await startTraced(t, 'sample: 0');
  const traceId = 'a'.repeat(32);
  await send({ traceparent: `00-${traceId}-${'b'.repeat(16)}-00`, tracestate: 'v=1' });
  t.match(
    backend.complete[0]?.headers['traceparent'],
    new RegExp(`^00-${traceId}-(?!b{16})[0-9a-f]{16}-00$`),
  );
  t.equal(backend.complete[0]?.headers['tracestate'], 'v=1');
  await send({ traceparent: `00-${traceId}-${'b'.repeat(16)}-01` });
  const [server] = ofKind(await received(2), 2);
  t.match(server, { traceId, parentSpanId: 'b'.repeat(16) });
  t.equal(spans().length, 2, 'the one that was not sampled is not sent');
});

t.test('without takeContext each request begins a trace', async (t) => {
  const { send, received } = await startTraced(t, 'sample: 1, takeContext: false');
  await send({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` });
  const [server] = ofKind(await received(2), 2);
  t.not(server?.traceId, 'a'.repeat(32));
  t.equal(server?.parentSpanId, undefined);
});

t.test('refused, failed and slow requests are sent whatever the sample', async (t) => {
  const { send, received, spans, backend } = await startTraced(t, 'sample: 0, slowMillis: 300');
  await send();
  await send({}, '<broken');
  t.match(await received(1), [{ kind: 2 }]);
  t.match(Object.fromEntries(valuesOf(spans()[0] ?? { attributes: [] })), {
    'error.type': 'XML_NOT_WELLFORMED',
    'soapstone.outcome': 'refused',
    'soapstone.fault.code': 'Client',
  });
  t.equal(spans()[0]?.status, undefined, 'what a caller got wrong is no error of the gateway');
  backend.answer = answerWith('down', 'text/plain', 500);
  await send();
  const failed = (await received(3)).slice(1);
  t.match(ofKind(failed, 2)[0], { status: { code: 2 } });
  t.match(ofKind(failed, 3)[0], { status: { code: 2 } });
  backend.answer = (message, response) =>
    void setTimeout(350).then(() => answerWith(REPLY)(message, response));
  await send();
  t.equal((await received(5)).length, 5);
});

t.test('each attempt has a span, and the backend its id', async (t) => {
  const { send, received, backend } = await startTraced(t, 'sample: 1', {
    service: `    retry: { times: 1, on: ["503"] }`,
  });
  let count = 0;
  backend.answer = (message, response) =>
    count++ === 0
      ? answerWith('later', 'text/plain', 503)(message, response)
      : answerWith(REPLY)(message, response);
  t.equal((await send()).status, 200);
  const attempts = ofKind(await received(3), 3);
  t.same(
    attempts.map((span) => valuesOf(span).get('soapstone.attempt')),
    ['1', '2'],
  );
  t.equal(valuesOf(attempts[0] ?? { attributes: [] }).get('error.type'), 'UPSTREAM_OVERLOADED');
  t.equal(valuesOf(attempts[1] ?? { attributes: [] }).get('http.request.resend_count'), '1');
  t.same(
    backend.complete.map(({ headers }) => String(headers['traceparent']).split('-')[2]),
    attempts.map(({ spanId }) => spanId),
  );
});

t.test('a call that serves several requests is linked with each', async (t) => {
  const { send, received, backend, gateway } = await startTraced(t, 'sample: 1');
  const held: (() => void)[] = [];
  backend.answer = (message, response) =>
    void held.push(() => answerWith(REPLY)(message, response));
  const first = send();
  await until(() => held.length === 1);
  const second = send();
  await untilMetric(gateway, 'soapstone_call_sharers 1');
  held[0]?.();
  t.same([(await first).status, (await second).status], [200, 200]);
  const spans = await received(3);
  const [call] = ofKind(spans, 3);
  const waiting = ofKind(spans, 2).find(({ links }) => links !== undefined);
  t.match(waiting?.links, [{ traceId: call?.traceId, spanId: call?.spanId }]);
  t.match(call?.links, [{ traceId: waiting?.traceId, spanId: waiting?.spanId }]);
  t.not(waiting?.traceId, call?.traceId);
  t.equal(valuesOf(waiting ?? { attributes: [] }).get('soapstone.coalesced'), true);
});

/** The spans of calls, with the `traceparent` that each server got. */
const sentTo = ({ complete }: Pick<RecordingBackend, 'complete'>): readonly unknown[] =>
  complete.map(({ headers }) => headers['traceparent']);

const asField = ({ traceId, spanId }: Span): string => `00-${traceId}-${spanId}-01`;

t.test('questions that a request needs answered have spans in its trace', async (t) => {
  const tokens = await startRecordingBackend(
    answerWith('{"access_token":"t","token_type":"bearer"}', 'application/json'),
  );
  const active = '{"active":true,"sub":"web"}';
  const introspection = await startRecordingBackend(answerWith(active, 'application/json'));
  const point = await startRecordingBackend(answerWith('{"result":true}', 'application/json'));
  for (const each of [tokens, introspection, point]) t.teardown(() => each.close());
  const { send, received } = await startTraced(t, 'sample: 1', {
    service:
      `    auth: { oauth2: { tokenUrl: "${tokens.url}/token", clientId: ` +
      'a, clientSecret: s } }',
    more: `clients:
  introspection: { url: "${introspection.url}/", clientId: a, clientSecret: s, class: all }
  classes: { all: {} }
  authorize: { url: "${point.url}/" }
`,
  });
  t.equal((await send({ authorization: 'Bearer x' })).status, 200);
  const spans = await received(5);
  const [server] = ofKind(spans, 2);
  const calls = ofKind(spans, 3);
  t.same(
    calls.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
    ['introspection', 'authorize', 'shop/oauth2', 'shop/GetStock'].map((name) => [
      name,
      server?.traceId,
      server?.spanId,
    ]),
  );
  t.same([introspection, point, tokens].flatMap(sentTo), calls.slice(0, 3).map(asField));
  t.notOk(valuesOf(calls[1] ?? { attributes: [] }).has('soapstone.service'));
  t.equal(valuesOf(calls[2] ?? { attributes: [] }).get('url.full'), `${tokens.url}/token`);
});

t.test(
  'a login has a span in the trace of the request that began it, linked with others that wait',
  async (t) => {
    const held: (() => void)[] = [];
    const login = envelope('<GetSoldResponse xmlns="urn:shop"><sold>5</sold></GetSoldResponse>');
    const { send, received, backend } = await startTraced(t, 'sample: 1', {
      service:
        '    auth: { login: { operation: GetSold, arguments: { sku: a }, token: ' +
        'reply.sold, place: "http:x-session" } }',
    });
    backend.answer = (message, response) => {
      if (message.body.includes('GetStock')) answerWith(REPLY)(message, response);
      else held.push(() => answerWith(login)(message, response));
    };
    const first = send();
    await until(() => held.length === 1);
    const second = send({}, ASKED.replace('secret-sku', 'other-sku'));
    await setTimeout(100);
    held[0]?.();
    t.same([(await first).status, (await second).status], [200, 200]);
    const spans = await received(5);
    const logins = spans.filter(({ name, kind }) => name === 'shop/GetSold' && kind === 3);
    t.equal(logins.length, 1);
    const waiting = ofKind(spans, 2).find(({ links }) => links !== undefined);
    t.match(waiting?.links, [{ traceId: logins[0]?.traceId, spanId: logins[0]?.spanId }]);
    t.match(logins[0]?.links, [{ traceId: waiting?.traceId, spanId: waiting?.spanId }]);
    t.ok(
      ofKind(spans, 2).some(
        ({ spanId }) => spanId === logins[0]?.parentSpanId && spanId !== waiting?.spanId,
      ),
    );
  },
);

t.test('a GraphQL operation has its type, its name and a span for each call', async (t) => {
  const { gateway, received } = await startTraced(t, 'sample: 1');
  await postGraphql(gateway.url, {
    query: 'query Stocks { stock(sku: "secret-sku") b: stock(sku: "y") sold(sku: "z") }',
  });
  const spans = await received(4);
  const [server] = ofKind(spans, 2);
  t.match(server, { name: 'query' });
  t.match(Object.fromEntries(valuesOf(server ?? { attributes: [] })), {
    'graphql.operation.type': 'query',
    'graphql.operation.name': 'Stocks',
    'http.route': '/graphql',
    'soapstone.upstream.calls': '3',
  });
  t.same(
    ofKind(spans, 3)
      .map(({ name }) => name)
      .sort(),
    ['shop/GetSold', 'shop/GetStock', 'shop/GetStock'],
  );
});

t.test('a reload switches traces on and off', async (t) => {
  const { gateway, send, received, spans, url } = await startTraced(t, '');
  await send({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
  t.notOk('trace' in (await gateway.accessLine()));
  await gateway.reload((yaml) => `${yaml}\ntraces: { otlp: "${url}", sample: 1 }\n`);
  await send();
  await gateway.reload();
  await received(2);
  await send();
  t.notOk('trace' in (await gateway.accessLine(3)));
  t.equal(spans().length, 2);
});

/** Adds an empty span. */
function addSpan(exporter: OtlpBatches, bytes = 8): void {
  const writer = exporter.next(bytes);
  writer?.copy(new Uint8Array([0x12, 0]));
  exporter.written();
}

t.test('a receiver that is away delays no request, and spans are counted', async (t) => {
  const counts = new Map<ItemOutcome, number>();
  const away = await startRecordingBackend(() => {});
  const url = away.url;
  await away.close();
  const exporter = new OtlpBatches(
    { otlp: url, headers: {}, attributes: {} },
    {
      count: (outcome, spans) => counts.set(outcome, (counts.get(outcome) ?? 0) + spans),
      failed: () => {},
    },
  );
  // Batches that are full by their spans, and none goes out.
  for (let count = 0; count < BATCHES_MAX * BATCH_ITEMS; count++) addSpan(exporter);
  t.equal(exporter.next(1), null);
  await exporter.close();
  t.equal(counts.get('failed'), BATCHES_MAX * BATCH_ITEMS);
});

t.test(
  'a batch is sent again where the receiver asks for that, and what it rejects is counted',
  async (t) => {
    const counts: [ItemOutcome, number][] = [];
    const reasons: string[] = [];
    const { receiver, url, spans } = await startReceiver(t, answerWith('busy', 'text/plain', 503));
    const exporter = new OtlpBatches(
      { otlp: url, headers: { authorization: 'Bearer x' }, attributes: {} },
      { count: (...count) => counts.push(count), failed: (reason) => reasons.push(reason) },
    );
    for (let count = 0; count < 3; count++) addSpan(exporter);
    await until(() => receiver.complete.length === 1);
    receiver.answer = answerWith(rejected(1), PROTOBUF);
    await until(() => counts.length === 2);
    t.same(counts, [
      ['sent', 2],
      ['failed', 1],
    ]);
    t.same(reasons, ['rejected by the receiver']);
    t.equal(receiver.complete[1]?.headers['authorization'], 'Bearer x');
    t.same(spans().length, 6, 'both times');
    receiver.answer = answerWith('no', 'text/plain', 400);
    addSpan(exporter);
    await exporter.close();
    t.same(counts.at(-1), ['failed', 1], 'no second try');
    t.equal(receiver.complete.length, 3);
  },
);

t.test('a flood of refusals is kept up to a limit', async (t) => {
  let dropped = 0;
  const { url } = await startReceiver(t);
  const options = {
    otlp: url,
    sample: 0,
    slowMillis: 1000,
    takeContext: true,
    headers: {},
    attributes: {},
  };
  const tracer = new Tracer(options, {
    count: (_outcome, spans) => (dropped += spans),
    failed: () => {},
  });
  t.teardown(() => tracer.close());
  let kept = 0;
  const startedMillis = new Exchange('', '', '').startedMillis;
  for (let count = 0; count < KEPT_PER_SECOND + 5; count++) {
    const exchange = Object.assign(new Exchange(nextExchangeId(), '', 'POST'), { startedMillis });
    tracer.begin(exchange, {});
    exchange.refuse(new Refusal('FORBIDDEN'));
    tracer.end(exchange, 1);
    if (exchange.exemplar !== null) kept++;
  }
  t.same([kept, dropped], [KEPT_PER_SECOND, 5]);
});

t.test('what one request may hold is bounded', async (t) => {
  const spans = new RequestSpans(null, true);
  for (let count = 0; count < ATTEMPTS_MAX + 2; count++)
    spans.call('a', 'b').begin(new URL('http://a'), 0);
  t.same([spans.attempts?.length, spans.droppedAttempts], [ATTEMPTS_MAX, 2]);
  for (let count = 0; count < LINKS_MAX + 2; count++) spans.link(spans);
  t.equal(spans.links?.length, LINKS_MAX);
});

t.test('a traceparent is read as W3C Trace Context has it', async (t) => {
  const trace = createHash('md5').update('a').digest('hex');
  const span = trace.slice(0, 16);
  t.same(parseTraceparent(`00-${trace}-${span}-03`), {
    traceId: trace,
    spanId: span,
    isSampled: true,
  });
  t.same(parseTraceparent(`01-${trace}-${span}-00-more`), {
    traceId: trace,
    spanId: span,
    isSampled: false,
  });
  const invalid = [
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}`,
    '',
  ];
  for (const value of invalid) t.equal(parseTraceparent(value), null, value);
});

t.test(
  'OpenMetrics has the trace of a request in its bucket, where its spans are sent',
  async (t) => {
    const { gateway, send } = await startTraced(t, 'sample: 0');
    const open = async (): Promise<string> => {
      const response = await fetch(`${gateway.adminUrl}/metrics`, {
        headers: { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' },
      });
      t.match(response.headers.get('content-type'), 'application/openmetrics-text');
      return response.text();
    };
    await send();
    await gateway.accessLine();
    t.notMatch(await open(), 'trace_id');
    const traceId = 'a'.repeat(32);
    await send({ traceparent: `00-${traceId}-${'b'.repeat(16)}-01` });
    await gateway.accessLine(2);
    const text = await open();
    t.match(
      text,
      /^soapstone_request_duration_seconds_bucket\{le="[\d.]+",route="shop",operation="GetStock"\} \d # \{trace_id="a{32}"\} 0\.\d+ \d+/m,
    );
    t.match(text, '# TYPE soapstone_requests counter\nsoapstone_requests_total{');
    t.match(text, /\n# EOF\n$/);
    t.notMatch(await gateway.metrics(), /trace_id|# EOF/, 'the older format has none');
    t.match(await gateway.metrics(), '# TYPE soapstone_requests_total counter');
  },
);

t.test(
  'an event of a subscription is a trace of its own, linked with the request that subscribed',
  async (t) => {
    const { url, received } = await startReceiver(t);
    const options = {
      otlp: url,
      sample: 1,
      slowMillis: 1000,
      takeContext: true,
      headers: {},
      attributes: {},
    };
    const tracer = new Tracer(options, { count: () => {}, failed: () => {} });
    const subscription = new RequestSpans(null, true);
    const { traceId, spanId } = subscription;
    const event = Object.assign(new Exchange('e1', '', 'EVENT'), {
      route: 'graphql',
      operation: 'subscription',
    });
    tracer.beginEvent(event, 'orderPlaced', subscription);
    tracer.end(event, 2);
    tracer.end(event, 2);
    await tracer.close();
    const [span, ...others] = await received(1);
    t.same(others, [], 'ended once');
    t.match(span, { name: 'event orderPlaced', kind: 1, links: [{ traceId, spanId }] });
    t.not(span?.traceId, traceId);
    t.equal(
      valuesOf(span ?? { attributes: [] }).get('soapstone.subscription.field'),
      'orderPlaced',
    );
  },
);

t.test(
  'attributes and times are encoded as a receiver reads them, at the limits of their lengths',
  async (t) => {
    const writer = new ProtoWriter(Buffer.alloc(16_384));
    const resource = writer.begin(1);
    const scope = writer.begin(2);
    const span = writer.begin(2);
    const texts = [
      '',
      'a'.repeat(127),
      'a'.repeat(128),
      'é',
      `${'a'.repeat(126)}é`,
      'a'.repeat(256),
      '\u{1f600}'.repeat(128),
    ];
    const numbers = [0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 53 - 1];
    for (const value of [...texts, ...numbers, true, false]) writer.attribute(9, 'key', value);
    writer.attribute(9, 'longer', 'a'.repeat(300));
    writer.attribute(9, 'surrogate', '\ud800');
    writer.attribute(9, 'endless', Number.POSITIVE_INFINITY);
    writer.attribute(9, 'none', Number.NaN);
    writer.double(9, 'double', 0.25);
    writer.time(7, 1_790_000_000_123.5);
    writer.time(8, 4_294_967_295.5);
    for (const start of [span, scope, resource]) writer.end(start);
    const decoded = decodeExport(writer.bytes.subarray(0, writer.length)).resourceSpans[0]
      ?.scopeSpans[0]?.spans[0];
    if (decoded === undefined) throw new Error('no span');
    t.same(
      decoded.attributes.map(({ value }) => Object.values(value)[0]),
      [
        ...texts,
        ...numbers.map(String),
        ...[true, false, 'a'.repeat(256), '\ufffd', String(Number.MAX_SAFE_INTEGER), '0', 0.25],
      ],
    );
    t.same(
      [decoded.startTimeUnixNano, decoded.endTimeUnixNano],
      ['1790000000123500000', '4294967295500000'],
    );
    for (let seconds = 1; seconds < 2 ** 31; seconds = seconds * 3 + 1) {
      writer.length = 0;
      writer.time(7, seconds * 1000 + 999.5);
      t.equal(writer.bytes.readBigUInt64LE(1), BigInt(seconds) * 1_000_000_000n + 999_500_000n);
    }
  },
);

t.test('the answer of a receiver is read as far as it is one', async (t) => {
  t.equal(readRejected(rejected(2 ** 40)), 2 ** 40);
  t.equal(readRejected(Buffer.from('')), 0);
  // Of other types: field 2 as fixed64, field 3 as fixed32, field 4 as a text; then the message.
  const before = Buffer.from('11000000000000000025000000002201616', 'hex');
  t.equal(readRejected(Buffer.concat([before, Buffer.from('61', 'hex')])), 0);
  for (const broken of [
    '0aff',
    '0a',
    '0a02',
    '0a0208',
    '08ffffffffffffffffff01',
    '0b',
    'ffffffffffffffffffffff',
    '0affffffff7f00',
  ]) {
    t.equal(readRejected(Buffer.from(broken, 'hex')), 0, broken);
  }
});

t.test('spans of any request fit into the room that is kept for them', async (t) => {
  const { url, received } = await startReceiver(t);
  const options = {
    otlp: url,
    sample: 1,
    slowMillis: 1000,
    takeContext: true,
    headers: {},
    attributes: {},
  };
  const tracer = new Tracer(options, { count: () => {}, failed: () => {} });
  const long = '\u0800'.repeat(1000);
  const exchange = Object.assign(new Exchange('e1', long, 'POST'), {
    ...{
      route: long,
      path: long,
      operation: long,
      dialect: long,
      faultCode: long,
    },
    ...{ status: 500, bytesIn: 2 ** 50, bytesOut: 2 ** 50, heldMillis: 1.5 },
  });
  exchange.identify({ className: long, label: long, name: long });
  Object.assign(exchange.graphql, { operationName: long, cost: 2 ** 50, actualCost: 2 ** 50 });
  exchange.upstream.calls = 2 ** 40;
  exchange.upstream.cacheUses = [{ service: long, operation: long, outcome: 'hit' }];
  tracer.begin(exchange, {});
  const spans = exchange.observer instanceof RequestSpans ? exchange.observer : null;
  for (let count = 0; count < LINKS_MAX; count++)
    spans?.link({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) });
  const call = spans?.call(long, long, long);
  for (let count = 0; count < ATTEMPTS_MAX; count++) call?.begin(new URL(`http://a/${long}`), 0);
  exchange.refuse(new Refusal('INTERNAL'));
  tracer.end(exchange, 5);
  await tracer.close();
  const sent = await received(1 + ATTEMPTS_MAX);
  t.equal(sent[0]?.links?.length, LINKS_MAX);
  t.match(sent[0], { status: { code: 2, message: 'INTERNAL' } });
  t.equal(valuesOf(sent[0] ?? { attributes: [] }).get('client.address'), long.slice(0, 256));
});
