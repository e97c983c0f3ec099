import { isDeepStrictEqual } from 'node:util';

/** The keys of a service that say nothing about how its backend is reached, or which calls it gets at once. */
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
]);

/** The service of the generation before, if its configuration is the same: its connections and circuit breakers are kept. */
export const keptUpstream = <T extends { readonly config: unknown }>(
  earlier: T | null,
  config: T['config'],
): T | null => (earlier !== null && isDeepStrictEqual(earlier.config, config) ? earlier : null);

/** The same where its backend is reached as before, whatever else is new. */
export const keptReach = <T extends { readonly config: { readonly auth?: { readonly login?: unknown } | undefined } }>(
  earlier: T | null,
  config: T['config'],
): T | null => {
  // A session calls an operation.
  const isSame = config.auth?.login === undefined && earlier !== null;
  return isSame && isDeepStrictEqual(reachOf(earlier.config), reachOf(config)) ? earlier : null;
};

const reachOf = (config: object): readonly (readonly [string, unknown])[] =>
  Object.entries(config)
    .filter(([key]) => !KEYS_OF_MESSAGES.has(key))
    .sort(([one], [other]) => (one < other ? -1 : 1));
