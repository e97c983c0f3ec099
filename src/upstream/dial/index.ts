/** How connections are opened: routes, proxies, TLS. */

export { forWebSocket, makeConnector, type Route, routeTo } from './dial.js';
export { parseProxy } from './proxy.js';
export { TLS_PARTS, TlsMaterial, type TlsOptions, type TlsPart, tlsReason } from './tls.js';
