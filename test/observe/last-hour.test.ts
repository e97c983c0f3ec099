import t from 'tap';
import { rateRows, timeRows } from '../../src/console/page/hour-rows.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange } from '../../src/gateway/exchange.js';
import type { HourReport } from '../../src/observe/hour-report.js';
import {
  endOfHours,
  HOUR_ROUTES_MAX,
  LastHour,
  mergeHours,
  SLOTS,
} from '../../src/observe/last-hour.js';

/** The ring of the last hour, and the rows of charts that are made of it. */

const SLOT_MILLIS = 30_000;
const STARTED = 1_000_000 * SLOT_MILLIS;

function exchangeOf(route: string, code: 'XML_DTD_FORBIDDEN' | 'UPSTREAM_TIMEOUT' | null = null) {
  const exchange = new Exchange('1', '127.0.0.1', 'POST');
  exchange.route = route;
  if (code !== null) exchange.refuse(new Refusal(code));
  return exchange;
}

/** An hour whose clock is set by hand. */
function hourAt(millis: number) {
  const clock = { millis };
  return { clock, hour: new LastHour(() => clock.millis) };
}

t.test('requests count in the slot of their end, by their route and outcome', (t) => {
  const { clock, hour } = hourAt(STARTED);
  hour.add(exchangeOf('a'), 3);
  hour.add(exchangeOf('b', 'XML_DTD_FORBIDDEN'), 3);
  clock.millis += 2 * SLOT_MILLIS;
  hour.add(exchangeOf('a', 'UPSTREAM_TIMEOUT'), 100_000);
  const report = hour.report();
  t.match(report, { slotSeconds: 30, fromSeconds: STARTED / 1000 });
  t.strictSame(report.total, {
    route: '',
    requests: [2, 0, 1],
    refused: [1, 0, 0],
    failed: [0, 0, 1],
  });
  t.match(report.routes, [
    { route: 'a', requests: [1, 0, 1], refused: [0, 0, 0], failed: [0, 0, 1] },
    { route: 'b', requests: [1, 0, 0], refused: [1, 0, 0], failed: [0, 0, 0] },
  ]);
  t.equal(report.times[0]?.[2], 2, 'up to 5 ms');
  t.equal(report.times[2]?.at(-1), 1, 'beyond all bounds');
  t.end();
});

t.test('a slot is forgotten after an hour, and a clock that goes back counts on', (t) => {
  const { clock, hour } = hourAt(STARTED);
  hour.add(exchangeOf('a'), 1);
  clock.millis += (SLOTS - 1) * SLOT_MILLIS;
  t.equal(hour.report().total.requests.length, SLOTS);
  t.equal(hour.report().total.requests[0], 1, 'just an hour ago');
  clock.millis += SLOT_MILLIS;
  t.ok(hour.report().total.requests.every((count) => count === 0));
  t.equal(hour.report().fromSeconds, STARTED / 1000 + 30);
  clock.millis -= 5 * SLOT_MILLIS;
  hour.add(exchangeOf('a'), 1);
  t.equal(hour.report().total.requests.at(-1), 1);
  clock.millis += 1000 * SLOT_MILLIS;
  t.ok(
    hour.report().total.requests.every((count) => count === 0),
    'after a long pause',
  );
  t.end();
});

t.test('routes are bounded, and those beyond count in the total', (t) => {
  const { hour } = hourAt(STARTED);
  for (let index = 0; index <= HOUR_ROUTES_MAX; index++) hour.add(exchangeOf(`r${index}`), 1);
  const { routes, total } = hour.report();
  t.equal(routes.length, HOUR_ROUTES_MAX);
  t.strictSame(total.requests, [HOUR_ROUTES_MAX + 1]);
  t.end();
});

t.test('hours of several processes add up by time', (t) => {
  const early = hourAt(STARTED);
  early.hour.add(exchangeOf('a'), 1);
  early.clock.millis += SLOT_MILLIS;
  const late = hourAt(STARTED + SLOT_MILLIS);
  late.hour.add(exchangeOf('a'), 1);
  late.hour.add(exchangeOf('__proto__', 'XML_DTD_FORBIDDEN'), 1);
  const merged = mergeHours([late.hour.report(), early.hour.report()]);
  t.match(merged, { fromSeconds: STARTED / 1000, total: { requests: [1, 2], refused: [0, 1] } });
  t.match(merged?.routes, [
    { route: 'a', requests: [1, 1] },
    { route: '__proto__', requests: [0, 1] },
  ]);
  t.strictSame(
    merged?.times.map(([first]) => first),
    [1, 2],
  );
  t.equal(mergeHours([]), null);
  const old = hourAt(STARTED - SLOTS * SLOT_MILLIS);
  t.equal(mergeHours([late.hour.report(), old.hour.report()])?.times.length, SLOTS, 'no longer');
  t.end();
});

t.test('a report of days before, or of days ahead, adds no slot beyond the hour', (t) => {
  const present = hourAt(STARTED);
  present.hour.add(exchangeOf('a'), 1);
  const now = present.hour.report();
  const day = (24 * 3600 * 1000) / SLOT_MILLIS;
  for (const days of [-3650, -30, 30, 3650]) {
    const other = hourAt(STARTED + days * day * SLOT_MILLIS);
    other.hour.add(exchangeOf('b'), 1);
    const merged = mergeHours([other.hour.report(), now], endOfHours([now]));
    t.equal(merged?.times.length, days < 0 ? SLOTS : 1, `${days} days`);
    t.equal(merged?.total.requests.at(-1), 1, 'the present is the last slot');
    t.equal(endOfHours(merged === null ? [] : [merged]), endOfHours([now]));
    t.strictSame(
      merged?.routes.map(({ route }) => route),
      ['a'],
      'a route without requests in the hour is dropped',
    );
  }
  const edge = hourAt(STARTED - (SLOTS - 1) * SLOT_MILLIS);
  edge.hour.add(exchangeOf('b'), 1);
  const whole = mergeHours([edge.hour.report(), now]);
  t.equal(whole?.total.requests[0], 1, 'the oldest slot of the hour counts');
  t.equal(whole?.routes.length, 2);
  t.equal(mergeHours([now], endOfHours([])), null);
  t.end();
});

t.test('a clock that was hours ahead begins a new ring when it is put right', (t) => {
  const { clock, hour } = hourAt(STARTED + 10 * SLOTS * SLOT_MILLIS);
  hour.add(exchangeOf('a'), 1);
  clock.millis = STARTED;
  hour.add(exchangeOf('a'), 1);
  const { fromSeconds, total } = hour.report();
  t.equal(fromSeconds, STARTED / 1000);
  t.strictSame(total.requests, [1]);
  t.end();
});

const stateAt = (millis: number, requests: number) => ({
  atMillis: millis,
  loads: { ok: 1, refused: 0, generation: 1 },
  recent: { refused: [], faults: [], slow: [] },
  metrics: { soapstone_requests_total: [{ labels: { outcome: 'ok' }, value: requests }] },
});

t.test('a chart begins with the ring and goes on with what the page reads', (t) => {
  const { clock, hour } = hourAt(STARTED);
  for (let count = 0; count < 60; count++) hour.add(exchangeOf('a'), 4);
  clock.millis += SLOT_MILLIS + 1000;
  const report: HourReport = hour.report();
  const pageAt = STARTED + SLOT_MILLIS + 1000;
  const states = [stateAt(pageAt, 60), stateAt(pageAt + 2000, 64)];
  t.strictSame(rateRows(report, states), [
    [STARTED / 1000 + 15, 2, 0, 0],
    [pageAt / 1000 + 2, 2, 0, 0],
  ]);
  const [first] = timeRows(report, states);
  t.equal(first?.[0], STARTED / 1000 + 15);
  t.ok((first?.[1] ?? 0) > 2.5 && (first?.[1] ?? 0) <= 5, 'within the bucket of 4 ms');
  const hidden = [stateAt(STARTED - 600_000, 0), ...states];
  t.equal(rateRows(report, hidden).length, 2, 'a time in which the page was hidden is no row');
  t.strictSame(rateRows(null, [stateAt(pageAt, 60)]), [], 'nothing was read yet');
  t.end();
});
