import type { ShadowReport } from '../gateway/shadow/shadow-traffic.js';
import { LimitedEvents } from './log/limited-events.js';
import type { Log } from './log/log.js';
import type { Metrics } from './metrics/metrics.js';

/** Counts how calls of second backends compare, and logs where replies differ. */
export class ShadowReports {
  readonly #events: LimitedEvents;
  readonly #metrics: Pick<Metrics, 'shadow'>;

  constructor(log: Pick<Log, 'event'>, metrics: Pick<Metrics, 'shadow'>) {
    this.#events = new LimitedEvents(log);
    this.#metrics = metrics;
  }

  add(service: string, { operation, outcome, paths, id }: ShadowReport): void {
    this.#metrics.shadow(service, operation, outcome);
    if (outcome !== 'different') return;
    const key = `${service} ${operation} ${paths.join(' ')}`;
    this.#events.warn(key, 'shadow differs', { service, operation, paths, id });
  }
}
