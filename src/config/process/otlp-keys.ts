import { HEADER_NAME, HTTP_URL, PEM } from '../keys/formats.js';
import { mapOf, optional, text } from '../keys/key-types.js';

/**
 * A key for the address of a receiver of OTLP: `what` is sent there, `path` is that of collectors.
 */
export const otlpUrl = (what: string, path: string) =>
  text(`Where ${what} are sent by OTLP over HTTP, in protobuf: http://127.0.0.1:4318${path}.`, {
    ...HTTP_URL,
    hint: `Write an http or https URL, such as http://127.0.0.1:4318${path}.`,
  });

/** Keys that traces, metrics and the log share for a receiver of OTLP. */
export const RECEIVER_KEYS = {
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
};
