import { errorBelow } from '../../config/keys/finding.js';
import type { SecondBackendPlan } from '../../config/plans/second-backend-plan.js';
import { type CallRules, Upstream } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { type Keeping, Kept } from '../keep.js';
import { compileCallRules } from './calls.js';
import { reachKeys } from './kept-backend.js';
import { compileReach, limitsOf, type Reach } from './reach.js';

/** A second backend of a service: its connections, credentials and breakers are its own. */
export interface SecondBackend {
  /** As metrics name it: `orders.canary`. */
  readonly name: string;
  readonly plan: SecondBackendPlan;
  readonly upstream: Upstream;
  readonly reach: Reach;
  readonly callRules: (operation: Operation | null) => CallRules | null;
  /** It is not checked by itself: its calls show how it is. */
  readonly health: null;
}

export const SECOND_BACKENDS = new Kept<SecondBackend>(
  'of `canary` and `shadow` of a service: connections, circuit breakers, tokens',
  'if it is reached as before',
);

/** Compiles it, or finds that of the generation before. Throws `FindingsError`. */
export async function compileSecondBackend(
  plan: SecondBackendPlan | null,
  key: string,
  keeping: Keeping,
): Promise<SecondBackend | null> {
  if (plan === null) return null;
  const { name, config } = plan;
  const kept = SECOND_BACKENDS.find(keeping, name, reachedBy(plan));
  if (kept !== null) return kept;
  const reach = await compileReach(plan).catch((error: unknown) => {
    throw errorBelow([key], error);
  });
  const upstream = new Upstream(config.urls, limitsOf(config), reach);
  const callRules = compileCallRules(name, config, upstream);
  return { name, plan, upstream, reach, callRules, health: null };
}

/** Holds it for this generation, which closes it as well. */
export function holdSecondBackend(backend: SecondBackend | null, keeping: Keeping): void {
  if (backend === null) return;
  const { name, plan, upstream } = backend;
  if (SECOND_BACKENDS.find(keeping, name, reachedBy(plan)) === backend) {
    upstream.hold();
  }
  SECOND_BACKENDS.set(keeping, name, reachedBy(plan), backend);
}

const reachedBy = ({ digest, config }: SecondBackendPlan): unknown => [digest, reachKeys(config)];
