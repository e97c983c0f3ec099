import { performance } from 'node:perf_hooks';
import type { Exchange } from '../base/exchange.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';

/** Ends a request: the only place that writes the access log line and the metrics of requests. */
export type Finish = (exchange: Exchange) => void;

export function makeFinish(log: Log, metrics: Metrics): Finish {
  return (exchange) => {
    const millis = performance.now() - exchange.startedMillis;
    metrics.observe(exchange, millis / 1000);
    log.access(exchange, millis);
    if (exchange.violations !== null) log.invalidContent(exchange);
    if (exchange.measuredLimits !== null) log.beyondLimits(exchange);
  };
}
