import type { AnyService } from '../../config/schema.js';
import type { Upstream } from '../../upstream/index.js';
import { Kept } from '../keep.js';
import type { Reach } from './reach.js';

/** How a backend is reached, and its connections. */
interface KeptBackend {
  readonly upstream: Upstream;
  readonly reach: Reach;
}

export const BACKENDS = new Kept<KeptBackend>(
  'of a service: connections, circuit breakers, health, tokens',
  'if its backend is reached as before; its operations, types, `mode` and `path` may change',
);

/**
 * The keys of a service that say nothing about how its backend is reached, or which calls it gets
 * at once.
 */
const KEYS_OF_MESSAGES: ReadonlySet<string> = new Set([
  'path',
  'mode',
  'operations',
  'types',
  'names',
  'naming',
  'schema',
  'serveWsdl',
  'faultDetail',
  'understands',
  'callCost',
  'unknownOperations',
  'validate',
  'drift',
  'canary',
  'shadow',
]);

/** The configuration of a service without its second backends, whose changes are not its own. */
export function keysOfBackend(config: AnyService): unknown {
  if (!('canary' in config) && !('shadow' in config)) return config;
  const { canary: _canary, shadow: _shadow, ...others } = config;
  return others;
}

/**
 * What must be equal for the connections of a service to be kept. A session calls an operation:
 * with one, all of it.
 */
export const reachKeys = (config: AnyService): unknown =>
  config.auth?.login === undefined
    ? Object.entries(config)
        .filter(([key]) => !KEYS_OF_MESSAGES.has(key))
        .sort(([one], [other]) => (one < other ? -1 : 1))
    : keysOfBackend(config);
