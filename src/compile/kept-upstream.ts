import { isDeepStrictEqual } from 'node:util';

/** The service of the generation before, if its configuration is the same: its connections and circuit breakers are kept. */
export const keptUpstream = <T extends { readonly config: unknown }>(
  earlier: T | null,
  config: T['config'],
): T | null => (earlier !== null && isDeepStrictEqual(earlier.config, config) ? earlier : null);
