import t, { type Test } from 'tap';

import { Exchange } from '../../src/base/exchange.js';
import { Refusal } from '../../src/base/refusal.js';
import { Log, type LogLevel } from '../../src/observe/log.js';

function collect(level: LogLevel = 'debug'): { readonly log: Log; readonly written: string[] } {
  const written: string[] = [];
  return { log: new Log(level, { write: (line: string) => written.push(line) }), written };
}

const HOSTILE = 'a\r\n{"level":30,"msg":"request"}\n\u2028\u2029\u0000\u001b[31m"\\\ud800';

/** One object, one line, whatever was in it. */
function onlyLine(t: Test, written: readonly string[]): Record<string, unknown> {
  t.equal(written.length, 1, 'one event');
  const [line = ''] = written;
  t.ok(line.endsWith('}\n'), 'ended by a line end');
  t.notMatch(line.slice(0, -1), /[\u0000-\u001f]/, 'and none inside, nor any other control');
  const parsed: Record<string, unknown> = JSON.parse(line);
  return parsed;
}

t.test('nothing from outside makes a second line', async (t) => {
  const exchange = new Exchange(HOSTILE, HOSTILE, HOSTILE);
  Object.assign(exchange, { route: HOSTILE, operation: HOSTILE, dialect: HOSTILE, faultCode: HOSTILE });
  exchange.refuse(new Refusal('XML_DEPTH_LIMIT', HOSTILE));
  const access = collect();
  access.log.access(exchange, 1.23456);
  const line = onlyLine(t, access.written);
  t.equal(line['msg'], 'request');
  t.match(line, { code: 'XML_DEPTH_LIMIT', outcome: 'refused', millis: 1.23 });
  const violation = collect();
  violation.log.violation(exchange, new Refusal('XML_DEPTH_LIMIT', HOSTILE));
  t.equal(onlyLine(t, violation.written)['msg'], 'violation let through');
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
});

t.test('a bug leaves its cause in the log, whatever was thrown', async (t) => {
  for (const cause of [new TypeError('oops'), 'text', null, undefined, { code: 7 }, 7n]) {
    const exchange = new Exchange('id', '127.0.0.1', 'POST');
    exchange.refuse(new Refusal('INTERNAL', null, { cause }));
    const { log, written } = collect();
    log.access(exchange, 0);
    t.equal(written.length, 2);
    t.match(JSON.parse(written[0] ?? ''), { msg: 'request', code: 'INTERNAL', outcome: 'failed', level: 50 });
    t.match(JSON.parse(written[1] ?? ''), { msg: 'a bug', id: 'id', level: 50 });
  }
});

t.test('levels: what callers do is information, what backends do is a warning, a bug is an error', async (t) => {
  const levels = (['HTTP_NOT_FOUND', 'UPSTREAM_TIMEOUT', 'INTERNAL'] as const).map((code) => {
    const exchange = new Exchange('id', '127.0.0.1', 'POST');
    exchange.refuse(new Refusal(code));
    const { log, written } = collect();
    log.access(exchange, 0);
    return JSON.parse(written[0] ?? '').level;
  });
  t.same(levels, [30, 40, 50]);
  const quiet = collect('warn');
  quiet.log.access(new Exchange('id', '127.0.0.1', 'POST'), 0);
  t.same(quiet.written, [], 'below the level, nothing');
});
