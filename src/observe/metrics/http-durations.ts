import type { Exchange } from '../../gateway/exchange.js';
import type { MetricHead, MetricTable } from './metric-table.js';
import { Buckets, TallyTable } from './tally.js';

/** Methods that are named; others are `_OTHER` (semantic conventions of HTTP). */
export const HTTP_METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'],
]);

/** Pseudo-methods of exchanges that are not HTTP requests. */
export const NO_HTTP: ReadonlySet<string> = new Set(['WS', 'EVENT', 'POLL']);

const LABELS = [
  'http.request.method',
  'url.scheme',
  'http.route',
  'http.response.status_code',
] as const;

/** The bounds that the semantic conventions advise, in seconds. */
export const HTTP_BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

const HEAD: MetricHead = {
  name: 'http.server.request.duration',
  help: 'Duration of HTTP server requests.',
  type: 'histogram',
  labels: [...LABELS, 'error.type'],
  aggregator: 'sum',
  bounds: HTTP_BOUNDS,
};

/**
 * `http.server.request.duration` of the semantic conventions of OpenTelemetry (HTTP metrics,
 * stable), in seconds.
 */
export class HttpDurations {
  readonly #table = new TallyTable(LABELS.length, () => new Buckets(HTTP_BOUNDS));

  /** Counts a request that took so many seconds. */
  add({ method, isTls, path, status }: Exchange, seconds: number): void {
    if (NO_HTTP.has(method) || status === 0) return;
    const name = HTTP_METHODS.has(method) ? method : '_OTHER';
    const scheme = isTls ? 'https' : 'http';
    this.#table.find(name, scheme, path, String(status)).observe(seconds);
  }

  get metric(): MetricTable {
    const rows = this.#table.rows.map(({ values, tally: { counts, sum } }) => {
      const status = values.at(-1) ?? '';
      const errorType = Number(status) >= 500 ? status : '';
      return { values: [...values, errorType], numbers: [...counts, sum], exemplars: null };
    });
    return { ...HEAD, rows };
  }
}
