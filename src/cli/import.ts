import { access, mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, printDiagnostic } from '../base/diagnostic.js';
import { buildSchema } from '../graphql/schema.js';
import { fieldName } from '../graphql/types/naming.js';
import type { DialectName } from '../soap/dialect.js';
import { copyWsdl } from '../wsdl/copy.js';
import type { Port, WsdlModel, WsdlService } from '../wsdl/model.js';
import { readWsdl } from '../wsdl/read.js';
import { reportRows } from '../wsdl/report.js';
import { NO_SOURCE_OPTIONS, type SourceOptions, sourceOf } from './import-source.js';
import { type ImportedOperation, printImportedConfig } from './imported-config.js';
import { oneLine, table } from './table.js';
import type { ExitCode, Terminal } from './terminal.js';

export interface ImportOptions {
  readonly directory: string;
  /** Name of the service in the configuration; null: that of the WSDL. */
  readonly name: string | null;
  /** Port of the WSDL; null: the first one with an operation that can be called. */
  readonly port: string | null;
  /** Whether a configuration that is there already is replaced. */
  readonly force: boolean;
  /** How documents are fetched. Default: from the host of the WSDL, without credentials. */
  readonly source?: SourceOptions;
}

const WARNINGS_SHOWN = 20;

/**
 * Copies a WSDL with everything it needs, writes a configuration beside it that starts as it is, and reports what
 * became of each operation; 1 when none of them can be called. Throws `ConfigurationError`.
 */
export async function importWsdl(location: string, options: ImportOptions, terminal: Terminal): Promise<ExitCode> {
  const file = join(options.directory, 'soapstone.yaml');
  if (!options.force && (await exists(file))) {
    throw diagnostic(file, 'There is a configuration already.', 'Give another folder, or --force to replace it.');
  }
  const model = await readWsdl(location, await sourceOf(location, options.source ?? NO_SOURCE_OPTIONS, process.env));
  const { service, port } = choosePort(model, location, options.port);
  const name = serviceName(service, options.name);
  const { operations, diagnostics } = reportOf(name, service, port);

  await mkdir(options.directory, { recursive: true });
  const imported = {
    location,
    service: name,
    wsdl: await copyInto(model, location, options.directory),
    address: port.address,
    versions: versionsOf(service, port),
    port: port.name,
    operations,
    schema: await schemaPath(options.directory),
  };
  await writeFile(file, printImportedConfig(imported));
  const ports = model.services.flatMap((described) => described.ports.map((each) => portOf(described, each)));
  const report = { location, service: name, port: port.name, operations, ports, notices: model.warnings };
  await writeFile(join(options.directory, 'import-report.json'), `${JSON.stringify(report, null, 2)}\n`);
  terminal.out(printReport(operations));
  for (const warning of model.warnings.slice(0, WARNINGS_SHOWN))
    terminal.out(`warning: ${oneLine(printDiagnostic(warning))}`);
  if (model.warnings.length > WARNINGS_SHOWN) terminal.out('warning: all warnings are in import-report.json');
  for (const what of diagnostics) terminal.out(`warning: ${oneLine(what)}`);
  const others = otherPorts(model, port);
  if (others !== null) terminal.out(`warning: ${others}`);
  terminal.out(`\nWritten: ${file}. Start it with: soapstone start -c ${file}`);
  if (operations.some(({ status }) => status !== 'disabled')) return 0;
  terminal.error('No operation can be called: the reasons stand above.');
  return 1;
}

/** A port as the report lists it: `import` is run once for each of interest. */
function portOf({ name: service }: WsdlService, { name, dialect, address, operations }: Port) {
  const count = (wanted: string): number => operations.filter(({ status }) => status === wanted).length;
  const [ok, partial, disabled] = [count('ok'), count('partial'), count('disabled')];
  return { service: service.local, port: name, version: dialect, address, ok, partial, disabled };
}

function diagnostic(file: string | null, what: string, remedy: string | null): ConfigurationError {
  return new ConfigurationError([{ file, line: null, column: null, what, remedy }]);
}

function choosePort(
  { services }: WsdlModel,
  location: string,
  wanted: string | null,
): { readonly service: WsdlService; readonly port: Port } {
  const all = services.flatMap((service) => service.ports.map((port) => ({ service, port })));
  const isOfUse = ({ operations }: Port): boolean => operations.some(({ status }) => status !== 'disabled');
  const chosen =
    wanted === null ? (all.find(({ port }) => isOfUse(port)) ?? all[0]) : all.find(({ port }) => port.name === wanted);
  if (chosen !== undefined) return chosen;
  const ports = all.map(({ port }) => oneLine(port.name)).join(', ');
  throw diagnostic(location, `The WSDL has no SOAP port ${wanted ?? ''}.`, `Its SOAP ports: ${ports}.`);
}

/** The operations of other ports that the chosen one has not: a service has one port. Null where there are none. */
function otherPorts({ services }: WsdlModel, chosen: Port): string | null {
  const known = new Set(chosen.operations.map(({ name }) => name));
  const others = services
    .flatMap(({ ports }) => ports)
    .filter((port) => port.operations.some(({ name, status }) => status !== 'disabled' && !known.has(name)));
  if (others.length === 0) return null;
  const names = others.map(({ name, operations }) => `${oneLine(name)} (${operations.length})`).slice(0, 20);
  return `further ports have other operations; import them with --port into other folders: ${names.join(', ')}`;
}

const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

function serviceName(service: WsdlService, wanted: string | null): string {
  if (wanted === null) {
    const derived = fieldName(service.name.local, 'camel').slice(0, 64);
    return SERVICE_NAME.test(derived) ? derived : 'service';
  }
  if (SERVICE_NAME.test(wanted)) return wanted;
  throw diagnostic(
    null,
    'The name of --name cannot be used.',
    'Begin it with a letter; then letters, digits, - and _.',
  );
}

/** The chosen dialect first, then those of the ports at the same address: the same backend in another envelope. */
function versionsOf(service: WsdlService, port: Port): readonly DialectName[] {
  const same = service.ports.filter(({ address }) => address === port.address);
  return [...new Set([port.dialect, ...same.map(({ dialect }) => dialect)])];
}

/** Each operation with the field that the schema really gives it. */
function reportOf(
  name: string,
  service: WsdlService,
  port: Port,
): { readonly operations: readonly ImportedOperation[]; readonly diagnostics: readonly string[] } {
  const { operations } = port;
  const { fields, findings } = buildSchema([{ name, operations, mapping: new Map(), naming: 'camel' }]);
  const fieldOf = new Map([...fields].map(([field, { operation }]) => [operation.name, field]));
  const rows = reportRows({ services: [{ ...service, ports: [port] }] });
  return {
    operations: rows.map(({ operation, status, reason, location }) => ({
      operation,
      status,
      field: fieldOf.get(operation) ?? null,
      reason,
      place: location,
    })),
    diagnostics: findings.map(({ what, remedy }) => `${what} ${remedy ?? ''}`.trim()),
  };
}

/** The file name of the WSDL in the folder. One that lies there already stays as it is. */
async function copyInto(model: WsdlModel, location: string, directory: string): Promise<string> {
  const isThere = !isWeb(location) && (await realpath(dirname(resolve(location)))) === (await realpath(directory));
  if (!isThere) return copyWsdl(model, directory);
  if (!model.documents.some((document) => isWeb(document.location))) return basename(location);
  throw diagnostic(
    location,
    'Documents were fetched that have no place beside a WSDL of yours.',
    'Give another folder.',
  );
}

const isWeb = (location: string): boolean => /^https?:\/\//i.test(location);

/** The published JSON Schema as seen from the folder, when both belong to one project and so move together. */
async function schemaPath(directory: string): Promise<string | null> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const modules = root.indexOf(`${sep}node_modules${sep}`);
  const project = modules === -1 ? root : root.slice(0, modules + 1);
  const schema = join(root, 'config', 'soapstone.schema.json');
  const from = await realpath(directory);
  if (!`${from}${sep}`.startsWith(project) || !(await exists(schema))) return null;
  return relative(from, schema).split(sep).join('/');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function printReport(operations: readonly ImportedOperation[]): string {
  const rows = operations.map(({ operation, status, field, reason, place }) => [
    oneLine(operation),
    status,
    field ?? '-',
    reason === null ? '' : oneLine(`${reason}${place === null ? '' : ` (${place})`}`),
  ]);
  return table([['operation', 'status', 'field', 'reason'], ...rows]);
}
