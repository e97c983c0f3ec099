import type { ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { limitsWithin, routeTo, Upstream, type UpstreamLimits } from '../../upstream/index.js';
import { compileTls } from './reach.js';

/** The configuration of a service that decides about clients, and is no backend. */
interface AccessEndpointKeys extends Pick<ServiceConfig, 'tls'> {
  readonly url: string;
  readonly timeoutMillis: number;
}

/**
 * Compiles its connections, with all time limits within its own. Each question is asked: a circuit
 * breaker would leave clients undecided for long after a short pause of the service. `owner` begins
 * errors of its certificates. Throws `ConfigurationError`.
 */
export function compileAccessEndpoint(
  section: ConfigSection<AccessEndpointKeys>,
  upstream: UpstreamLimits,
  owner: string,
): Upstream {
  const { url, timeoutMillis } = section.value;
  const tls = compileTls(section, owner);
  const limits = { ...limitsWithin(upstream, timeoutMillis), breakerFailures: 0 };
  return new Upstream([url], limits, { routeTo: (to) => routeTo(to, null, tls) });
}
