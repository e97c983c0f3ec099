import type { ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { ConfigurationError, type Diagnostic } from '../../core/index.js';
import { type RootType, readSdlOperations, type SdlOperation } from '../../graphql/index.js';
import type { Operation } from '../../wsdl/index.js';

/**
 * The operations of a service whose types are SDL: none where it is SOAP only. Throws
 * `ConfigurationError`.
 */
export function sdlOperationsOf(service: ConfigSection<ServiceConfig>): readonly Operation[] {
  const config = service.value;
  if (config.types === undefined) return [];
  const operations = new Map<string, SdlOperation>();
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
  const read = readSdlOperations(config.types, operations, { file: null, line: 1 });
  if (read.diagnostics.length === 0) return read.operations;
  const placed = read.diagnostics.map((diagnostic): Diagnostic => {
    const { line, column } = diagnostic;
    return {
      ...diagnostic,
      ...service.placeIn(['types'], { line: line ?? 1, column: column ?? 1 }),
    };
  });
  throw new ConfigurationError(placed);
}

/** `Query.order` in its parts; the configuration's table has checked the form. */
export function sdlField(field: string): { readonly parent: RootType; readonly name: string } {
  const dot = field.indexOf('.');
  return { parent: field.startsWith('Query') ? 'Query' : 'Mutation', name: field.slice(dot + 1) };
}
