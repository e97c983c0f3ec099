import type { observing } from '../core/index.js';
import type { Exchange } from '../gateway/exchange.js';
import type { HeaderFields } from '../gateway/trace-headers.js';

/**
 * Follows exchanges from their begin to their end, and gives those that it follows a
 * `RequestObserver`.
 */
export interface ExchangeObserver {
  /** Begins a request; `headers` are those that came with it. */
  begin(exchange: Exchange, headers: HeaderFields): void;
  /**
   * Begins one event of a subscription; `subscription` is the observer of the request that
   * subscribed.
   */
  beginEvent(
    exchange: Exchange,
    field: string,
    subscription: observing.RequestObserver | null,
  ): void;
  /** Ends an exchange that has no log line of its own. */
  end(exchange: Exchange): void;
}
