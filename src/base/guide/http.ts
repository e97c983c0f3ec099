import type { RefusalGuide } from './guide.js';

/** Why requests are refused, and the remedies: the HTTP layer. */
export const HTTP_GUIDE = {
  HTTP_BAD_REQUEST: {
    why: 'Requests that two servers read differently are how requests are smuggled (RFC 9112).',
    change:
      'Correct the sender or the proxy in front: `detail` in the log line has the rule. No key admits two readings.',
  },
  HTTP_TINY_CHUNKS: {
    why: 'Each chunk costs as much as a packet: pieces of a few bytes are a way to occupy the gateway.',
    change: 'Let the sender buffer its body; most have a setting for the chunk size.',
  },
  HTTP_NOT_FOUND: {
    why: 'The path is none of a service, of GraphQL or of a route.',
    change: 'Compare with `path` of the services and with `routes`. Paths are compared exactly.',
  },
  HTTP_METHOD: {
    why: 'The address takes other methods: `Allow` of the answer names them.',
    change: 'Use POST for SOAP; a GET reads `?wsdl`. Mutations of GraphQL need POST.',
  },
  HTTP_TIMEOUT: {
    why: 'A request that comes slowly keeps a connection (Slowloris).',
    change: 'Send faster, or raise the limit where callers have slow lines.',
  },
  HTTP_LENGTH_REQUIRED: {
    why: 'Clients of 2001-12 send a Content-Length; other framing is not for this dialect.',
    change: 'Send Content-Length.',
  },
  HTTP_TOO_LARGE: {
    why: 'The body is longer than the limit of its address.',
    change: 'Send less at once, or raise the limit.',
  },
  HTTP_URI_TOO_LONG: {
    why: 'Long targets fill logs and tables.',
    change: 'Use POST in place of a long query, or raise the limit.',
  },
  HTTP_HEADER_LIMIT: {
    why: 'Header fields are held until the request is over.',
    change:
      'Send fewer or shorter fields and cookies, or raise `limits.http.headerBytes` and `limits.http.headerCount`.',
  },
  HTTP_TRANSFER_CODING: {
    why: 'Any coding besides chunked is read differently by servers.',
    change: 'Use chunked or Content-Length; compress with Content-Encoding: gzip.',
  },
  HTTP_VERSION: {
    why: 'The gateway speaks HTTP/1.0 and 1.1.',
    change: 'Put a proxy in front that speaks HTTP/2, or let the client use HTTP/1.1.',
  },
  HTTP_MEDIA_TYPE: {
    why: 'The Content-Type decides which SOAP version is read; a wrong one gets past checks.',
    change:
      'SOAP 1.1 is `text/xml`, 1.2 `application/soap+xml`, GraphQL `application/json`. gzip is the only content coding. `attachments` admits packages.',
  },
  HTTP_EXPECTATION: {
    why: 'HTTP defines one expectation, 100-continue.',
    change: 'Remove the Expect field.',
  },
  HTTP_CONNECTIONS: {
    why: 'One address may not take all connections.',
    change: 'Reuse connections. Name proxies in front in `clients.trustedProxies`, or raise the limit.',
  },
  HTTP_ORIGIN: {
    why: 'Browsers send cookies with WebSockets of any page: the page of another site could act for the user.',
    change: 'Add the origin to `graphql.cors.origins` or `graphql.origins`.',
  },
  HTTP_MISDIRECTED: {
    why: 'A request for another host was sent here, as by DNS rebinding.',
    change: 'Add the host name to `hosts`, for operators to `adminHosts`, or set `publicUrl`.',
  },
} as const satisfies Record<string, RefusalGuide>;
