import { createHash } from 'node:crypto';
import { sharedState } from '../core/index.js';
import type { RedisConnection } from './connection.js';
import { makeScript } from './script.js';

/**
 * Slots are given out so far ahead, beside 100 intervals: what is later was written before the
 * clock of Redis was set back.
 */
const AHEAD_MILLIS = 10_000;
const AHEAD_INTERVALS = 100;

/** Names that are remembered. */
const NAMES_MAX = 10_000;

/**
 * Gives out the times of the next calls, as `SlotClock` does: one interval after the last, `burst`
 * together after a pause, no second with more than the rate.
 *
 * KEYS: times, the latest last. ARGV: count, calls in a second, burst, milliseconds of an interval,
 * of a second of calls, of the furthest time ahead, until the first
 * Reply: milliseconds from now, as text
 */
const TAKE_SLOTS = makeScript(`
local count, second, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local interval, length = tonumber(ARGV[4]), tonumber(ARGV[5])
local ahead, first = tonumber(ARGV[6]), tonumber(ARGV[7])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + tonumber(clock[2]) / 1000
local latest = tonumber(redis.call('LINDEX', KEYS[1], -1) or now)
if latest > now + ahead then redis.call('DEL', KEYS[1]) end
local function before(places)
  local found = redis.call('LINDEX', KEYS[1], -places)
  return found and tonumber(found) or 0
end
local taken = {}
for i = 1, count do
  local free = math.max(before(burst) + burst * interval, before(second) + length)
  local time = math.max(now + first, before(1), free)
  redis.call('RPUSH', KEYS[1], string.format('%.3f', time))
  taken[i] = string.format('%.3f', time - now)
  latest = time
end
redis.call('LTRIM', KEYS[1], -math.max(second, burst), -1)
redis.call('PEXPIRE', KEYS[1], math.ceil(latest - now + length + burst * interval))
return taken
`);

/**
 * The times of calls, shared by all replicas. While Redis is away each replica goes on with its
 * part of the rate, a second after the last time that it had of the other source.
 */
export class RedisSlots implements sharedState.SlotSupply {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #replicas: number;
  readonly #local = new sharedState.SlotClock();
  readonly #latest = new Map<string, LatestSlot>();

  constructor(connection: RedisConnection, prefix: string, replicas: number) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#replicas = replicas;
  }

  async take(name: string, rate: sharedState.Rate, count: number): Promise<readonly number[]> {
    const latest = this.#latest.get(name) ?? { from: 'shared', millis: 0 };
    const asked = this.#connection.isUp
      ? this.#shared(name, rate, count, firstOf('shared', latest, rate))
      : null;
    const shared = await asked?.catch(() => null);
    const slots = shared ?? this.#ownPart(name, rate, count, firstOf('local', latest, rate));
    const [oldest] = this.#latest.keys();
    if (this.#latest.size >= NAMES_MAX && oldest !== undefined) {
      this.#latest.delete(oldest);
    }
    this.#latest.set(name, {
      from: shared == null ? 'local' : 'shared',
      millis: slots.at(-1) ?? latest.millis,
    });
    return slots;
  }

  #ownPart(
    name: string,
    { perSecond }: sharedState.Rate,
    count: number,
    firstMillis: number,
  ): readonly number[] {
    const part = { perSecond: perSecond / this.#replicas, burst: 1 };
    return this.#local.takeAt(
      name,
      part,
      count,
      Math.max(sharedState.slotClockMillis(), firstMillis),
    );
  }

  /** Null for a reply that is none. */
  async #shared(
    name: string,
    rate: sharedState.Rate,
    count: number,
    firstMillis: number,
  ): Promise<readonly number[] | null> {
    const second = inSecond(rate);
    const interval = 1000 / rate.perSecond;
    const ahead = AHEAD_MILLIS + AHEAD_INTERVALS * interval;
    const sentMillis = sharedState.slotClockMillis();
    const first = Math.max(0, firstMillis - sentMillis);
    const values = [
      count,
      second,
      Math.min(rate.burst, second),
      interval,
      secondOf(rate),
      ahead,
      first,
    ].map(String);
    const reply = await this.#connection.script('slots', TAKE_SLOTS, [this.#keyOf(name)], values);
    if (!Array.isArray(reply) || reply.length !== count) return null;
    // The script ran between the two: the error is at most half of what the reply took.
    const ranMillis = (sentMillis + sharedState.slotClockMillis()) / 2;
    const slots = reply.map((delay) => ranMillis + Number(delay));
    return slots.every(Number.isFinite) ? slots : null;
  }

  #keyOf(name: string): string {
    return `${this.#prefix}v1:slots:${createHash('sha256').update(name).digest('hex')}`;
  }
}

interface LatestSlot {
  readonly from: 'local' | 'shared';
  readonly millis: number;
}

const inSecond = ({ perSecond }: sharedState.Rate): number => Math.max(1, Math.floor(perSecond));

const secondOf = (rate: sharedState.Rate): number =>
  Math.max(1000, (inSecond(rate) * 1000) / rate.perSecond) + sharedState.GUARD_MILLIS;

/** The earliest time from a source: a second after the last one of the other. */
const firstOf = (from: LatestSlot['from'], latest: LatestSlot, rate: sharedState.Rate): number =>
  latest.from === from || latest.millis === 0 ? 0 : latest.millis + secondOf(rate);
