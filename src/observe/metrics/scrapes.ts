import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pace } from '../../core/index.js';
import type { MetricList } from './metric-table.js';
import { METRICS_TYPES, printMetrics } from './metric-text.js';

/**
 * Scrapes that are answered at the same time; each keeps the numbers of all metrics until its
 * client has read them.
 */
export const SCRAPES_MAX = 16;

/** Collects and prints the metrics. */
export interface ScrapeSources {
  readonly metrics: () => Promise<MetricList>;
  /** The time slices in which the metrics are printed. */
  readonly pace: Pace;
}

interface ScrapeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | AsyncIterable<string>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Answers requests for the metrics, each printed as its client reads it. */
export class Scrapes {
  readonly #sources: ScrapeSources;
  #running = 0;

  constructor(sources: ScrapeSources) {
    this.#sources = sources;
  }

  async answer({ headers }: IncomingMessage, response: ServerResponse): Promise<ScrapeAnswer> {
    if (this.#running >= SCRAPES_MAX) {
      return {
        status: 503,
        type: 'text/plain; charset=utf-8',
        body:
          `${SCRAPES_MAX} scrapes are being answered, as many as may be. ` +
          'Ask again in a second.\n',
        fields: { 'retry-after': '1' },
      };
    }
    if (!response.destroyed) {
      this.#running++;
      response.once('close', () => this.#running--);
    }
    // Prometheus prefers OpenMetrics.
    const isOpen = (headers.accept ?? '').includes('application/openmetrics-text');
    const format = isOpen ? 'openmetrics' : 'prometheus';
    const { metrics, pace } = this.#sources;
    const body = printMetrics(await metrics(), format, pace);
    return { status: 200, type: METRICS_TYPES[format], body };
  }
}
