import type { FederationConfig, FederationKey } from '../../config/graphql/federation-keys.js';
import type { Config } from '../../config/schema.js';
import type { graphqlSchema } from '../../graphql/index.js';

/** What the schema is made a subgraph by. */
type Mapping = NonNullable<Parameters<typeof graphqlSchema.buildingSchema>[5]>;

/** The subgraph of a configuration; null for none. */
export function federationOf({ graphql: { federation } }: Pick<Config, 'graphql'>): Mapping | null {
  if (federation === undefined) return null;
  return {
    keys: keysIn(federation).map(keyMapping),
    directives: directivesOf(federation.types),
  };
}

/** A key as configured; `index` is null where its type has no list of keys. */
interface ConfiguredKey {
  readonly type: string;
  readonly index: number | null;
  readonly key: FederationKey;
}

export const keysIn = ({ keys }: Pick<FederationConfig, 'keys'>): readonly ConfiguredKey[] =>
  Object.entries(keys).flatMap(([type, given]): readonly ConfiguredKey[] =>
    isList(given)
      ? given.map((key, index) => ({ type, index, key }))
      : [{ type, index: null, key: given }],
  );

const isList = (
  given: FederationKey | readonly FederationKey[],
): given is readonly FederationKey[] => Array.isArray(given);

function keyMapping({ type, index, key }: ConfiguredKey): Mapping['keys'][number] {
  const { fields, resolvable = true, operation = null, arguments: filled = null, batch } = key;
  return {
    type,
    index,
    fields: fields.trim().replaceAll(/[\s,]+/g, ' '),
    isResolvable: resolvable,
    operation,
    arguments: filled,
    batch: batch === undefined ? null : { ...batch, items: batch.items ?? null },
  };
}

const directivesOf = (types: FederationConfig['types']): Mapping['directives'] =>
  new Map(
    Object.entries(types).map(([name, type]) => {
      const fields = Object.entries(type.fields).map(([field, keys]): [string, FieldDirectives] => [
        field,
        fieldDirectives(keys),
      ]);
      return [name, { ...type, fields: new Map(fields) }];
    }),
  );

type TypeDirectives = Mapping['directives'] extends ReadonlyMap<string, infer T> ? T : never;
type FieldDirectives = TypeDirectives['fields'] extends ReadonlyMap<string, infer T> ? T : never;

const fieldDirectives = ({
  type,
  override,
  requires,
  provides,
  ...others
}: FederationConfig['types'][string]['fields'][string]): FieldDirectives => ({
  ...others,
  type: type ?? null,
  override: override === undefined ? null : { from: override.from, label: override.label ?? null },
  requires: requires ?? null,
  provides: provides ?? null,
});
