import type { Compiled } from '../../compile.js';
import { weakeningsIn } from '../../config/protection/weakenings.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import {
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  scopeRules,
  TimeSlices,
} from '../../core/index.js';
import { subschemas } from '../../graphql/index.js';
import type { ReloadOccasion } from './reload-source.js';

/**
 * Returns what the new configuration protects less than the one in use. Throws `ConfigurationError`
 * where files have changed and no operator has asked for the reload: a file may be half written.
 * The configuration in use decides whether that is taken.
 */
export async function checkWeaker(
  inUse: Config,
  next: ConfigSection<Config>,
  occasion: ReloadOccasion,
): Promise<readonly Diagnostic[]> {
  const weaker = await new TimeSlices().run(weakeningsIn(inUse, next));
  if (weaker.length === 0 || occasion !== 'changed files' || inUse.reload.weaker === 'take') {
    return weaker;
  }
  throw refused(weaker);
}

/**
 * Checks that changed schemas of GraphQL upstreams do not ask for less (`@authenticated`,
 * `@requiresScopes`). Throws `ConfigurationError` where one does, unless `reload.weaker` is `take`.
 */
export function checkWeakerSchemas(
  inUse: Compiled,
  next: Compiled,
  section: ConfigSection<Config>,
): void {
  if (inUse.config.reload.weaker === 'take') return;
  const weaker = inUse.graphqlUpstreams.flatMap(({ name, subschema }): readonly Diagnostic[] => {
    const later = next.graphqlUpstreams.find((each) => each.name === name)?.subschema;
    if (later === undefined) return [];
    return [...subschema.rules].flatMap(([part, { requires }]): readonly Diagnostic[] => {
      const isGone = part.includes('.')
        ? !subschemas.hasPart(later.schema, part)
        : later.schema.getType(part) === undefined;
      if (isGone || scopeRules.asksForAll(later.rules.get(part)?.requires ?? null, requires))
        return [];
      const what = `The schema of service \`${name}\` asks for less at \`${part}\`.`;
      return [section.diagnostic(['services', name, 'schema'], what, null)];
    });
  });
  if (weaker.length > 0) throw refused(weaker.slice(0, SHOWN));
}

const SHOWN = 20;

function refused(weaker: readonly Diagnostic[]): ConfigurationError {
  const what = 'The changed files take protection away, and no operator has asked for that.';
  const remedy = 'Send SIGHUP or `POST /reload` to take them as they are.';
  return new ConfigurationError([diagnosis.unplaced(what, remedy), ...weaker], { isWeaker: true });
}
