import { section } from './keys/key-types.js';
import { internalLimits, limitGroup } from './keys/limit-schema.js';
import { LIMIT_TABLES } from './limit-tables.js';

/** The limits of the gateway, by the folder that keeps them. */
export const LIMIT_KEYS = section(
  'Limits. Every one has a default and a ceiling that configuration cannot lift.',
  {
    xml: limitGroup(LIMIT_TABLES.xml, 'Limits inside the XML reader, for requests and replies.'),
    soap: limitGroup(
      LIMIT_TABLES.soap,
      'Limits of the envelope and of the gate that holds it back.',
    ),
    mime: limitGroup(
      LIMIT_TABLES.mime,
      'Limits of the package around an envelope: MTOM, SOAP with Attachments.',
    ),
    codec: limitGroup(LIMIT_TABLES.codec, 'Limits between XML and GraphQL values.'),
    validity: limitGroup(
      LIMIT_TABLES.validity,
      'Limits of what is kept while content is validated.',
    ),
    graphql: limitGroup(LIMIT_TABLES.graphql, 'Limits of GraphQL requests and answers.'),
    persisted: limitGroup(LIMIT_TABLES.persisted, 'Limits of the documents stored by their hash.'),
    subscriptions: limitGroup(
      LIMIT_TABLES.subscriptions,
      'Limits of subscriptions and of the connections they come over.',
    ),
    cache: limitGroup(LIMIT_TABLES.cache, 'The cache of replies to operations that only `read`.'),
    http: limitGroup(LIMIT_TABLES.http, 'Limits of the HTTP server.'),
    upstream: limitGroup(LIMIT_TABLES.upstream, 'Limits of each upstream.'),
    remote: limitGroup(
      LIMIT_TABLES.remote,
      'Limits of the answers of services that speak GraphQL.',
    ),
    rest: limitGroup(LIMIT_TABLES.rest, 'Limits of the endpoint for REST.'),
    mcp: limitGroup(LIMIT_TABLES.mcp, 'Limits of the endpoint for agents.'),
    record: limitGroup(LIMIT_TABLES.record, 'Limits of recorded exchanges (`record`).'),
    inspect: limitGroup(LIMIT_TABLES.inspect, 'Limits of `console.inspect`.'),
    overload: limitGroup(LIMIT_TABLES.overload, 'When this process has more to do than it can.'),
    internal: internalLimits(
      LIMIT_TABLES,
      'Limits that hardly anyone sets, by their group: `internal: { xml: { commentBytes: ' +
        '4KiB } }`. `soapstone rules CODE` prints those that requests are refused for. ' +
        'This version still takes them in their group as well.',
    ),
  },
);
