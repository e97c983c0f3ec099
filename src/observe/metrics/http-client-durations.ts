import type { RefusalCode } from '../../core/index.js';
import { HTTP_BOUNDS } from './http-durations.js';
import type { MetricHead, MetricTable } from './metric-table.js';
import { Buckets, TallyTable } from './tally.js';

const LABELS = ['http.request.method', 'server.address', 'server.port'] as const;

const HEAD: MetricHead = {
  name: 'http.client.request.duration',
  help: 'Duration of HTTP client requests.',
  type: 'histogram',
  labels: [...LABELS, 'http.response.status_code', 'error.type'],
  aggregator: 'sum',
  bounds: HTTP_BOUNDS,
};

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** Statuses from here on are errors of a client. */
const ERROR_STATUS = 400;

/**
 * `http.client.request.duration` of the semantic conventions of OpenTelemetry (HTTP metrics,
 * stable), in seconds: of each attempt to call a backend.
 */
export class HttpClientDurations {
  /** The last value is the status, or the code where no answer came. */
  readonly #table = new TallyTable(LABELS.length + 1, () => new Buckets(HTTP_BOUNDS));

  /** Counts an attempt; `status` is 0 where no answer came. */
  add(
    { protocol, hostname, port }: URL,
    method: string,
    status: number,
    code: RefusalCode | null,
    seconds: number,
  ): void {
    const outcome = status === 0 ? (code ?? '_OTHER') : String(status);
    const to = port === '' ? (PORTS[protocol] ?? '') : port;
    this.#table.find(method, hostname, to, outcome).observe(seconds);
  }

  get metric(): MetricTable {
    const rows = this.#table.rows.map(({ values, tally: { counts, sum } }) => {
      const outcome = values.at(-1) ?? '';
      const status = Number(outcome);
      const labels = [
        ...values.slice(0, -1),
        Number.isNaN(status) ? '' : outcome,
        Number.isNaN(status) || status >= ERROR_STATUS ? outcome : '',
      ];
      return { values: labels, numbers: [...counts, sum], exemplars: null };
    });
    return { ...HEAD, rows };
  }
}
