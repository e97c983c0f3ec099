import { CACHE_LIMITS } from '../cache/limits.js';
import { CODEC_LIMITS } from '../codec/plan/limits.js';
import { VALIDITY_LIMITS } from '../codec/validity/limits.js';
import { PERSISTED_LIMITS } from '../graphql/admission/persisted-limits.js';
import { GRAPHQL_LIMITS } from '../graphql/limits.js';
import { SUBSCHEMA_LIMITS } from '../graphql/subschema/subschema-limits.js';
import { OVERLOAD_LIMITS } from '../observe/overload.js';
import { SUBSCRIPTION_LIMITS } from '../pubsub/limits.js';
import { SOAP_LIMITS } from '../soap/limits.js';
import { MIME_LIMITS } from '../soap/mime/mime-limits.js';
import { UPSTREAM_LIMITS } from '../upstream/limits.js';
import { XML_LIMITS } from '../xml/limits.js';
import { section } from './keys/key-types.js';
import { limitGroup } from './keys/limit-schema.js';
import { HTTP_LIMITS } from './listen/http-limits.js';

/** The limits of the gateway, by the folder that keeps them. */
export const LIMIT_KEYS = section('Limits. Every one has a default and a ceiling that configuration cannot lift.', {
  xml: limitGroup(XML_LIMITS, 'Limits inside the XML reader, for requests and replies.'),
  soap: limitGroup(SOAP_LIMITS, 'Limits of the envelope and of the gate that holds it back.'),
  mime: limitGroup(MIME_LIMITS, 'Limits of the package around an envelope: MTOM, SOAP with Attachments.'),
  codec: limitGroup(CODEC_LIMITS, 'Limits between XML and GraphQL values.'),
  validity: limitGroup(VALIDITY_LIMITS, 'Limits of what is kept while content is validated.'),
  graphql: limitGroup(GRAPHQL_LIMITS, 'Limits of GraphQL requests and answers.'),
  persisted: limitGroup(PERSISTED_LIMITS, 'Limits of the documents stored by their hash.'),
  subscriptions: limitGroup(SUBSCRIPTION_LIMITS, 'Limits of subscriptions and of the connections they come over.'),
  cache: limitGroup(CACHE_LIMITS, 'The cache of replies to operations that only `read`.'),
  http: limitGroup(HTTP_LIMITS, 'Limits of the HTTP server.'),
  upstream: limitGroup(UPSTREAM_LIMITS, 'Limits of each upstream.'),
  remote: limitGroup(SUBSCHEMA_LIMITS, 'Limits of the answers of services that speak GraphQL.'),
  overload: limitGroup(OVERLOAD_LIMITS, 'When this process has more to do than it can.'),
});
