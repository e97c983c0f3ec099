import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { isRecord, jsonValues, MIB, sharedState } from '../core/index.js';
import type {
  KeptAnswer,
  KeyState,
  OutcomeStore,
  OwnedClaim,
} from '../gateway/shared/outcome-store.js';
import type { RedisConnection } from './connection.js';
import { RedisUnavailable } from './errors.js';
import {
  CLAIM_OUTCOME,
  RELEASE_OUTCOME,
  RENEW_OUTCOME,
  SETTLE_OUTCOME,
} from './outcome-scripts.js';
import { UnconfirmedWrites } from './unconfirmed-writes.js';

/** Added to the longest time of a call: a lease ends later, and one with less left is renewed. */
export const LEASE_MARGIN_MILLIS = 10_000;
/** Interval in which leases are looked at. */
const RENEWAL_MILLIS = 2_000;
/** How long an attempt to claim may be on its way to Redis after its owner has released the key. */
const RELEASED_MILLIS = 10 * 60_000;
/** Bytes of outcomes that wait until Redis has confirmed them. */
const UNCONFIRMED_BYTES_MAX = 16 * MIB;

/** A claim that this process holds: its call is under way. */
interface HeldClaim {
  readonly claim: OwnedClaim;
  leaseEndMillis: number;
}

/**
 * Outcomes that all replicas share: the owner of the claim on a key makes the call. The lease of a
 * claim outlasts its call, and the owner alone renews, settles or releases it. A write without a
 * reply may have been executed: a claim is made again by the same owner, and then released;
 * outcomes and releases are repeated until Redis confirms them.
 */
export class RedisOutcomes implements OutcomeStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #held = new Map<string, HeldClaim>();
  readonly #unconfirmed = new UnconfirmedWrites(UNCONFIRMED_BYTES_MAX);
  #timer: NodeJS.Timeout | null = null;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async claim(claim: OwnedClaim): Promise<KeyState> {
    const attempt = async (): Promise<KeyState> => {
      const fromMillis = performance.now();
      const values = leaseValues(claim);
      const keys = [this.#nameOf(claim), this.#releaseOf(claim)];
      const reply = await this.#connection.script('outcome', CLAIM_OUTCOME, keys, values, 0);
      const [kind, text, now] = Array.isArray(reply) ? reply : [];
      if (kind === 'known' && typeof text === 'string') {
        return stateOf(text, claim.fingerprint, Number(now));
      }
      if (kind !== 'new') return { kind: 'away' };
      this.#hold(claim, fromMillis + leaseOf(claim));
      return { kind: 'new' };
    };
    try {
      return await attempt();
    } catch (error) {
      if (!mayHaveRun(error)) return { kind: 'away' };
      return await attempt().catch(() => {
        this.release(claim);
        return { kind: 'away' };
      });
    }
  }

  settle(claim: OwnedClaim, answer: KeptAnswer | null): void {
    const { fingerprint, keepMillis } = claim;
    const kept =
      answer === null
        ? { fingerprint }
        : { fingerprint, answer: { ...answer, body: answer.body.toString('base64') } };
    const text = JSON.stringify(kept);
    this.#held.delete(claim.owner);
    this.#unconfirmed.add(text.length, () =>
      this.#write(
        SETTLE_OUTCOME,
        [this.#nameOf(claim)],
        [ownerText(claim), text, String(keepMillis)],
      ),
    );
  }

  release(claim: OwnedClaim): void {
    this.#held.delete(claim.owner);
    const keys = [this.#nameOf(claim), this.#releaseOf(claim)];
    const values = [ownerText(claim), String(RELEASED_MILLIS)];
    this.#unconfirmed.add(0, () => this.#write(RELEASE_OUTCOME, keys, values));
  }

  /** Writes once more what is not confirmed. Never rejects. */
  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearInterval(this.#timer);
    }
    this.#timer = null;
    await this.#unconfirmed.close();
  }

  #nameOf({ key }: OwnedClaim): string {
    return `${this.#prefix}v1:outcome:${key}`;
  }

  #releaseOf({ owner }: OwnedClaim): string {
    return `${this.#prefix}v1:released:${owner}`;
  }

  async #write(...[script, keys, values]: ScriptCall): Promise<void> {
    await this.#connection.script('outcome', script, keys, values);
  }

  #hold(claim: OwnedClaim, leaseEndMillis: number): void {
    this.#held.set(claim.owner, { claim, leaseEndMillis });
    this.#timer ??= setInterval(() => void this.#renew(), RENEWAL_MILLIS).unref();
  }

  /**
   * Renews the leases that end soon: of calls that take longer than their rules say, such as those
   * that wait for a rate.
   */
  async #renew(): Promise<void> {
    if (this.#held.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    const dueMillis = performance.now() + LEASE_MARGIN_MILLIS - RENEWAL_MILLIS;
    for (const held of [...this.#held.values()]) {
      if (held.leaseEndMillis > dueMillis || !this.#connection.isUp) continue;
      const { claim } = held;
      const leaseEndMillis = performance.now() + leaseOf(claim);
      await this.#write(RENEW_OUTCOME, [this.#nameOf(claim)], leaseValues(claim)).then(
        () => {
          held.leaseEndMillis = leaseEndMillis;
        },
        () => {},
      );
    }
  }
}

type ScriptCall = readonly [
  script: Parameters<RedisConnection['script']>[1],
  keys: readonly string[],
  values: readonly string[],
];

const leaseOf = ({ callMillis }: OwnedClaim): number => callMillis + LEASE_MARGIN_MILLIS;

/** The begin of all claims of an owner, by which scripts compare. */
const ownerText = ({ owner }: OwnedClaim): string => `{"owner":${JSON.stringify(owner)},`;

/** The arguments of scripts that write a lease. */
function leaseValues(claim: OwnedClaim): readonly string[] {
  const owner = ownerText(claim);
  const begin = `${owner}"fingerprint":${JSON.stringify(claim.fingerprint)},"pendingUntil":`;
  return [owner, begin, String(leaseOf(claim)), String(claim.keepMillis)];
}

/** Whether a command that failed may have been executed: it was sent, and its reply is missing. */
const mayHaveRun = (error: unknown): boolean =>
  !(error instanceof RedisUnavailable) || error.reason !== 'down';

/** The state in a text. One that cannot be read says nothing about the call. */
function stateOf(text: string, fingerprint: string, nowMillis: number): KeyState {
  const value = jsonValues.parsedJson(text);
  if (!isRecord(value) || typeof value['fingerprint'] !== 'string') return { kind: 'unknown' };
  if (value['fingerprint'] !== fingerprint) return { kind: 'other' };
  const { answer, pendingUntil } = value;
  if (typeof pendingUntil === 'number') {
    return { kind: nowMillis < pendingUntil ? 'pending' : 'unknown' };
  }
  if (!isRecord(answer)) return { kind: 'unknown' };
  const { status, contentType, body, messageId, source } = answer;
  if (typeof status !== 'number' || typeof contentType !== 'string' || typeof body !== 'string') {
    return { kind: 'unknown' };
  }
  const id = typeof messageId === 'string' ? messageId : null;
  return {
    kind: 'answered',
    answer: {
      status,
      contentType,
      body: Buffer.from(body, 'base64'),
      messageId: id,
      source: sharedState.isAnswerSource(source) ? source : null,
    },
  };
}
