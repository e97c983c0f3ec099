/**
 * Whether the gateway writes a header field itself, or it concerns one connection: it cannot be
 * configured.
 */
export const isGatewayField = (name: string): boolean =>
  OURS.has(name.toLowerCase()) || name.toLowerCase().startsWith('sec-websocket-');

const OURS: ReadonlySet<string> = new Set([
  ...[
    'content-type',
    'content-length',
    'content-encoding',
    'accept',
    'accept-encoding',
    'host',
    'expect',
  ],
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
  ...['http2-settings', 'proxy-authenticate', 'proxy-authorization', 'soapaction', 'cookie'],
  ...['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'],
]);
