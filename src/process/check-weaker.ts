import { ConfigurationError, type Diagnostic, unplaced } from '../base/diagnostic.js';
import type { LoadedConfig } from '../config/load.js';
import { weakeningsIn } from '../config/protection/weakenings.js';
import type { Config } from '../config/schema.js';
import type { ReloadOccasion } from './reload-source.js';

/**
 * Returns what the new configuration protects less than the one in use. Throws `ConfigurationError` where files have changed and
 * no operator has asked for the reload: a file may be half written. The configuration in use decides whether that is taken.
 */
export function checkWeaker(inUse: Config, next: LoadedConfig, occasion: ReloadOccasion): readonly Diagnostic[] {
  const weaker = weakeningsIn(inUse, next);
  if (weaker.length === 0 || occasion !== 'changed files' || inUse.reload.weaker === 'take') return weaker;
  const what = 'The changed files take protection away, and no operator has asked for that.';
  const remedy = 'Send SIGHUP or `POST /reload` to take them as they are.';
  throw new ConfigurationError([unplaced(what, remedy), ...weaker], { isWeaker: true });
}
