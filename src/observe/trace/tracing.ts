import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { observing } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { HeaderFields } from '../../gateway/trace-headers.js';
import type { ExchangeObserver } from '../exchange-observer.js';
import type { SenderHooks } from '../otlp/sender.js';
import { type TraceOptions, Tracer } from './tracer.js';

/** Tracing as configured at the moment, or off: then nothing happens here. */
export class Tracing implements ExchangeObserver {
  readonly #hooks: SenderHooks;
  #options: TraceOptions | null = null;
  #tracer: Tracer | null = null;
  /** Tracers of earlier configurations that still send their last spans. */
  readonly #closing = new Set<Promise<void>>();

  constructor(hooks: SenderHooks) {
    this.#hooks = hooks;
  }

  /** Null switches it off. */
  configure(options: TraceOptions | null): void {
    if (isDeepStrictEqual(options, this.#options)) return;
    const earlier = this.#tracer;
    this.#options = options;
    this.#tracer = options === null ? null : new Tracer(options, this.#hooks);
    if (earlier === null) return;
    const closed = earlier.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Takes the trace context of a request, or begins a trace. */
  begin(exchange: Exchange, headers: HeaderFields): void {
    if (this.#tracer !== null) {
      this.#tracer.begin(exchange, headers);
    }
  }

  /** Begins the trace of one event; `subscription` is the request that subscribed to it. */
  beginEvent(
    exchange: Exchange,
    field: string,
    subscription: observing.RequestObserver | null,
  ): void {
    if (this.#tracer !== null) {
      this.#tracer.beginEvent(exchange, field, subscription);
    }
  }

  /** Ends the trace of a request that has no log line of its own. */
  end(exchange: Exchange): void {
    if (this.#tracer !== null) {
      this.#tracer.end(exchange, performance.now() - exchange.startedMillis);
    }
  }

  /** Ends the trace of a request that took so long. */
  finish(exchange: Exchange, millis: number): void {
    if (this.#tracer !== null) {
      this.#tracer.end(exchange, millis);
    }
  }

  /** Sends the last spans. */
  async close(): Promise<void> {
    this.configure(null);
    await Promise.all(this.#closing);
  }
}
