import type { ConfigPath } from '../../config/keys/config-path.js';
import type { LoadedConfig } from '../../config/load.js';
import { routeTo } from '../../upstream/dial/dial.js';
import { Upstream } from '../../upstream/upstream.js';
import { compileTls } from './reach.js';

/** A service that decides about clients, and is no backend. */
interface AccessEndpoint {
  readonly path: ConfigPath;
  readonly url: string;
  readonly timeoutMillis: number;
  /** Holds `tls`. */
  readonly config: Parameters<typeof compileTls>[2];
  /** For problems of its certificates. */
  readonly name: string;
}

/**
 * Its connections, with all time limits within its own. Each question is asked: a circuit breaker would leave clients
 * undecided for long after a short pause of the service. Throws `ConfigurationError`.
 */
export function compileAccessEndpoint(loaded: LoadedConfig, endpoint: AccessEndpoint): Upstream {
  const { path, url, timeoutMillis, config, name } = endpoint;
  const tls = compileTls(loaded, [...path, 'tls'], config, name);
  const { upstream } = loaded.config.limits;
  const limits = {
    ...upstream,
    breakerFailures: 0,
    totalMillis: timeoutMillis,
    connectMillis: Math.min(upstream.connectMillis, timeoutMillis),
    headersMillis: Math.min(upstream.headersMillis, timeoutMillis),
    pendingMillis: Math.min(upstream.pendingMillis, timeoutMillis),
  };
  return new Upstream([url], limits, { routeTo: (to) => routeTo(to, null, tls) });
}
