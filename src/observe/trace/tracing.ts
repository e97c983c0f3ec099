import { performance } from 'node:perf_hooks';
import type { observing } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { HeaderFields } from '../../gateway/trace-headers.js';
import type { ExchangeObserver } from '../exchange-observer.js';
import { Configured } from '../otlp/configured.js';
import type { SenderHooks } from '../otlp/sender.js';
import { type TraceOptions, Tracer } from './tracer.js';

/** Tracing as configured at the moment, or off: then nothing happens here. */
export class Tracing implements ExchangeObserver {
  readonly #tracer: Configured<TraceOptions, Tracer>;

  constructor(hooks: SenderHooks) {
    this.#tracer = new Configured((options) => new Tracer(options, hooks));
  }

  /** Null switches it off. */
  configure(options: TraceOptions | null): void {
    this.#tracer.configure(options);
  }

  /** Takes the trace context of a request, or begins a trace. */
  begin(exchange: Exchange, headers: HeaderFields): void {
    this.#tracer.current?.begin(exchange, headers);
  }

  /** Begins the trace of one event; `subscription` is the request that subscribed to it. */
  beginEvent(
    exchange: Exchange,
    field: string,
    subscription: observing.RequestObserver | null,
  ): void {
    this.#tracer.current?.beginEvent(exchange, field, subscription);
  }

  /** Ends the trace of a request that has no log line of its own. */
  end(exchange: Exchange): void {
    this.#tracer.current?.end(exchange, performance.now() - exchange.startedMillis);
  }

  /** Ends the trace of a request that took so long. */
  finish(exchange: Exchange, millis: number): void {
    this.#tracer.current?.end(exchange, millis);
  }

  /** Sends the last spans. */
  close(): Promise<void> {
    return this.#tracer.close();
  }
}
