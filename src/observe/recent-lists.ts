import type { RefusalCode } from '../core/index.js';

/**
 * A request that was refused, failed or was slow. Texts are of the gateway or its configuration,
 * but for names of callers and backends.
 */
export interface RecentRequest {
  /** The one that the answer and its Fault name. */
  readonly id: string;
  /** When it ended: milliseconds since 1970. */
  readonly endedMillis: number;
  readonly route: string;
  readonly operation: string;
  /** As a GraphQL document calls it; '' for none. */
  readonly operationName: string;
  /** As the log names the client; '' where the configuration knows no clients. */
  readonly caller: string;
  /** The address of the client; behind a trusted proxy, the one that its header field names. */
  readonly address: string;
  /** '' where the configuration knows no clients. */
  readonly clientClass: string;
  /** The call of a backend that failed last, as `orders.GetOrder`; '' for none. */
  readonly failedCall: string;
  readonly status: number;
  readonly millis: number;
  /** Null for a request that was only slow. */
  readonly code: RefusalCode | null;
  /** The rule and the position, and what was found in a reply; null where the code says it all. */
  readonly detail: string | null;
  readonly limit: { readonly key: string; readonly value: number } | null;
}

export interface RecentLists {
  /** The latest first. */
  readonly refused: readonly RecentRequest[];
  /** Answered with a Fault of a backend. */
  readonly faults: readonly RecentRequest[];
  readonly slow: readonly RecentRequest[];
}
