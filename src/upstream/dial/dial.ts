import type { Socket } from 'node:net';
import type { ConnectionUse } from '../connection.js';
import type { UpstreamLimits } from '../limits.js';
import { buildConnector, type Connector, type Destination } from '../undici.js';
import { environmentProxy, type HttpProxy, openTunnel, parseProxy } from './proxy.js';
import type { TlsConnectionOptions, TlsMaterial } from './tls.js';

/** How connections to a backend are made, and used. */
export interface Route extends ConnectionUse {
  /** Null where Node's own authorities are trusted, and the gateway has no certificate. */
  readonly tls: TlsMaterial | null;
  /** The proxy that is asked for a tunnel: for https, and for WebSockets; null for none. */
  readonly tunnel: HttpProxy | null;
  /** The proxy that requests are sent to instead of the backend, for http; null for none. */
  readonly forwarder: HttpProxy | null;
  /**
   * The IP address that connections go to, without looking the name up; null or absent to look it
   * up.
   */
  readonly ip?: string | null;
}

export const DIRECT: Route = { tls: null, tunnel: null, forwarder: null };

/** The route to an address. `proxy`: its URL, `environment`, or null for none. */
export function routeTo(url: URL, proxy: string | null, tls: TlsMaterial | null): Route {
  const isTls = url.protocol === 'https:' || url.protocol === 'wss:';
  const through =
    proxy === 'environment'
      ? environmentProxy(url.href)
      : proxy === null
        ? null
        : parseProxy(proxy);
  return {
    tls: isTls ? tls : null,
    tunnel: isTls ? through : null,
    forwarder: isTls ? null : through,
  };
}

/** Changes a route for a WebSocket: a proxy is always asked for a tunnel. */
export const forWebSocket = (route: Route): Route => ({
  ...route,
  tunnel: route.tunnel ?? route.forwarder,
  forwarder: null,
});

/** When the system asks an idle connection for a sign of life. */
const TCP_KEEP_ALIVE_MILLIS = 15_000;

export function makeConnector(
  { connectMillis }: Pick<UpstreamLimits, 'connectMillis'>,
  { tls, tunnel, ip = null }: Route = DIRECT,
): Connector {
  const build = (options: TlsConnectionOptions): Connector => {
    const connector = buildConnector({
      ...options,
      timeout: connectMillis,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MILLIS,
      allowH2: false,
    });
    // The certificate is still that of the name: its server name is made from `host`.
    return ip === null ? connector : (to, callback) => connector({ ...to, hostname: ip }, callback);
  };
  const direct = build({});
  if (tls === null && tunnel === null) return direct;

  let options: TlsConnectionOptions = tls?.connection ?? {};
  let secure = build(options);
  const connect = async (to: Destination): Promise<Socket> => {
    const isTls = to.protocol === 'https:';
    if (isTls) {
      await tls?.refresh();
    }
    if (tls !== null && tls.connection !== options) {
      options = tls.connection;
      secure = build(options);
    }
    if (tunnel === null) return connected(isTls ? secure : direct, to);
    const { hostname, protocol, port, host } = tunnel.url;
    const httpSocket = await connected(direct, { hostname, protocol, port, host });
    const late = setTimeout(() => httpSocket.destroy(), connectMillis);
    try {
      await openTunnel(httpSocket, `${to.hostname}:${to.port || (isTls ? '443' : '80')}`, tunnel);
    } finally {
      clearTimeout(late);
    }
    return isTls ? connected(secure, { ...to, httpSocket }) : httpSocket;
  };
  return (to, callback) => {
    connect(to).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

const connected = (connector: Connector, to: Destination): Promise<Socket> =>
  new Promise((resolve, reject) => {
    connector(to, (...[error, socket]) => {
      if (error === null) {
        resolve(socket);
      } else {
        reject(error);
      }
    });
  });
