import { HEADER_NAME, HTTP_URL, PEM } from '../keys/formats.js';
import { closed, flag, mapOf, millis, number, optional, text } from '../keys/key-types.js';

/** Traces: the part of the table of keys for them. */
export const TRACE_KEYS = closed(
  {
    otlp: text(
      'Where spans are sent by OTLP over HTTP, in protobuf: http://127.0.0.1:4318/v1/traces.',
      HTTP_URL,
    ),
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
    headers: mapOf(
      HEADER_NAME.pattern,
      text('The value.', { pattern: '^[\\t\\x20-\\x7e]{0,8192}$' }),
      'Header fields of the requests to the receiver, such as its credentials.',
      { names: HEADER_NAME.hint, default: {} },
    ),
    ca: optional(
      text('Trusted certificate authorities, PEM: `{ file: ca.pem }`; else those of Node.', {
        minLength: 1,
        ...PEM,
      }),
    ),
    attributes: mapOf(
      '^[A-Za-z0-9_.-]{1,128}$',
      text('The value.', { maxLength: 256 }),
      'Attributes of the resource, besides `service.name` (soapstone), `service.version`, ' +
        '`service.instance.id` and `process.pid`, which they may replace.',
      {
        names: 'Letters, digits and `_.-`: deployment.environment.name.',
        maxProperties: 128,
        default: {},
      },
    ),
  },
  'Traces: a span for each request, each attempt to call a backend and each event of a ' +
    'subscription, sent in batches. No request waits for them.',
);
