import { CACHE_LIMITS } from '../cache/limits.js';
import { CODEC_LIMITS } from '../codec/plan/limits.js';
import { VALIDITY_LIMITS } from '../codec/validity/limits.js';
import { PERSISTED_LIMITS } from '../graphql/admission/persisted-limits.js';
import { REST_LIMITS } from '../graphql/described/rest-limits.js';
import { GRAPHQL_LIMITS } from '../graphql/limits.js';
import { SUBSCHEMA_LIMITS } from '../graphql/subschema/subschema-limits.js';
import { MCP_LIMITS } from '../graphql/tools/mcp-limits.js';
import { OVERLOAD_LIMITS } from '../observe/overload.js';
import { SUBSCRIPTION_LIMITS } from '../pubsub/limits.js';
import { SOAP_LIMITS } from '../soap/limits.js';
import { MIME_LIMITS } from '../soap/mime/mime-limits.js';
import { UPSTREAM_LIMITS } from '../upstream/limits.js';
import { XML_LIMITS } from '../xml/limits.js';
import { HTTP_LIMITS } from './listen/http-limits.js';

/** The tables of limits, by their key below `limits`. */
export const LIMIT_TABLES = {
  xml: XML_LIMITS,
  soap: SOAP_LIMITS,
  mime: MIME_LIMITS,
  codec: CODEC_LIMITS,
  validity: VALIDITY_LIMITS,
  graphql: GRAPHQL_LIMITS,
  persisted: PERSISTED_LIMITS,
  subscriptions: SUBSCRIPTION_LIMITS,
  cache: CACHE_LIMITS,
  http: HTTP_LIMITS,
  upstream: UPSTREAM_LIMITS,
  remote: SUBSCHEMA_LIMITS,
  rest: REST_LIMITS,
  mcp: MCP_LIMITS,
  overload: OVERLOAD_LIMITS,
};
