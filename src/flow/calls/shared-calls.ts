import { performance } from 'node:perf_hooks';
import type { CacheUse, Exchange } from '../../base/exchange.js';
import type { ReplyCache } from '../../cache/reply-cache.js';
import type { CacheRules, ReadRule } from '../../cache/rules.js';
import type { SoapService } from '../../compile/service.js';
import type { Operation } from '../../wsdl/model.js';
import { Flight } from './coalesced-call.js';
import { type DeclaredCall, KnownReply, LoneCall, type Placing } from './declared-call.js';

/** Makes the calls of declared operations: once where they mean the same, and not at all where the answer is known. */
export class SharedCalls {
  readonly #rules: CacheRules<Operation>;
  readonly #cache: ReplyCache;
  /** By what they ask for; those that somebody may still join. */
  readonly #flights = new Map<string, Flight>();

  constructor(rules: CacheRules<Operation>, cache: ReplyCache) {
    this.#rules = rules;
    this.#cache = cache;
  }

  /** Callers that wait for a call that somebody else has made. */
  get waiting(): number {
    let sum = 0;
    for (const flight of this.#flights.values()) sum += flight.waiting;
    return sum;
  }

  /** Null where the operation is not declared to read, or its service only looks on. */
  rule(service: SoapService, operation: Operation | null): ReadRule | null {
    return operation === null || service.mode === 'monitor' ? null : this.#rules.read(operation);
  }

  /** Null where nothing is declared of the operation: then it is nobody's business here. */
  place(placing: Placing): DeclaredCall | null {
    const { operation } = placing;
    if (operation === null) return null;
    const write = this.#rules.write(operation);
    if (write !== null) return new LoneCall(placing, write);
    const rule = this.rule(placing.service, operation);
    return rule === null ? null : this.#read(rule, placing);
  }

  #read(rule: ReadRule, placing: Placing): DeclaredCall {
    const { exchange, key, receiver } = placing;
    const use = (outcome: CacheUse['outcome']): CacheUse => note(exchange, rule, outcome);
    if (key === null) {
      use('bypass');
      return new LoneCall(placing, null);
    }
    const found = this.#cache.find(key.text, performance.now());
    if (found !== null && found.leftMillis > 0) {
      use('hit');
      return new KnownReply(found, receiver, () => this.#cache.remove(key.text));
    }
    const known = key.mayJoin ? this.#flights.get(key.text) : undefined;
    if (known?.isOpen === true) return known.join(placing, use('coalesced'));
    const flight = new Flight({
      key: key.text,
      rule,
      cache: this.#cache,
      stale: found,
      onClosed: (closed) => this.#close(closed),
    });
    if (key.mayJoin) this.#flights.set(key.text, flight);
    return flight.begin(placing, use('miss'));
  }

  /** Another may have taken its place, after a write. */
  #close(flight: Flight): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key);
  }
}

function note(exchange: Exchange, { service, operation }: ReadRule, outcome: CacheUse['outcome']): CacheUse {
  const use: CacheUse = { service, operation, outcome };
  exchange.cacheUses ??= [];
  exchange.cacheUses.push(use);
  return use;
}
