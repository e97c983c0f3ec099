import type { Config, ServiceConfig } from '../../../config/schema.js';
import { headerBlocks } from '../../../soap/index.js';
import { type Keeping, Kept } from '../../keep.js';

export const NONCES = new Kept<headerBlocks.FreshnessChecker>('of a service: nonces', 'always');

/** Checks the times and nonces of requests; null where the configuration does not ask for it. */
export function compileFreshness(
  name: string,
  { security: { timestamps, nonces } }: ServiceConfig,
  { securityMillis: windowMillis, nonces: noncesMax }: Config['limits']['soap'],
  keeping: Keeping,
): headerBlocks.FreshnessChecker | null {
  if (!timestamps && !nonces) return null;
  return new headerBlocks.FreshnessChecker(
    { timestamps, nonces, windowMillis, noncesMax },
    NONCES.find(keeping, name, null),
  );
}
