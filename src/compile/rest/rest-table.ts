import type { GraphQLSchema } from 'graphql';
import { ConfigurationError, type Diagnostic } from '../../base/diagnostic.js';
import { didYouMean } from '../../base/nearest.js';
import { restPathOf } from '../../config/rest/rest-rules.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import { type OpenApiFrame, openApiFrame } from './openapi.js';

/** The operations that are offered over REST. */
export interface RestTable {
  /** The operations by their path. */
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  /** What the paths begin with, each with a slash at its end. */
  readonly bases: readonly string[];
  readonly frame: OpenApiFrame;
}

/** Null where no service has `rest`. Throws `ConfigurationError` for operations that are not there. */
export function compileRest(
  root: ConfigSection<Config>,
  described: ReadonlyMap<string, DescribedOperation>,
  schema: GraphQLSchema,
): RestTable | null {
  const operations = new Map<string, DescribedOperation>();
  const bases: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, { rest }] of Object.entries(root.value.services)) {
    const base = restPathOf(name, rest);
    if (base === null) continue;
    const offered = [...described.values()].filter(({ service }) => service === name);
    const known = offered.map((each) => each.name);
    const listed = typeof rest === 'object' ? (rest.operations ?? null) : null;
    for (const [at, wanted] of (listed ?? []).entries()) {
      if (known.includes(wanted)) continue;
      const what = `GraphQL offers no operation \`${wanted}\` of service ${name}.`;
      const path = ['services', name, 'rest', 'operations', at];
      diagnostics.push(root.diagnostic(path, what, didYouMean(wanted, known) ?? REMEDY));
    }
    if (offered.length === 0)
      diagnostics.push(
        root.diagnostic(['services', name, 'rest'], `GraphQL offers no operation of service ${name}.`, REMEDY),
      );
    bases.push(`${base}/`);
    for (const each of offered) {
      if (listed?.includes(each.name) ?? true) operations.set(`${base}/${encodeURIComponent(each.name)}`, each);
    }
  }
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  return bases.length === 0 ? null : { operations, bases, frame: openApiFrame(schema, root.value) };
}

const REMEDY = 'REST has the operations that are fields of GraphQL: see `operations` of the service.';
