import type { ServicePlan } from '../../config/plans/service-plan.js';
import { BoundUpstreams, type CallRules, Upstream } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { compileCallRules } from '../backend/calls.js';
import { BACKENDS, keysOfBackend, reachKeys } from '../backend/kept-backend.js';
import { compileReach, limitsOf, type Reach } from '../backend/reach.js';
import { type Keeping, Kept } from '../keep.js';

/** The backend of a service, and how it is reached. */
export interface ServiceBackend {
  readonly upstream: Upstream;
  readonly reach: Reach;
}

/**
 * What has the limits of a service within: shared by its calls, whatever generation they began in.
 */
export interface KeptCalls {
  /** Connections of callers that authenticate themselves; null where they do not. */
  readonly bound: BoundUpstreams | null;
  /** Call rules of an operation that has its own; null: those of the service apply. */
  readonly callRules: (operation: Operation | null) => CallRules | null;
}

export const CALL_LIMITS = new Kept<KeptCalls>(
  'of a service: limits of its operations, connections that callers authenticate',
  'if its configuration is the same',
);

/**
 * The upstream of a service: that of the generation before, where it is reached in the same way.
 */
export async function compileBackend(
  plan: ServicePlan,
  keeping: Keeping,
): Promise<ServiceBackend & { readonly isKept: boolean; readonly reachedBy: unknown }> {
  const { name, config } = plan;
  const reachedBy = reachKeys(config);
  const kept = BACKENDS.find(keeping, name, reachedBy);
  const reach = kept?.reach ?? (await compileReach(plan));
  const upstream = kept?.upstream ?? new Upstream(config.urls, limitsOf(config), reach);
  return { reach, upstream, isKept: kept !== null, reachedBy };
}

/** The limits of calls and the connections that this generation holds with the one before. */
export function holdCalls(
  { name, config }: ServicePlan,
  { upstream, reach }: ServiceBackend,
  { isKept, keeping }: { readonly isKept: boolean; readonly keeping: Keeping },
): KeptCalls & Pick<ServiceBackend, 'upstream'> {
  const calls = CALL_LIMITS.find(keeping, name, keysOfBackend(config));
  return {
    callRules: calls?.callRules ?? compileCallRules(name, config, upstream),
    upstream: isKept ? upstream.hold() : upstream,
    bound:
      calls?.bound?.hold() ??
      (config.auth?.passthrough === true
        ? new BoundUpstreams(config.urls, config.limits.upstream, reach)
        : null),
  };
}
