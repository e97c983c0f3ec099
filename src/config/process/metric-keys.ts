import { closed, millis } from '../keys/key-types.js';
import { otlpUrl, RECEIVER_KEYS } from './otlp-keys.js';

/** Metrics that are sent: the part of the table of keys for them. */
export const METRIC_KEYS = closed(
  {
    otlp: otlpUrl('metrics', '/v1/metrics'),
    everyMillis: millis(
      'How often they are sent: all values since the start (cumulative).',
      [1000, 3_600_000],
      60_000,
    ),
    ...RECEIVER_KEYS,
  },
  'Metrics that are sent by OTLP, besides `/metrics` of the admin address: the same names, and ' +
    '`http.server.request.duration` of the semantic conventions. Each process sends its own, ' +
    'told apart by `service.instance.id`.',
);
