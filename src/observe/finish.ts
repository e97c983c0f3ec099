import { performance } from 'node:perf_hooks';
import type { Exchange } from '../base/exchange.js';
import type { Audit } from './audit/audit.js';
import type { Log } from './log/log.js';
import type { Metrics } from './metrics/metrics.js';
import type { RecentRequests } from './recent.js';
import type { Tracing } from './trace/tracing.js';
import type { Usage } from './usage.js';

/** Ends a request: the only place that writes the access log line, the metrics and the span of requests. */
export type Finish = (exchange: Exchange) => void;

export function makeFinish(
  log: Log,
  metrics: Metrics,
  recent: RecentRequests,
  usage: Usage,
  tracing: Tracing,
  audit: Audit | null,
): Finish {
  return (exchange) => {
    const millis = performance.now() - exchange.startedMillis;
    // First: it decides whether the trace is kept.
    tracing.finish(exchange, millis);
    metrics.observe(exchange, millis / 1000);
    log.access(exchange, millis);
    recent.add(exchange, millis);
    audit?.record(exchange);
    usage.add(exchange);
    if (exchange.violations !== null) log.invalidContent(exchange);
    if (exchange.measuredLimits !== null) log.beyondLimits(exchange);
  };
}
