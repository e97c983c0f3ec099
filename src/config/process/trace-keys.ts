import { HEADER_NAME, HTTP_URL, PEM } from '../keys/formats.js';
import { boolean, closed, integer, mapOf, number, optional, string } from '../keys/key-types.js';

/** Traces: the part of the table of keys for them. */
export const TRACE_KEYS = closed(
  {
    otlp: string({
      description: 'Where spans are sent by OTLP over HTTP, in protobuf: http://127.0.0.1:4318/v1/traces.',
      ...HTTP_URL,
    }),
    sample: number({
      description:
        'Share of requests that are traced, from 0 to 1. With `takeContext` callers that send a trace context decide for their requests.',
      minimum: 0,
      maximum: 1,
      default: 0.1,
    }),
    slowMillis: integer({
      description: 'Requests that take so long are traced whatever the sample, as refused and failed ones are.',
      unit: 'millis',
      minimum: 1,
      maximum: 3_600_000,
      default: 1000,
    }),
    takeContext: boolean({
      description:
        'Whether `traceparent` of callers is the parent of their requests, and decides whether they are sampled; else each request begins a trace.',
      default: true,
    }),
    headers: mapOf(HEADER_NAME.pattern, string({ pattern: '^[\\t\\x20-\\x7e]{0,8192}$', description: 'The value.' }), {
      description: 'Header fields of the requests to the receiver, such as its credentials.',
      names: HEADER_NAME.hint,
      default: {},
    }),
    ca: optional(
      string({
        description: 'Trusted certificate authorities, PEM: `{ file: ca.pem }`; else those of Node.',
        minLength: 1,
        ...PEM,
      }),
    ),
    attributes: mapOf('^[A-Za-z0-9_.-]{1,128}$', string({ maxLength: 256, description: 'The value.' }), {
      description:
        'Attributes of the resource, besides `service.name` (soapstone), `service.version`, `service.instance.id` and `process.pid`, which they may replace.',
      names: 'Letters, digits and `_.-`: deployment.environment.name.',
      maxProperties: 128,
      default: {},
    }),
  },
  {
    description:
      'Traces: a span for each request, each attempt to call a backend and each event of a subscription, sent in batches. No request waits for them.',
  },
);
