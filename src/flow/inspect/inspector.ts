import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { InspectRules } from '../../compile/backend/inspection.js';
import { getOrMake } from '../../core/index.js';
import { ValueReplacer } from '../record/replaced-value.js';
import type { ExchangeSummary } from './exchange-view.js';
import { exchangeBytes, type KeptExchange } from './kept-exchange.js';

const INSPECTORS = new WeakMap<InspectRules['keys'], Inspector>();

/** The exchanges that are kept for a configuration, as long as it is used. */
export const inspectorOf = ({ keys, limits }: Pick<InspectRules, 'keys' | 'limits'>): Inspector =>
  getOrMake(INSPECTORS, keys, () => new Inspector(keys.exchanges, limits.bytes));

const KEY_BYTES = 32;

/** Keeps the latest exchanges of each operation. */
export class Inspector {
  /** A value is replaced in the same way in all exchanges of this process. */
  readonly replacer = new ValueReplacer(randomBytes(KEY_BYTES));
  readonly #exchangesMax: number;
  readonly #bytesMax: number;
  readonly #byOperation = new Map<string, KeptExchange[]>();
  /** All of them, the oldest first. */
  readonly #all = new Set<KeptExchange>();
  #bytes = 0;

  constructor(exchangesMax: number, bytesMax: number) {
    this.#exchangesMax = exchangesMax;
    this.#bytesMax = bytesMax;
  }

  /** Keeps an exchange that is over. */
  add(exchange: KeptExchange): void {
    exchange.millis = performance.now() - exchange.begunAt;
    const kept = getOrMake(this.#byOperation, nameOf(exchange), (): KeptExchange[] => []);
    kept.push(exchange);
    this.#all.add(exchange);
    this.#bytes += exchangeBytes(exchange);
    const [oldest] = kept;
    if (kept.length > this.#exchangesMax && oldest !== undefined) {
      this.#drop(oldest);
    }
    for (const each of this.#all) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(each);
    }
  }

  /** The latest first. */
  list(service: string, operation: string): readonly ExchangeSummary[] {
    const kept = this.#byOperation.get(`${service}.${operation}`) ?? [];
    return kept.toReversed().map(({ id, requestId, startedMillis, millis, status, code }) => ({
      id,
      requestId,
      startedMillis,
      millis,
      status,
      code,
    }));
  }

  /** Null for one that is not kept, or no longer. */
  find(service: string, operation: string, id: string): KeptExchange | null {
    const kept = this.#byOperation.get(`${service}.${operation}`) ?? [];
    return kept.find((each) => each.id === id) ?? null;
  }

  /** The oldest of all is the oldest of its operation. */
  #drop(exchange: KeptExchange): void {
    this.#byOperation.get(nameOf(exchange))?.shift();
    this.#all.delete(exchange);
    this.#bytes -= exchangeBytes(exchange);
  }
}

const nameOf = ({ service, operation }: KeptExchange): string => `${service.name}.${operation}`;
