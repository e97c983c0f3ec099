import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventValues } from '../base/event-bus.js';
import { isRecord } from '../base/record.js';

/** An event as replicas send it to each other. */
export interface SentEvent {
  readonly id: string;
  readonly values: EventValues;
}

/** No event is this long: what is read from messages is bounded before it becomes one. */
const CHARS_MAX = 4 * 1024 * 1024;
const KEYS_MAX = 1000;
/** How old an event may be, and how far clocks may be apart. What is older may be sent again by somebody else. */
const AGE_MILLIS = 15 * 60_000;
const SIGNATURE_CHARS = 64;

/** Writes an event: its signature, a blank, and JSON. Throws when its values are none of JSON. */
export function writeEvent(topic: string, { id, values }: SentEvent, secret: string): string {
  const body = JSON.stringify({ topic, id, at: Date.now(), values });
  return `${sign(body, secret)} ${body}`;
}

/** Reads an event; null for what was not signed with the secret, is old, of another topic, or has another form. */
export function readEvent(topic: string, text: string, secret: string): SentEvent | null {
  if (text.length > CHARS_MAX || text[SIGNATURE_CHARS] !== ' ') return null;
  const body = text.slice(SIGNATURE_CHARS + 1);
  const given = Buffer.from(text.slice(0, SIGNATURE_CHARS));
  const right = Buffer.from(sign(body, secret));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return checked(topic, parse(body));
}

function checked(topic: string, event: unknown): SentEvent | null {
  if (!isRecord(event)) return null;
  const { id, at, values } = event;
  if (event['topic'] !== topic || typeof id !== 'string' || id.length === 0 || id.length > 64) return null;
  if (typeof at !== 'number' || Math.abs(Date.now() - at) > AGE_MILLIS) return null;
  if (values === null) return { id, values };
  if (!isRecord(values) || Object.keys(values).length > KEYS_MAX) return null;
  return { id, values };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

const sign = (body: string, secret: string): string => createHmac('sha256', secret).update(body).digest('hex');
