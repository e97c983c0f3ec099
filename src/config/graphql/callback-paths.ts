import { isRecord, jsonValues } from '../../core/index.js';
import type { EndpointPath } from '../listen/path-rules.js';

/**
 * The prefix of the paths at which services post their notifications; the name of the service
 * follows.
 */
export const CALLBACK_PATH = '/callback/';

/** The paths of notifications that subscriptions wait for, one for each service. */
export function callbackPaths(subscriptions: unknown): readonly EndpointPath[] {
  const claims = new Map<string, EndpointPath>();
  for (const [name, subscription] of jsonValues.recordEntries(subscriptions)) {
    const callback = isRecord(subscription) ? subscription['callback'] : undefined;
    const operation = isRecord(callback) ? callback['operation'] : undefined;
    if (typeof operation !== 'string') continue;
    const [service = ''] = operation.split('.', 1);
    const path = ['subscriptions', name, 'callback', 'operation'];
    const claimed = CALLBACK_PATH + service;
    if (!claims.has(service)) {
      claims.set(service, { path, claimed, endpoint: 'callback', reach: 'exact' });
    }
  }
  return [...claims.values()];
}
