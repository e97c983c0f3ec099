import { Buffer } from 'node:buffer';
import type { KeyClaim, KeyState, OutcomeStore } from '../base/outcome-store.js';
import { isRecord } from '../base/record.js';
import type { RedisConnection } from './connection.js';

/** How far clocks of replicas may differ, added to the time of a call. */
const CLOCK_MILLIS = 5_000;

/** Outcomes that all replicas share: who sets a key first makes the call. */
export function redisOutcomes(connection: RedisConnection, prefix: string): OutcomeStore {
  const command = (words: readonly string[]) => connection.command('outcome', words);
  const nameOf = ({ key }: KeyClaim): string => `${prefix}v1:outcome:${key}`;
  return {
    async claim(claim) {
      const { fingerprint, keepMillis, callMillis } = claim;
      const pending = JSON.stringify({
        fingerprint,
        pendingUntil: Date.now() + callMillis + CLOCK_MILLIS,
      });
      const name = nameOf(claim);
      try {
        const set = await command(['SET', name, pending, 'NX', 'PX', String(keepMillis)]);
        if (set === 'OK') return { kind: 'new' };
        const found = await command(['GET', name]);
        // It has ended between the two.
        return typeof found === 'string' ? stateOf(found, fingerprint) : { kind: 'pending' };
      } catch {
        return { kind: 'away' };
      }
    },
    settle(claim, answer) {
      const { fingerprint, keepMillis } = claim;
      const kept =
        answer === null
          ? { fingerprint }
          : { fingerprint, answer: { ...answer, body: answer.body.toString('base64') } };
      // While Redis is away the call is pending until its time is over, and then its outcome is not known.
      command(['SET', nameOf(claim), JSON.stringify(kept), 'XX', 'PX', String(keepMillis)]).catch(
        () => {},
      );
    },
    release(claim) {
      command(['DEL', nameOf(claim)]).catch(() => {});
    },
  };
}

/** What a value says. One that cannot be read says nothing about the call. */
function stateOf(text: string, fingerprint: string): KeyState {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value['fingerprint'] !== 'string') return { kind: 'unknown' };
  if (value['fingerprint'] !== fingerprint) return { kind: 'other' };
  const { answer, pendingUntil } = value;
  if (typeof pendingUntil === 'number')
    return { kind: Date.now() < pendingUntil ? 'pending' : 'unknown' };
  if (!isRecord(answer)) return { kind: 'unknown' };
  const { status, contentType, body, messageId } = answer;
  if (typeof status !== 'number' || typeof contentType !== 'string' || typeof body !== 'string')
    return { kind: 'unknown' };
  const id = typeof messageId === 'string' ? messageId : null;
  return {
    kind: 'answered',
    answer: { status, contentType, body: Buffer.from(body, 'base64'), messageId: id },
  };
}
