import { FindingsError, finding } from '../../../config/keys/finding.js';
import type { ServiceConfig } from '../../../config/schema.js';
import { graphqlSchema, type schemaMapping } from '../../../graphql/index.js';
import type { Operation } from '../../../wsdl/index.js';

/**
 * The operations of a service whose types are SDL: none where it is SOAP only. Throws
 * `FindingsError`.
 */
export function sdlOperationsOf(config: ServiceConfig): readonly Operation[] {
  if (config.types === undefined) return [];
  const operations = new Map<string, graphqlSchema.SdlOperation>();
  for (const [name, mapping] of Object.entries(config.operations)) {
    // The rules of the configuration have asked for a field.
    if (typeof mapping === 'boolean' || mapping.field === undefined) continue;
    operations.set(name, {
      field: sdlField(mapping.field),
      request: mapping.request ?? name,
      response: mapping.response ?? null,
      namespace: mapping.namespace ?? config.namespace ?? '',
      qualified: mapping.qualified ?? true,
      soapAction: mapping.soapAction ?? null,
      isOneWay: mapping.oneWay ?? false,
    });
  }
  const read = graphqlSchema.readSdlOperations(config.types, operations, { file: null, line: 1 });
  if (read.diagnostics.length === 0) return read.operations;
  throw new FindingsError(
    read.diagnostics.map(({ what, remedy, line, column }) => ({
      ...finding(['types'], what, remedy),
      at: { line: line ?? 1, column: column ?? 1 },
    })),
  );
}

/** `Query.order` in its parts; the configuration's table has checked the form. */
export function sdlField(field: string): {
  readonly parent: schemaMapping.RootType;
  readonly name: string;
} {
  const dot = field.indexOf('.');
  return { parent: field.startsWith('Query') ? 'Query' : 'Mutation', name: field.slice(dot + 1) };
}
