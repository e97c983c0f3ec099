import type { Buffer } from 'node:buffer';
import type { sharedState } from '../../core/index.js';

/** The answer to a call that was made under an idempotency key. */
export interface KeptAnswer {
  readonly status: number;
  /** '' where it has none. */
  readonly contentType: string;
  readonly body: Buffer;
  /** The id of the message that it is the answer to; absent or null where that has none. */
  readonly messageId?: string | null;
  /** Null or absent where its address is not known. */
  readonly source?: sharedState.AnswerSource | null;
}

/**
 * What is known of a key: `new`: nothing, and the call is the asker's to make. `other`: it was
 * another request. `pending`: its call is under way elsewhere. `answered`: with the answer.
 * `unknown`: whether the backend has acted is not known. `full`: no further key can be remembered.
 * `away`: the store does not answer.
 */
export type KeyState =
  | { readonly kind: 'new' | 'other' | 'pending' | 'unknown' | 'full' | 'away' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer };

/** One request under a key. */
export interface KeyClaim {
  readonly key: string;
  /** Equal for the same operation with the same arguments. */
  readonly fingerprint: string;
  readonly keepMillis: number;
  /**
   * The longest time that its call takes: after it, the outcome of a call that is pending elsewhere
   * is unknown.
   */
  readonly callMillis: number;
  /** The id of the message, which a reply may relate to; absent or null where it has none. */
  readonly messageId?: string | null;
  /** Claimed first where one request makes several calls under one key; absent: it makes one. */
  readonly group?: KeyClaim;
}

/** A claim with the id of its owner, one of many that may ask for the key. */
export interface OwnedClaim extends KeyClaim {
  /**
   * Random, and of this claim alone: the owner may claim again, and is the only one to settle or
   * release.
   */
  readonly owner: string;
}

/**
 * Remembers what became of calls, by idempotency key. Never rejects. A claim that is `new` is held
 * until its owner settles or releases it, however long its call takes.
 */
export interface OutcomeStore {
  claim(claim: OwnedClaim): KeyState | Promise<KeyState>;
  /** The answer to the call; null: its outcome is not known. */
  settle(claim: OwnedClaim, answer: KeptAnswer | null): void;
  /** The call was not made. */
  release(claim: OwnedClaim): void;
}
