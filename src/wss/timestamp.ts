import type { canonical } from '../xml/index.js';
import { invalidSecurity, messageExpired } from './security-refusals.js';
import { elementParts, elementText, isNamed } from './strict-elements.js';
import { WSU } from './wsse-names.js';

export interface TimestampRules {
  readonly isRequired: boolean;
  /** How far clocks may differ. */
  readonly toleranceMillis: number;
  /** The age up to which a message is taken; null: up to its Expires, which it must have. */
  readonly maxAgeMillis: number | null;
}

/**
 * Validates a Timestamp (SOAP Message Security section 10), and returns until when it is good.
 * Throws `wsse:InvalidSecurity`, `wsse:MessageExpired`.
 */
export function validateTimestamp(
  node: canonical.ElementNode,
  rules: TimestampRules,
  nowMillis: number,
): number {
  const { toleranceMillis, maxAgeMillis } = rules;
  const times = new Map<string, number>();
  for (const part of elementParts(node)) {
    if (!isNamed(part, WSU, 'Created') && !isNamed(part, WSU, 'Expires')) {
      throw invalidSecurity('the parts of Timestamp');
    }
    if (times.has(part.local)) throw invalidSecurity(`${part.local} twice`);
    times.set(part.local, instantOf(elementText(part)));
  }
  const created = times.get('Created') ?? null;
  const expires = times.get('Expires') ?? null;
  if (created === null) throw invalidSecurity('Timestamp without Created');
  if (created > nowMillis + toleranceMillis) {
    throw messageExpired('Created is in the future', printTime(created));
  }
  if (expires !== null && expires <= created) {
    throw messageExpired('Expires is not later than Created', printTime(expires));
  }
  if (expires !== null && expires + toleranceMillis <= nowMillis) {
    throw messageExpired('Expires has passed', printTime(expires));
  }
  if (maxAgeMillis === null && expires === null) throw invalidSecurity('Timestamp without Expires');
  const oldest = maxAgeMillis === null ? Number.POSITIVE_INFINITY : created + maxAgeMillis;
  if (oldest + toleranceMillis <= nowMillis) {
    throw messageExpired('Created is too long ago', printTime(created));
  }
  return Math.min(expires ?? Number.POSITIVE_INFINITY, oldest) + toleranceMillis;
}

/** `xs:dateTime` in UTC or with a zone (XSD part 2 section 3.2.7); without a zone it is UTC. */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,12})?(Z|[+-]\d{2}:\d{2})?$/;

/** Throws `wsse:InvalidSecurity`. */
export function instantOf(text: string): number {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(text.trim()) ?? [];
  const millis =
    seconds === undefined ? Number.NaN : Date.parse(seconds + fraction.slice(0, 4) + zone);
  if (Number.isNaN(millis)) throw invalidSecurity('a time that is no xs:dateTime');
  return millis;
}

const printTime = (millis: number): string => new Date(millis).toISOString();
