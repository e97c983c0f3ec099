import type { TlsPlan } from '../../config/plans/tls-plan.js';
import { dial, limitsWithin, Upstream, type UpstreamLimits } from '../../upstream/index.js';
import { compileTls } from './reach.js';

/** A service that decides about clients, and is no backend. */
interface AccessEndpointPlan {
  readonly keys: { readonly timeoutMillis: number };
  readonly tls: TlsPlan | null;
}

/**
 * Compiles its connections, with all time limits within its own. Each question is asked: a circuit
 * breaker would leave clients undecided for long after a short pause of the service. `owner` begins
 * errors of its certificates. Throws `FindingsError`.
 */
export function compileAccessEndpoint(
  url: string,
  plan: AccessEndpointPlan,
  upstream: UpstreamLimits,
  owner: string,
): Upstream {
  const tls = compileTls(plan.tls, owner);
  const limits = { ...limitsWithin(upstream, plan.keys.timeoutMillis), breakerFailures: 0 };
  return new Upstream([url], limits, { routeTo: (to) => dial.routeTo(to, null, tls) });
}
