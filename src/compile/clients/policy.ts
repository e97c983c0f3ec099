import { Policy } from '../../access/policy.js';
import { within } from '../../config/keys/finding.js';
import type { AuthorizePlan } from '../../config/plans/client-plan.js';
import type { observing } from '../../core/index.js';
import { currentText } from '../../gateway/rotating-text.js';
import type { UpstreamLimits } from '../../upstream/index.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';
import { askDecisionPoint } from '../backend/decision-point.js';

/**
 * Compiles `clients.authorize`; null without it. Adds to `closing` how to close its connections.
 */
export function compilePolicy(
  plan: AuthorizePlan | null,
  upstream: UpstreamLimits,
  closing: (() => Promise<void>)[],
): Policy | null {
  if (plan === null) return null;
  const { keys, token } = plan;
  const { url, onError, cacheMillis, recheckMillis } = keys;
  const endpoint = within(['clients', 'authorize'], () =>
    compileAccessEndpoint(url, plan, upstream, 'The decision point'),
  );
  closing.push(() => endpoint.close());
  const ask = (body: string, observer: observing.CallObserver | null): Promise<string> =>
    askDecisionPoint(
      endpoint,
      body,
      observer,
      token === null ? [] : ['authorization', `Bearer ${currentText(token)}`],
    );
  return new Policy({ ask, allowsOnError: onError === 'allow', cacheMillis, recheckMillis });
}
