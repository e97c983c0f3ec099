import { MEASURABLE_LIMITS, type MeasurableLimit } from '../graphql/limits.js';
import { BATCH_KEY, PERSISTED_KEYS, type PersistedKeys, TRUSTED_KEYS, type TrustedKeys } from './document-keys.js';
import { flag, ORIGIN, PATH } from './formats.js';

/** Keys of the GraphQL endpoint: the part of the table of keys for it. */
export interface GraphqlKeys {
  path: string;
  introspection: boolean;
  costBreakdown: boolean;
  graphiql: boolean;
  persisted: PersistedKeys;
  trusted?: TrustedKeys;
  batch: number;
  origins: string[];
  measure: MeasurableLimit[];
}

export const GRAPHQL_KEYS = {
  type: 'object',
  description: 'The GraphQL endpoint.',
  additionalProperties: false,
  default: {},
  required: ['path', 'introspection', 'costBreakdown', 'graphiql', 'persisted', 'batch', 'origins', 'measure'],
  properties: {
    path: { type: 'string', description: 'Its path on the traffic address.', default: '/graphql', ...PATH },
    introspection: flag('Whether callers may ask for the schema.', true),
    costBreakdown: flag('Whether callers may ask, with `soapstone-cost-breakdown: 1`, what each field costs.', false),
    graphiql: flag('Whether browsers get GraphiQL, a page to ask from; all of it comes from the gateway.', true),
    persisted: PERSISTED_KEYS,
    trusted: TRUSTED_KEYS,
    batch: BATCH_KEY,
    origins: {
      type: 'array',
      items: { type: 'string', ...ORIGIN },
      description: 'Origins of the pages that may open a WebSocket here, besides those of the very Host they name.',
      maxItems: 256,
      uniqueItems: true,
      default: [],
    },
    measure: {
      type: 'array',
      items: { type: 'string', enum: MEASURABLE_LIMITS },
      description:
        'Limits of `limits.graphql` that only count: what is beyond one is told in the metrics and the log, and let through up to its ceiling.',
      uniqueItems: true,
      default: [],
    },
  },
} as const;
