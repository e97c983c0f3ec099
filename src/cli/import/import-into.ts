import { Buffer } from 'node:buffer';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { compile } from '../../compile.js';
import { type LoadedConfig, loadConfig } from '../../config/load.js';
import { withEntries } from '../../config/source/yaml-source.js';
import {
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  errorCode,
  inputFiles,
} from '../../core/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { writeWhole } from '../../process/write-whole.js';
import { oneLine } from '../table.js';
import { backendKeys } from './backend-keys.js';
import {
  copyInto,
  exitCodeOf,
  type ImportOptions,
  importedService,
  readShowing,
  withWarnings,
  writeReport,
} from './import.js';
import { type PlannedService, planServices } from './import-plan.js';
import { reportImport } from './import-report.js';
import { importSourceOf, NO_SOURCE_OPTIONS } from './import-source.js';
import { printServices } from './imported-config.js';

export interface IntoOptions extends Pick<ImportOptions, 'name' | 'ports' | 'json' | 'source'> {
  /** The configuration, which is there already. */
  readonly file: string;
  /**
   * Folder for the copy of the WSDL; null: beside the configuration, called as the first service.
   */
  readonly directory: string | null;
}

/**
 * Adds the services of a WSDL to a configuration, and reports what became of each operation; 1 when
 * none of them can be called. All else in the file stays as it is. The file is replaced when the
 * new one has been compiled, else nothing changes. Throws `ConfigurationError`.
 */
export async function importInto(
  location: string,
  options: IntoOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const file = await existing(options.file);
  const text = (await inputFiles.LIVE_INPUTS.readFile(file)).toString();
  const loaded = await loadConfig(options.file, process.env);
  const before = await compile(loaded);
  await before.close();
  const sourceOptions = options.source ?? NO_SOURCE_OPTIONS;
  const source = await importSourceOf(location, sourceOptions, process.env);
  const model = await readShowing(location, source, terminal);
  const planned = planServices(model, { name: options.name, ports: options.ports, location });
  refuseTakenNames(planned, loaded, options.file);

  const home = dirname(file);
  const directory = options.directory ?? join(home, planned[0]?.name ?? 'service');
  const { fields, subschemaFields } = before.graph;
  const taken = new Set([
    ...fields.keys(),
    ...[...subschemaFields.values()].map((each) => `${each.parent}.${each.name}`),
  ]);
  const report = reportImport(model, planned, { location, configuration: options.file, taken });
  const isNew = await makeFolder(directory, location);
  try {
    const services = printServices({
      location,
      wsdl: relative(
        home,
        join(await realpath(directory), await copyInto(model, location, directory)),
      )
        .split(sep)
        .join('/'),
      services: planned.map((service) => importedService(service, report)),
      keys: backendKeys(sourceOptions),
    });
    const added = withEntries(text, options.file, 'services', [
      `# Imported from ${oneLine(location)}`,
      ...services,
    ]);
    const warnings = await warningsOf(options.file, added);
    await writeWhole(file, added);
    const known = new Set(before.warnings.map(({ what }) => what));
    const whole = withWarnings(
      report,
      model,
      warnings.filter(({ what }) => !known.has(what)),
    );
    await writeReport(whole, directory, options.json, terminal);
    if (!options.json) {
      terminal.out(`\nAdded to ${options.file}: ${planned.map(({ name }) => name).join(', ')}.`);
    }
    return exitCodeOf(whole, terminal);
  } catch (error) {
    if (isNew) {
      await rm(directory, { recursive: true, force: true });
    }
    throw error;
  }
}

/** The file itself where the name is that of a link, so that the link stays. */
async function existing(file: string): Promise<string> {
  return realpath(file).catch((error: unknown) => {
    const what = `There is no such configuration (${errorCode(error) ?? 'unknown error'}).`;
    throw diagnosis.unplacedError(
      what,
      '`soapstone import WSDL -o FOLDER` writes a new one.',
      file,
    );
  });
}

function refuseTakenNames(
  planned: readonly PlannedService[],
  loaded: LoadedConfig,
  file: string,
): void {
  const taken = planned.flatMap(({ name }): Diagnostic[] => {
    if (!Object.hasOwn(loaded.config.services, name)) return [];
    const place = loaded.placeOf(['services', name], 'key');
    const what = `There is a service \`${name}\` already.`;
    return [
      {
        ...diagnosis.unplaced(what, 'Give the new one another name: --name NAME.', file),
        ...place,
      },
    ];
  });
  if (taken.length > 0) throw new ConfigurationError(taken);
}

/**
 * Makes the folder for the copy; false where it is that of the WSDL itself. Another one must be
 * empty.
 */
async function makeFolder(directory: string, location: string): Promise<boolean> {
  const made = await mkdir(directory, { recursive: true });
  if (made !== undefined) return true;
  const isOfWsdl =
    (await realpath(directory)) === (await realpath(dirname(location)).catch(() => null));
  if (isOfWsdl || (await readdir(directory)).length === 0) return false;
  throw diagnosis.unplacedError(
    'The folder for the copy of the WSDL is not empty.',
    'Give another one: -o FOLDER.',
    directory,
  );
}

/**
 * Compiles the configuration as it will be. Throws `ConfigurationError` where it cannot be used.
 */
async function warningsOf(file: string, text: string): Promise<readonly Diagnostic[]> {
  const snapshot = inputFiles.emptySnapshot();
  snapshot.contents.set(file, Buffer.from(text));
  const compiled = await compile(
    await loadConfig(
      file,
      process.env,
      {},
      inputFiles.completeInputs(snapshot, inputFiles.LIVE_INPUTS),
    ),
  );
  await compiled.close();
  return compiled.warnings;
}
