import { CACHE_LIMITS } from '../cache/limits.js';
import { CODEC_LIMITS, contentValidity } from '../codec/index.js';
import { GRAPHQL_LIMITS, PERSISTED_LIMITS, subschemas } from '../graphql/index.js';
import { OVERLOAD_LIMITS } from '../observe/overload.js';
import { SUBSCRIPTION_LIMITS } from '../pubsub/limits.js';
import { MIME_LIMITS, SOAP_LIMITS } from '../soap/index.js';
import { UPSTREAM_LIMITS } from '../upstream/index.js';
import { XML_LIMITS } from '../xml/index.js';
import { HTTP_LIMITS } from './listen/http-limits.js';
import { MCP_LIMITS } from './mcp/mcp-limits.js';
import { INSPECT_LIMITS } from './process/inspect-keys.js';
import { REST_LIMITS } from './rest/rest-limits.js';
import { RECORD_LIMITS } from './soap/record-limits.js';

/** The tables of limits, by their key below `limits`. */
export const LIMIT_TABLES = {
  xml: XML_LIMITS,
  soap: SOAP_LIMITS,
  mime: MIME_LIMITS,
  codec: CODEC_LIMITS,
  validity: contentValidity.VALIDITY_LIMITS,
  graphql: GRAPHQL_LIMITS,
  persisted: PERSISTED_LIMITS,
  subscriptions: SUBSCRIPTION_LIMITS,
  cache: CACHE_LIMITS,
  http: HTTP_LIMITS,
  upstream: UPSTREAM_LIMITS,
  remote: subschemas.SUBSCHEMA_LIMITS,
  rest: REST_LIMITS,
  mcp: MCP_LIMITS,
  record: RECORD_LIMITS,
  inspect: INSPECT_LIMITS,
  overload: OVERLOAD_LIMITS,
};
