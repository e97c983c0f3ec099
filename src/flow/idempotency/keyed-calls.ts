import { Refusal, type sharedState } from '../../core/index.js';
import type { KeyClaim, OutcomeStore } from '../../gateway/shared/outcome-store.js';
import type { UpstreamReceiver } from '../../upstream/index.js';
import type { DeclaredCall, KeyedStarter } from '../calls/declared-call.js';
import { ReplayedCall } from '../calls/replayed-call.js';
import { KeyedCall, type MakeCall } from './keyed-call.js';

/**
 * The calls of operations that write, by the idempotency key of their requests: one for each key.
 */
export class KeyedCalls implements KeyedStarter {
  readonly #store: OutcomeStore;
  readonly #suspicions: sharedState.Suspicions;
  readonly #open = new Map<string, KeyedCall>();

  constructor(store: OutcomeStore, suspicions: sharedState.Suspicions) {
    this.#store = store;
    this.#suspicions = suspicions;
  }

  /** Requests under keys whose calls are under way. */
  get count(): number {
    return this.#open.size;
  }

  start(claim: KeyClaim, receiver: UpstreamReceiver, make: MakeCall): DeclaredCall {
    const known = this.#open.get(claim.key);
    if (known === undefined) {
      const call = new KeyedCall(claim, this.#store, this.#suspicions, make, () =>
        this.#close(call),
      );
      this.#open.set(claim.key, call);
      const member = call.join(receiver);
      if (member === null) throw new Error('the first request waits for nothing');
      call.begin();
      return member;
    }
    if (known.claim.fingerprint !== claim.fingerprint) {
      return refused(receiver, 'IDEMPOTENCY_KEY_REUSED');
    }
    return known.join(receiver) ?? refused(receiver, 'IDEMPOTENCY_KEY_IN_USE');
  }

  #close(call: KeyedCall): void {
    if (this.#open.get(call.claim.key) === call) {
      this.#open.delete(call.claim.key);
    }
  }
}

const refused = (
  receiver: UpstreamReceiver,
  code: 'IDEMPOTENCY_KEY_REUSED' | 'IDEMPOTENCY_KEY_IN_USE',
): DeclaredCall => new ReplayedCall(receiver, false, (call) => call.abort(new Refusal(code)));
