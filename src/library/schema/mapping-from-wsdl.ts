import { importedService } from '../../cli/import/import.js';
import { planServices, withBackend } from '../../cli/import/import-plan.js';
import { reportImport } from '../../cli/import/import-report.js';
import { printImportedConfig } from '../../cli/import/imported-config.js';
import { proposedPaths } from '../../cli/import/proposed-paths.js';
import { readYaml } from '../../config/source/yaml-source.js';
import { AT_ONCE, type Diagnostic, isRecord } from '../../core/index.js';
import { COMMON_OPTIONS, checkOptions } from '../check-options.js';
import type { SchemaOptions } from './schema-options.js';
import { wsdlFileOf } from './wsdl-source.js';

/** What becomes of an operation of a WSDL. */
export interface ProposedOperation {
  /** As a configuration calls it. */
  readonly operation: string;
  /** The service that offers it; null: none does. */
  readonly service: string | null;
  /** `otherPort`: the operation of another port, which is offered. */
  readonly status: 'ok' | 'partial' | 'disabled' | 'otherPort';
  /** `Query.order`; null where GraphQL does not offer it. */
  readonly field: string | null;
  /** Why it is not `ok`, or null. */
  readonly reason: string | null;
  /** `file:line` of the reason, or null. */
  readonly place: string | null;
}

/** The mapping that `soapstone import` proposes for a WSDL. */
export interface WsdlMapping {
  /**
   * The keys of each service by its name, as a configuration has them. Without `wsdl` they are
   * options of `schemaFromWsdl`.
   */
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The configuration that has them, with comments. */
  readonly yaml: string;
  /** Every operation of the WSDL. */
  readonly operations: readonly ProposedOperation[];
  /** What is left out or approximated. */
  readonly warnings: readonly Diagnostic[];
}

/** The options that a mapping depends on. */
export type MappingOptions = Pick<SchemaOptions, 'url' | 'name' | 'folder' | 'environment'>;

/**
 * Proposes a mapping for a WSDL in a file or at a URL, as `soapstone import` does: the ports that
 * are used, and the field of each operation. Writes no file. Rejects with `ConfigurationError`.
 */
export async function mappingFromWsdl(
  location: string | URL,
  options: MappingOptions = {},
): Promise<WsdlMapping> {
  checkOptions('mappingFromWsdl', options, { ...COMMON_OPTIONS, url: 'text', name: 'text' });
  const wsdl = await wsdlFileOf(location, options);
  await wsdl.remove();
  const { model, location: source } = wsdl;
  const plan = planServices(model, { name: options.name ?? null, ports: [], location: source });
  const planned = withBackend(plan, options.url ?? null);
  const frame = { location: source, configuration: 'soapstone.yaml', taken: new Set<string>() };
  const report = reportImport(model, planned, frame);
  const yaml = printImportedConfig({
    location: source,
    wsdl: source,
    services: planned.map((service) => importedService(service, report)),
    paths: proposedPaths(model),
    keys: null,
    schema: null,
    addresses: { listen: '127.0.0.1:4000', admin: '127.0.0.1:4001', more: [] },
  });
  return {
    services: servicesIn(yaml),
    yaml,
    operations: report.operations.map(
      ({ operation, service, status, field, reason, place }): ProposedOperation => ({
        ...{ operation, service, status, field, reason, place },
      }),
    ),
    warnings: report.warnings,
  };
}

function servicesIn(yaml: string): WsdlMapping['services'] {
  const { value } = AT_ONCE.finish(readYaml(yaml, 'soapstone.yaml'));
  const services = isRecord(value) ? value['services'] : null;
  return Object.fromEntries(
    Object.entries(isRecord(services) ? services : {}).map(([name, keys]) => [
      name,
      isRecord(keys) ? keys : {},
    ]),
  );
}
