import { Policy } from '../../access/policy.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { CallObserver } from '../../core/index.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';
import { askDecisionPoint } from '../backend/decision-point.js';

/**
 * Compiles `clients.authorize`; null without it. Adds to `closing` how to close its connections.
 */
export function compilePolicy(
  root: ConfigSection<Pick<Config, 'clients' | 'limits'>>,
  closing: (() => Promise<void>)[],
): Policy | null {
  const { clients, limits } = root.value;
  if (clients?.authorize === undefined) return null;
  const section = root.at(clients.authorize, 'clients', 'authorize');
  const { onError, cacheMillis, recheckMillis, token } = section.value;
  const tokenOf = token === undefined ? null : section.text(['token'], token);
  const endpoint = compileAccessEndpoint(section, limits.upstream, 'The decision point');
  closing.push(() => endpoint.close());
  const ask = (body: string, observer: CallObserver | null): Promise<string> =>
    askDecisionPoint(
      endpoint,
      body,
      observer,
      tokenOf === null ? [] : ['authorization', `Bearer ${tokenOf()}`],
    );
  return new Policy({ ask, allowsOnError: onError === 'allow', cacheMillis, recheckMillis });
}
