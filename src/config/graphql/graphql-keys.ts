import { MEASURABLE_LIMITS } from '../../graphql/index.js';
import { ORIGIN, PATH } from '../keys/formats.js';
import { flag, list, oneOf, optional, section, string, text } from '../keys/key-types.js';
import { CORS_KEYS } from './cors-keys.js';
import { BATCH_KEY, PERSISTED_KEYS, TRUSTED_KEYS } from './document-keys.js';
import { DOWNLOAD_KEYS } from './download-keys.js';
import { FEDERATION_KEYS } from './federation-keys.js';

/** Keys of the GraphQL endpoint: the part of the table of keys for it. */
export const GRAPHQL_KEYS = section('The GraphQL endpoint.', {
  path: text('Its path on the traffic address.', { default: '/graphql', ...PATH }),
  introspection: flag('Whether callers may ask for the schema.', true),
  costBreakdown: flag(
    'Whether callers may ask, with `soapstone-cost-breakdown: 1`, what each field costs.',
    false,
  ),
  graphiql: flag(
    'Whether browsers get GraphiQL, a page to ask from, and with REST a page of the OpenAPI ' +
      'description; all of it comes from the gateway.',
    true,
  ),
  persisted: PERSISTED_KEYS,
  trusted: optional(TRUSTED_KEYS),
  batch: BATCH_KEY,
  cors: optional(CORS_KEYS),
  downloads: optional(DOWNLOAD_KEYS),
  federation: optional(FEDERATION_KEYS),
  rejectUnauthorized: flag(
    'Whether an operation with a field that its caller may not read is refused as a whole. ' +
      'Else that field is null, with an error `FORBIDDEN`.',
    false,
  ),
  origins: list(
    string(ORIGIN),
    'Origins of the pages that may open a WebSocket here, besides those of `cors` and of ' +
      'the very Host they name.',
    { maxItems: 256, uniqueItems: true, default: [] },
  ),
  measure: list(
    oneOf(MEASURABLE_LIMITS),
    'Limits of `limits.graphql` that only count: a request beyond one is reported in the ' +
      'metrics and the log, and accepted up to its ceiling.',
    { uniqueItems: true, default: [] },
  ),
});
