import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type eventBus, isRecord, jsonValues } from '../../core/index.js';

/** An event in a message between replicas. */
export interface SentEvent {
  readonly id: string;
  readonly values: eventBus.EventValues;
}

/**
 * Length limit of a message. Events are smaller: their size is bounded before they are published.
 */
const CHARS_MAX = 4 * 1024 * 1024;
const KEYS_MAX = 1000;
/**
 * Greatest age of an event, and clock difference of replicas. An older message may be a replay
 * attack.
 */
const AGE_MILLIS = 15 * 60_000;
const SIGNATURE_CHARS = 64;

/**
 * Writes an event: its signature, a space, and JSON. Throws for values that JSON cannot express.
 */
export function writeEvent(topic: string, { id, values }: SentEvent, secret: string): string {
  const body = JSON.stringify({ topic, id, at: Date.now(), values });
  return `${sign(body, secret)} ${body}`;
}

/**
 * Reads an event; null without a valid signature, or if it is old, of another topic, or malformed.
 */
export function readEvent(topic: string, text: string, secret: string): SentEvent | null {
  if (text.length > CHARS_MAX || text[SIGNATURE_CHARS] !== ' ') return null;
  const body = text.slice(SIGNATURE_CHARS + 1);
  const signature = Buffer.from(text.slice(0, SIGNATURE_CHARS));
  const expected = Buffer.from(sign(body, secret));
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  return validate(topic, jsonValues.parsedJson(body));
}

function validate(topic: string, event: unknown): SentEvent | null {
  if (!isRecord(event)) return null;
  const { id, at, values } = event;
  if (event['topic'] !== topic || typeof id !== 'string' || id.length === 0 || id.length > 64) {
    return null;
  }
  if (typeof at !== 'number' || Math.abs(Date.now() - at) > AGE_MILLIS) return null;
  if (values === null) return { id, values };
  if (!isRecord(values) || Object.keys(values).length > KEYS_MAX) return null;
  return { id, values };
}

const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');
