import t, { type Test } from 'tap';
import { Refusal, refuseByLimit } from '../../src/core/refusals/refusal.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { Log, type LogLevel } from '../../src/observe/log/log.js';

function collect(level: LogLevel = 'debug'): { readonly log: Log; readonly written: string[] } {
  const written: string[] = [];
  return { log: new Log(level, { write: (line: string) => written.push(line) }), written };
}

const HOSTILE =
  'a\r\n{"level":30,"msg":"request"}\n\u2028\u2029\u0000\u001b[31m"\\\ud800\u007f\u0085\u009b31m';

/** One object, one line, whatever was in it. */
function onlyLine(t: Test, written: readonly string[]): Record<string, unknown> {
  t.equal(written.length, 1, 'one event');
  const [line = ''] = written;
  t.ok(line.endsWith('}\n'), 'ended by a line end');
  t.notMatch(
    line.slice(0, -1),
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/,
    'and none inside, nor any other control',
  );
  const parsed: Record<string, unknown> = JSON.parse(line);
  return parsed;
}

t.test('nothing from outside makes a second line', async (t) => {
  const exchange = new Exchange(HOSTILE, HOSTILE, HOSTILE);
  Object.assign(exchange, {
    route: HOSTILE,
    operation: HOSTILE,
    dialect: HOSTILE,
    faultCode: HOSTILE,
  });
  exchange.refuse(new Refusal('XML_DEPTH_LIMIT', HOSTILE));
  const access = collect();
  access.log.access(exchange, 1.23456);
  const line = onlyLine(t, access.written);
  t.equal(line['msg'], 'request');
  t.match(line, { code: 'XML_DEPTH_LIMIT', outcome: 'refused', millis: 1.23 });
  for (const field of [
    'id',
    'client',
    'method',
    'route',
    'operation',
    'dialect',
    'detail',
    'fault',
  ]) {
    t.equal(line[field], HOSTILE, `${field} is what it was`);
  }
  exchange.identify({ className: 'internal', label: 'basic:erp', name: null });
  const violation = collect();
  violation.log.violation(exchange, new Refusal('XML_DEPTH_LIMIT', HOSTILE));
  t.match(onlyLine(t, violation.written), {
    msg: 'violation let through',
    class: 'internal',
    caller: 'basic:erp',
    operation: HOSTILE,
  });
  const event = collect();
  event.log.event('info', HOSTILE, { [HOSTILE]: HOSTILE });
  onlyLine(t, event.written);
});

t.test('long texts are cut before they reach a line', async (t) => {
  const long = 'x'.repeat(1_000_000);
  const exchange = new Exchange('id', '127.0.0.1', 'POST');
  Object.assign(exchange, { operation: long, faultCode: long });
  exchange.refuse(new Refusal('XML_DEPTH_LIMIT', long));
  const { log, written } = collect();
  log.access(exchange, 0);
  log.violation(exchange, new Refusal('XML_DEPTH_LIMIT', long));
  exchange.refuse(new Refusal('INTERNAL', null, { cause: new Error(long) }));
  log.access(exchange, 0);
  for (const line of written) t.ok(line.length < 8192, `${line.length} characters`);
  log.event('warn', 'an event', {
    reason: long,
    records: [long, 1],
    note: long,
    nested: { count: 1 },
  });
  const { reason, records, note, nested } = JSON.parse(written.at(-1) ?? '');
  t.same(
    [reason.length, records[0].length, records[1], note.length, nested],
    [256, 256, 1, 4096, { count: 1 }],
  );
});

t.test('a bug leaves its cause in the log, whatever was thrown', async (t) => {
  const causes = [
    new TypeError('oops'),
    'text',
    null,
    undefined,
    { code: 7 },
    7n,
    Object.create(null),
  ];
  const texts = [/^oops/, 'text', /Null/, 'undefined', /Object/, '7', /Object/];
  for (const [index, cause] of causes.entries()) {
    const exchange = new Exchange('id', '127.0.0.1', 'POST');
    exchange.refuse(new Refusal('INTERNAL', null, { cause }));
    const { log, written } = collect();
    log.access(exchange, 0);
    t.equal(written.length, 2);
    t.match(JSON.parse(written[0] ?? ''), {
      msg: 'request',
      code: 'INTERNAL',
      outcome: 'failed',
      level: 'error',
    });
    const message = texts[index];
    t.match(JSON.parse(written[1] ?? ''), {
      msg: 'a bug',
      id: 'id',
      level: 'error',
      err: { message },
    });
    log.bug(cause);
    t.match(JSON.parse(written[2] ?? ''), { msg: 'a bug', err: index === 0 ? /oops/ : message });
  }
});

t.test(
  'levels: what is answered is information, what is refused a warning, a failure an error',
  async (t) => {
    const codes = [
      'CLIENT_GONE',
      'SOAP_FAULT',
      'HTTP_NOT_FOUND',
      'OVERLOADED',
      'UPSTREAM_TIMEOUT',
      'INTERNAL',
    ] as const;
    const levels = codes.map((code) => {
      const exchange = new Exchange('id', '127.0.0.1', 'POST');
      exchange.refuse(new Refusal(code));
      const { log, written } = collect();
      log.access(exchange, 0);
      return JSON.parse(written[0] ?? '').level;
    });
    t.same(levels, ['info', 'info', 'warn', 'warn', 'error', 'error']);
    const quiet = collect('warn');
    quiet.log.access(new Exchange('id', '127.0.0.1', 'POST'), 0);
    t.same(quiet.written, [], 'below the level, nothing');
    const refused = new Exchange('id', '127.0.0.1', 'POST');
    refused.refuse(new Refusal('XML_DEPTH_LIMIT'));
    quiet.log.access(refused, 0);
    t.equal(quiet.written.length, 1, 'a refusal is told at level warn');
    quiet.log.event('info', 'ready');
    t.equal(JSON.parse(quiet.written[1] ?? '').level, 'info', 'other lines name their level, too');
  },
);

t.test('an access line has its fields in one order, and only those that are known', async (t) => {
  const exchange = new Exchange('id-1', '10.0.0.1', 'POST');
  Object.assign(exchange, {
    route: 'orders',
    operation: 'Get',
    dialect: '1.2',
    status: 200,
    bytesIn: 1,
    bytesOut: 2,
  });
  const { log, written } = collect();
  log.access(exchange, 12);
  exchange.refuse(new Refusal('UPSTREAM_TIMEOUT', 'head'));
  exchange.faultCode = 'Server';
  exchange.graphql.cost = 0;
  Object.assign(exchange.upstream, { calls: 2, millis: 1234.5678 });
  log.access(exchange, 0.0049);
  const lines = written.map((line) => line.replace(/"time":"[^"]{24}"/, '"time":""'));
  const head =
    '"time":"","id":"id-1","client":"10.0.0.1","method":"POST","route":"orders","operation":"Get"';
  t.same(lines, [
    `{"level":"info",${head},"dialect":"1.2","status":200,"outcome":"ok","millis":12,` +
      '"bytesIn":1,"bytesOut":2,"msg":"request"}\n',
    `{"level":"error",${head},"dialect":"1.2","status":200,"outcome":"failed",` +
      '"code":"UPSTREAM_TIMEOUT","detail":"head",' +
      '"fault":"Server","millis":0,"upstreamMillis":1234.57,"upstreamCalls":2,"bytesIn":1,' +
      '"bytesOut":2,"cost":0,"msg":"request"}\n',
  ]);
});

t.test('callers that never come again take no memory', async (t) => {
  const { log, written } = collect();
  for (let n = 0; n < 20_000; n++) {
    log.access(new Exchange('id', `10.0.${n >> 8}.${n & 255}`, 'POST'), n / 100);
    const line = JSON.parse(written.pop() ?? '');
    if (line.client !== `10.0.${n >> 8}.${n & 255}` || line.millis !== n / 100)
      t.fail(JSON.stringify(line));
  }
});

t.test('a refusal by a limit names what was found, the limit and its key', async (t) => {
  const exchange = new Exchange('id', '127.0.0.1', 'POST');
  exchange.refuse(refuseByLimit('XML_DEPTH_LIMIT', 'limits.xml.depth', 100, 101));
  const { log, written } = collect();
  log.access(exchange, 0);
  exchange.refuse(new Refusal('UNKNOWN_OPERATION', null, { found: '{urn:a}\u0007'.repeat(100) }));
  log.access(exchange, 0);
  log.violation(exchange, refuseByLimit('XML_DEPTH_LIMIT', 'limits.xml.depth', 100, 101));
  const [limit, found, violation] = written.map((line) => JSON.parse(line));
  t.match(limit, { code: 'XML_DEPTH_LIMIT', found: 101, limit: 100, key: 'limits.xml.depth' });
  t.match(violation, { code: 'XML_DEPTH_LIMIT', found: 101, limit: 100, key: 'limits.xml.depth' });
  exchange.refuse(
    refuseByLimit('SOAP_ARRAY_LIMIT', 'limits.soap.arrayItems', 10_000, Number.POSITIVE_INFINITY),
  );
  log.access(exchange, 1);
  const endless = JSON.parse(written[3] ?? '');
  t.match(endless, { limit: 10_000 }, 'a count without end is still a line of JSON');
  t.notOk('found' in endless);
  t.equal(found.found.length, 128, 'cut');
  t.notOk('limit' in found);
});
