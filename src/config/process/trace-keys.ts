import { closed, flag, millis, number } from '../keys/key-types.js';
import { otlpUrl, RECEIVER_KEYS } from './otlp-keys.js';

/** Traces: the part of the table of keys for them. */
export const TRACE_KEYS = closed(
  {
    otlp: otlpUrl('spans', '/v1/traces'),
    sample: number({
      description:
        'Share of requests that are traced, from 0 to 1. With `takeContext` callers that send ' +
        'a trace context decide for their requests.',
      minimum: 0,
      maximum: 1,
      default: 0.1,
    }),
    slowMillis: millis(
      'Requests that take so long are traced whatever the sample, as refused and failed ones are.',
      [1, 3_600_000],
      1000,
    ),
    takeContext: flag(
      'Whether `traceparent` of callers is the parent of their requests, and decides whether ' +
        'they are sampled; else each request begins a trace.',
      true,
    ),
    ...RECEIVER_KEYS,
  },
  'Traces: a span for each request, each attempt to call a backend and each event of a ' +
    'subscription, sent in batches. No request waits for them.',
);
