/** The meanings that fields of a request have by themselves. The first that matches counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(content-.*|transfer-encoding|soapaction|mime-version|digest|want-.*)$/,
    'describes the content',
  ],
  [
    /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|http2-settings|max-forwards)$/,
    'concerns one connection',
  ],
  [
    /^(authorization|proxy-.*|authentication.*|www-authenticate|cookie2?|set-cookie2?|dpop|signature.*|x-csrf.*|x-xsrf.*)$/,
    'holds credentials',
  ],
  [
    /^(x-request-id|x-correlation-id|traceparent|tracestate|baggage|b3|x-b3-.*|x-amzn-trace-id|x-cloud-trace-context|sentry-trace)$/,
    'names one request, which is another each time it is sent',
  ],
  [
    /^(host|:.*|from|via|forwarded|x-forwarded-.*|x-real-ip|origin|referer)$/,
    'tells the way of a request',
  ],
  [
    /^(accept.*|user-agent|cache-control|pragma|age|date|range|if-.*|vary|dnt|priority|save-data|upgrade-insecure-requests|sec-.*|access-control-.*|alt-used|early-data|prefer|last-event-id)$/,
    'has a meaning of its own in HTTP',
  ],
  [
    /^(graphql-.*|apollo.*|x-apollo-.*|mcp-.*|soapstone-.*)$/,
    'has a meaning of its own for GraphQL or agents',
  ],
  [/_/, 'has an underscore, which no request may have in the name of a field'],
];

/**
 * The meaning of a field by its name in lower case, as the rest of a sentence; null for a field
 * without one.
 */
export const meaningOfField = (name: string): string | null =>
  MEANINGS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
