import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { eventBus } from '../../core/index.js';
import type { RedisConnection, RedisReply } from '../connection.js';
import { readEvent } from './event-message.js';
import { REPLAY, REPLAY_PAGE } from './event-scripts.js';

/** Limits of what is kept for replay. */
export interface HistoryLimits {
  /** Events of one topic. */
  readonly historyEvents: number;
  /** Time in which events of a topic are still kept after its last subscription. */
  readonly resumeMillis: number;
  /** Bytes of events that are queued for one slow subscriber. */
  readonly queueBytes: number;
}

/** Bytes of the messages that Redis reads at once for a replay. */
const PAGE_BYTES = 256 * 1024;
/**
 * Bytes of the messages of one replay, of those that a subscriber may have waiting: a message is
 * longer than its values, and a filter may drop most. More, and more than the ceiling, count as no
 * longer kept.
 */
const REPLAY_FACTOR = 4;
const REPLAY_BYTES_MAX = 16 * 1024 * 1024;

/** A topic of which Redis keeps events. */
interface KeptTopic {
  readonly connection: RedisConnection;
  readonly name: string;
  /** The keys of its counter, of its history and of its ids. */
  readonly keys: readonly string[];
  readonly limits: HistoryLimits & { readonly secret: string };
}

/**
 * Reads the events that Redis keeps, a page at a time: neither Redis nor this process does only
 * that for long.
 */
export async function replayHistory(
  topic: KeptTopic,
  after: string | null,
  turn: eventBus.ReplayPace['turn'],
): Promise<eventBus.Replay> {
  const { connection, keys, limits } = topic;
  const values = [after ?? '', String(limits.historyEvents), String(PAGE_BYTES), randomUUID()];
  const reply = await connection.script('event_replay', REPLAY, keys, values);
  const [newest, id, number, ...entries] = Array.isArray(reply) ? reply : [];
  const [sequence, position] = [Number(newest), asText(id)];
  if (!Number.isSafeInteger(sequence) || !eventBus.isEventId(position)) {
    throw new Error('the history is unreadable');
  }
  if (after === null) return { position, sequence, missed: [] };
  const missed =
    number === '' ? null : await readMissed(topic, [Number(number), sequence], entries, turn);
  return { position, sequence, missed };
}

/**
 * The events after one number up to another, of which the first page was read; null where some are
 * not kept.
 */
async function readMissed(
  topic: KeptTopic,
  [after, newest]: readonly [number, number],
  firstPage: readonly RedisReply[],
  turn: eventBus.ReplayPace['turn'],
): Promise<readonly eventBus.BusMessage[] | null> {
  const { name, limits } = topic;
  const missed: eventBus.BusMessage[] = [];
  let bytesLeft = Math.min(REPLAY_BYTES_MAX, REPLAY_FACTOR * limits.queueBytes);
  for (let page = firstPage; after + missed.length < newest; ) {
    await turn();
    let sliceEndMillis = performance.now() + eventBus.REPLAY_SLICE_MILLIS;
    for (let at = 0; at + 1 < page.length; at += 2) {
      const text = asText(page[at + 1]);
      const sequence = after + missed.length + 1;
      bytesLeft -= text.length;
      const event = bytesLeft < 0 ? null : readEvent(name, text, limits.secret);
      // Too much, a hole in the history, or a forged entry.
      if (event === null || Number(page[at]) !== sequence) return null;
      missed.push({ ...event, topic: name, sequence });
      if (performance.now() < sliceEndMillis) continue;
      await turn();
      sliceEndMillis = performance.now() + eventBus.REPLAY_SLICE_MILLIS;
    }
    if (page.length === 0) return null;
    if (after + missed.length < newest) {
      page = await readPage(topic, after + missed.length + 1, newest);
    }
  }
  return missed;
}

async function readPage(
  { connection, keys }: KeptTopic,
  from: number,
  newest: number,
): Promise<readonly RedisReply[]> {
  const values = [from, newest, PAGE_BYTES].map(String);
  const reply = await connection.script('event_replay', REPLAY_PAGE, keys.slice(1, 2), values);
  return Array.isArray(reply) ? reply : [];
}

const asText = (reply: RedisReply | undefined): string => (typeof reply === 'string' ? reply : '');
