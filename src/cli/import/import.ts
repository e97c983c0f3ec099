import { access, mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../../compile.js';
import { loadConfig } from '../../config/load.js';
import { ConfigurationError, type Diagnostic, diagnosis, inputFiles } from '../../core/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import {
  copyWsdl,
  type Port,
  type ReadOptions,
  readWsdl,
  type WsdlModel,
  report as wsdlReport,
} from '../../wsdl/index.js';
import { oneLine } from '../table.js';
import { backendKeys } from './backend-keys.js';
import { hiddenByDepth } from './hidden-types.js';
import { type PlannedService, planServices, withBackend } from './import-plan.js';
import { type ImportReport, reportImport } from './import-report.js';
import {
  importSourceOf,
  NO_SOURCE_OPTIONS,
  type SourceOptions,
  withProgress,
} from './import-source.js';
import {
  type ImportedAddresses,
  type ImportedOperation,
  type ImportedService,
  printImportedConfig,
} from './imported-config.js';
import { lostOrders } from './lost-orders.js';
import { printReport } from './print-import-report.js';
import { proposedPaths } from './proposed-paths.js';

export interface ImportOptions {
  readonly directory: string;
  /** Name of the first service in the configuration; null: that of the WSDL. */
  readonly name: string | null;
  /** Ports of the WSDL, and no others; []: those by rule. */
  readonly ports: readonly string[];
  /** Whether a configuration that is there already is replaced. */
  readonly force: boolean;
  /** Whether the report is printed as JSON, and nothing else on standard output. */
  readonly json: boolean;
  /** How documents are fetched. Default: from the host of the WSDL, without credentials. */
  readonly source?: SourceOptions;
  /** Address of the backend instead of those in the WSDL: see `withBackend`. */
  readonly url?: string | null;
  /** Default: 127.0.0.1:4000 and 127.0.0.1:4001. */
  readonly addresses?: ImportedAddresses;
}

const ADDRESSES: ImportedAddresses = {
  listen: '127.0.0.1:4000',
  admin: '127.0.0.1:4001',
  more: [],
};

/**
 * Copies a WSDL with everything it needs, writes a configuration beside it that starts as it is,
 * and reports what became of each operation; 1 when none of them can be called. Throws
 * `ConfigurationError`.
 */
export async function importWsdl(
  location: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const file = join(options.directory, 'soapstone.yaml');
  if (!options.force && (await exists(file))) {
    throw diagnosis.unplacedError(
      'There is a configuration already.',
      'Give another folder, or --force to replace it.',
      file,
    );
  }
  const sourceOptions = options.source ?? NO_SOURCE_OPTIONS;
  const source = await importSourceOf(location, sourceOptions, process.env);
  const model = await readShowing(location, source, terminal);
  const asPublished = planServices(model, { name: options.name, ports: options.ports, location });
  const planned = withBackend(asPublished, options.url ?? null);
  const report = reportImport(model, planned, { location, configuration: file, taken: new Set() });

  await mkdir(options.directory, { recursive: true });
  const imported = {
    location,
    wsdl: await copyInto(model, location, options.directory),
    services: planned.map((service) => importedService(service, report)),
    paths: proposedPaths(model),
    lostOrders: lostOrders(model),
    keys: backendKeys(sourceOptions),
    schema: await schemaPath(options.directory),
    addresses: options.addresses ?? ADDRESSES,
  };
  await writeFile(file, printImportedConfig(imported));
  const whole = withWarnings(report, model, await warningsOf(file));
  await writeReport(whole, options.directory, options.json, terminal);
  if (!options.json && options.addresses === undefined) {
    terminal.out(`\nWritten: ${file}. Start it with: soapstone start -c ${file}`);
  }
  return exitCodeOf(whole, terminal);
}

/**
 * What `check` warns of; [] for a configuration that it refuses, as it does where no operation can
 * be called.
 */
async function warningsOf(file: string): Promise<readonly Diagnostic[]> {
  try {
    const compiled = await compile(await loadConfig(file, process.env));
    await compiled.close();
    const { schema } = compiled.graph;
    return [...compiled.warnings, ...hiddenByDepth(schema, compiled.config.limits.graphql.depth)];
  } catch (error) {
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

/**
 * The report with those warnings about the configuration that are not about the WSDL, which it has.
 */
export function withWarnings(
  report: ImportReport,
  model: WsdlModel,
  warnings: readonly Diagnostic[],
): ImportReport {
  const known = new Set([...model.warnings, ...report.warnings].map(({ what }) => what));
  const isOfWsdl = ({ file, what }: Diagnostic): boolean =>
    known.has(what) || /\.(?:wsdl|xsd)$/i.test(file ?? '');
  return {
    ...report,
    warnings: [...report.warnings, ...warnings.filter((each) => !isOfWsdl(each))],
  };
}

/** Writes the report beside the copy of the WSDL, and prints it. */
export async function writeReport(
  report: ImportReport,
  directory: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<void> {
  const json = JSON.stringify(report, null, 2);
  await writeFile(join(directory, 'import-report.json'), `${json}\n`);
  terminal.out(isJson ? json : printReport(report));
}

/** 1 where no operation can be called, which is said. */
export function exitCodeOf({ summary }: ImportReport, terminal: Terminal): ExitCode {
  if (summary.offered > 0) return 0;
  terminal.error('No operation can be called: the reasons stand above.');
  return 1;
}

/** Reads the WSDL, and shows on a terminal which document is being read. */
export async function readShowing(
  location: string,
  source: ReadOptions,
  terminal: Terminal,
): Promise<WsdlModel> {
  let documents = 0;
  const read = withProgress(source, (document) => {
    documents += 1;
    terminal.progress?.(oneLine(`Reading document ${documents}: ${document}`));
  });
  try {
    return await readWsdl(location, read);
  } finally {
    terminal.progress?.(null);
  }
}

export function importedService(
  { name, address, versions, ports }: PlannedService,
  report: ImportReport,
): ImportedService {
  const operations = report.operations.flatMap(
    ({ operation, service, status, field, reason, place }) =>
      service !== name || status === 'otherPort'
        ? []
        : [{ operation, status, field, reason, place }],
  ) satisfies readonly ImportedOperation[];
  return {
    name,
    address,
    versions,
    ports: ports.map((port) => port.name),
    operations,
    encryption: placeOfEncryption(ports),
  };
}

/** The policy of these ports that demands encrypted parts; null for none. */
function placeOfEncryption(ports: readonly Port[]): string | null {
  const remedy = wsdlReport.remedyOfDemand('encryption');
  const demand = ports
    .flatMap(({ demands = [] }) => demands)
    .find((each) => each.remedy === remedy);
  if (demand === undefined) return null;
  const { file, line } = demand;
  return line === null ? (file ?? '') : `${file}:${line}`;
}

/** The file name of the WSDL in the folder. One that lies there already stays as it is. */
export async function copyInto(
  model: WsdlModel,
  location: string,
  directory: string,
): Promise<string> {
  const isThere =
    !isWeb(location) &&
    (await realpath(dirname(resolve(location)))) === (await realpath(directory));
  if (!isThere) return copyWsdl(model, directory);
  if (!model.documents.some((document) => isWeb(document.location))) return basename(location);
  const what = 'Documents were fetched that have no place beside a WSDL of yours.';
  throw diagnosis.unplacedError(what, 'Give another folder.', location);
}

const isWeb = (location: string): boolean => /^https?:\/\//i.test(location);

/**
 * The published JSON Schema as seen from the folder, when both belong to one project and so move
 * together.
 */
async function schemaPath(directory: string): Promise<string | null> {
  const root = fileURLToPath(inputFiles.PACKAGE_FOLDER);
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
