import type { xsd } from '../../wsdl/index.js';

/** Values at the bounds of a type, beside them, and between them. */
export function* valuesNearBounds(facets: xsd.Facets): Generator<string> {
  const { minInclusive, maxInclusive, minExclusive, maxExclusive } = facets;
  const lows = [minInclusive, minExclusive].filter((bound) => bound !== null);
  const highs = [maxInclusive, maxExclusive].filter((bound) => bound !== null);
  yield* lows;
  yield* highs;
  for (const low of lows) yield* beside(low, 1);
  for (const high of highs) yield* beside(high, -1);
  for (const low of lows) {
    for (const high of highs) yield plainNumber((Number(low) + Number(high)) / 2);
  }
}

function* beside(bound: string, by: 1 | -1): Generator<string> {
  const text = bound.trim();
  for (const step of [1, 0.5, 0.1, 0.01, 0.001]) yield plainNumber(Number(text) + by * step);
  if (/^[+-]?\d+$/.test(text)) yield String(BigInt(text) + BigInt(by));
  yield* momentsBeside(text, by);
  if (/^-?P/.test(text)) yield* durationsBeside(text, by);
  // Each number in it by one: years, months, hours and so on.
  for (const { index, 0: digits } of text.matchAll(/\d+/g)) {
    const number = String(Math.max(0, Number(digits) + by)).padStart(digits.length, '0');
    yield text.slice(0, index) + number + text.slice(index + digits.length);
  }
}

/** Without an exponent, and without the digits that a sum of binary fractions adds. */
const plainNumber = (value: number): string => String(Number(value.toFixed(6)));

const SECOND = 1000;
const DAY = 86_400_000;

/** A day, or a time, a second or a day beside another one, in the same zone. */
function* momentsBeside(text: string, by: 1 | -1): Generator<string> {
  const found = /^(\d{4}-\d\d-\d\d)?(T)?(\d\d:\d\d:\d\d)?(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  const [, day = null, between = '', time = null, zone = ''] = found ?? [];
  if (day === null && time === null) return;
  const moment = Date.parse(`${day ?? '2026-01-31'}T${time ?? '00:00:00'}Z`);
  if (Number.isNaN(moment)) return;
  for (const step of time === null ? [DAY] : [SECOND, DAY]) {
    const moved = new Date(moment + by * step).toISOString();
    yield `${day === null ? '' : moved.slice(0, 10)}${between}` +
      `${time === null ? '' : moved.slice(11, 19)}${zone}`;
  }
}

/** A duration that is longer or shorter by a day, an hour or a second. */
function* durationsBeside(text: string, by: 1 | -1): Generator<string> {
  if (by < 0) {
    yield* ['P0D', 'PT1S', 'P1D', 'P1M'];
  } else if (text.includes('T')) {
    if (!text.endsWith('S')) yield `${text}1S`;
  } else {
    if (!text.endsWith('D')) yield `${text}1D`;
    yield `${text}T1S`;
  }
}
