import { performance } from 'node:perf_hooks';
import type { Invalidator } from '../../cache/invalidator.js';
import type { CachedReply, ReplyCache } from '../../cache/reply-cache.js';
import type { CacheRules, ReadRule } from '../../cache/rules.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { sharedState } from '../../core/index.js';
import type { CacheUse, Exchange } from '../../gateway/exchange.js';
import type { Operation } from '../../wsdl/index.js';
import { callClaim, callKey } from './call-key.js';
import { withoutOrigin } from './caller-fields.js';
import { CoalescedCall } from './coalesced-call.js';
import {
  type CallParts,
  callUpstream,
  type DeclaredCall,
  type KeyedStarter,
  UncachedCall,
} from './declared-call.js';
import { CachedCall } from './replayed-call.js';

/**
 * Makes the calls of declared operations: identical ones are coalesced, known answers come from the
 * cache.
 *
 * A call goes down through its wrappers, and the reply comes up through their receivers. Each of
 * them is there only for the calls that need it.
 *
 *       request                                        poll of several replicas
 *          |                                                      |
 *      KeyedCall        one call for each idempotency key     CollectedCall, or ReplayedCall of
 *          |                                                      |        another replica's
 *      CachedCall       a reply of the cache ends here            |
 *          |                                                      |
 *     CoalescedCall     one call for identical reads;             |
 *      UncachedCall     a write invalidates before and after      |
 *          |                                                      |
 *          +------------------- callUpstream ---------------------+
 *                                    |
 *             WatchedCall            the new backend of a canary: what becomes of its calls
 *             ShadowPair             the same call of a second backend, whose reply is compared
 *                                    |
 *             RecordingReceiver      the exchange as files of a recording
 *             BackOffReceiver        a reply that asks for a pause slows the next calls
 *                                    |
 *             SessionCall            with the token of a login, once more after a new one
 *                                    |
 *                               callBackend
 *                                    |
 *             VerifyingReceiver      the signature of the reply
 *             RepairingReceiver      deviations of bytes that are tolerated
 *             BlankReceiver          an empty reply of a void operation
 *             InflatingReceiver      the coding of its content
 *                                    |
 *                              Upstream.call
 */
export class SharedCalls {
  readonly #rules: CacheRules<Operation>;
  readonly #cache: ReplyCache;
  readonly #invalidator: Invalidator;
  readonly #keyed: KeyedStarter;
  readonly #suspicions: sharedState.Suspicions;
  /** The calls that further callers may join, by key. */
  readonly #open = new Map<string, CoalescedCall>();

  constructor(
    rules: CacheRules<Operation>,
    cache: ReplyCache,
    invalidator: Invalidator,
    keyed: KeyedStarter,
    suspicions: sharedState.Suspicions,
  ) {
    this.#rules = rules;
    this.#cache = cache;
    this.#invalidator = invalidator;
    this.#keyed = keyed;
    this.#suspicions = suspicions;
  }

  /** Callers that wait for the call of another. */
  get waiting(): number {
    let sum = 0;
    for (const call of this.#open.values()) {
      sum += call.waiting;
    }
    return sum;
  }

  /** Null where the operation is not declared to read, and in monitor mode. */
  rule(service: SoapService, operation: Operation | null): ReadRule | null {
    return operation === null || service.mode === 'monitor'
      ? null
      : this.#rules.read(service.name, operation);
  }

  /**
   * Null where the operation is declared neither to read nor to write, and the request has no
   * idempotency key.
   */
  start(parts: CallParts): DeclaredCall | null {
    const { service, operation, keyed = null } = parts;
    if (operation === null) return null;
    if (keyed !== null) {
      const use = note(
        parts.exchange,
        { service: service.name, operation: operation.name },
        'kept',
      );
      return this.#keyed.start(callClaim(parts, keyed), parts.receiver, (receiver) => {
        use.outcome = 'miss';
        const made = { ...parts, receiver, keyed: null };
        const declared = this.start(made);
        return { call: declared ?? callUpstream(made), declared };
      });
    }
    const rule = this.#rules.write(service.name, operation);
    if (rule !== null) return new UncachedCall(parts, { rule, invalidator: this.#invalidator });
    const read = this.rule(service, operation);
    return read === null ? null : this.#read(read, parts);
  }

  #read(rule: ReadRule, asked: CallParts): DeclaredCall {
    const { exchange, receiver } = asked;
    const parts = rule.isShared ? { ...asked, request: withoutOrigin(asked.request) } : asked;
    const key = callKey(rule, parts);
    const use = (outcome: CacheUse['outcome']): CacheUse => note(exchange, rule, outcome);
    if (key === null) {
      use('bypass');
      return new UncachedCall(asked, null);
    }
    const found = this.#find(key.text, rule);
    if (found !== null && found.leftMillis > 0) {
      use('hit');
      return new CachedCall(found, receiver, () => this.#cache.remove(key.text));
    }
    const known = key.mayJoin ? this.#open.get(key.text) : undefined;
    if (known?.isOpen === true) return known.join(parts, use('coalesced'));
    const call = new CoalescedCall({
      key: key.text,
      rule,
      cache: this.#cache,
      suspicions: this.#suspicions,
      stale: found,
      onClosed: (closed) => this.#close(closed),
    });
    if (key.mayJoin) {
      this.#open.set(key.text, call);
    }
    return call.begin(parts, use('miss'));
  }

  /**
   * A reply of an address that answered another request meanwhile may be to another request too.
   */
  #find(key: string, rule: ReadRule): CachedReply | null {
    const found = this.#cache.find(key, rule, performance.now());
    if (found === null || !this.#suspicions.isSuspect(found.reply.source)) return found;
    this.#cache.remove(key);
    return null;
  }

  /** After a write, another call may have the same key. */
  #close(call: CoalescedCall): void {
    if (this.#open.get(call.key) === call) {
      this.#open.delete(call.key);
    }
  }
}

function note(
  exchange: Exchange,
  { service, operation }: Pick<ReadRule, 'service' | 'operation'>,
  outcome: CacheUse['outcome'],
): CacheUse {
  const use: CacheUse = { service, operation, outcome };
  exchange.upstream.cacheUses ??= [];
  exchange.upstream.cacheUses.push(use);
  return use;
}
