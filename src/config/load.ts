import type { Buffer } from 'node:buffer';
import { dirname, join, resolve } from 'node:path';
import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import { type Inputs, LIVE_INPUTS } from '../base/inputs.js';
import { MIB } from '../base/limit.js';
import { isRecord } from '../base/record.js';
import type { AddressConfig } from './balance-keys.js';
import { checkRules } from './rules.js';
import type { Config, FileConfig, GraphqlServiceConfig, ServiceConfig } from './schema.js';
import { configSchema } from './schema-node.js';
import { ADDRESSED_CALLS } from './soap-keys.js';
import { substitute } from './substitute.js';
import { type Finding, validate } from './validate.js';
import { type ConfigPath, type Position, readYaml, type YamlSource } from './yaml-source.js';

/** A checked configuration, and where in its file each part of it stands. */
export interface LoadedConfig {
  /** Frozen to the bottom, every default filled in. */
  readonly config: Config;
  /** The file as the operator named it. */
  readonly file: string;
  /** Absolute path of the file's directory: relative paths in the configuration start here. */
  readonly directory: string;
  /** The folder it was read from: its files are read from there as well. */
  readonly inputs: Inputs;
  /**
   * Where a key or its value stands. Without `part`: the value when it is a scalar, else the key. For what is not in
   * the file (a default) the nearest part around it that is; null when there is none.
   */
  positionOf(path: ConfigPath, part?: 'key' | 'value'): Position | null;
  /** Where a place within the text at `path` stands: in this file, or in the one that `{ file: path }` names. */
  placeIn(path: ConfigPath, at: Position): Position & { readonly file: string };
  /** The absolute path of the file that `{ file: path }` names for the value at `path`; null where it comes from elsewhere. */
  fileAt(path: ConfigPath): string | null;
  /** Whether the value at `path` comes from the environment or from another file. */
  isForeign(path: ConfigPath): boolean;
}

/** A broken file of a megabyte would give a hundred thousand. */
const MAX_ERRORS = 100;

/**
 * Reads, completes and checks a configuration file. `workers` replaces the key of the same name. Throws
 * `ConfigurationError` with all errors in it.
 */
export async function loadConfig(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  workers: Config['workers'] | null = null,
  inputs: Inputs = LIVE_INPUTS,
): Promise<LoadedConfig> {
  const directory = dirname(resolve(file));
  const source = readYaml(await readText(file, inputs), file);
  const findings: Finding[] = [];
  const failed = new Set<string>();
  const { value, foreign } = await substitute(source.value ?? {}, configSchema(), {
    directory,
    environment,
    inputs,
    report(path, what, remedy) {
      failed.add(JSON.stringify(path));
      findings.push({ path, part: 'value', what, remedy });
    },
  });

  fillPaths(value);
  expandWords(value);
  if (workers !== null && isRecord(value)) value['workers'] = workers;
  const { valid, findings: broken } = validate(value, foreign);
  findings.push(...broken.filter(({ path }) => !failed.has(JSON.stringify(path))));
  findings.push(...checkRules(value));
  if (valid === null || findings.length > 0) throw new ConfigurationError(asDiagnostics(findings, source, file));

  return {
    config: deepFreeze(asConfig(valid)),
    file,
    directory,
    inputs,
    positionOf: source.positionOf,
    isForeign: (path) => foreign.has(JSON.stringify(path)),
    fileAt(path) {
      const named = fileIn(source.value, path);
      return named === null ? null : resolve(directory, named);
    },
    placeIn(path, at) {
      const named = fileIn(source.value, path);
      if (named !== null) return { file: join(dirname(file), named), ...at };
      return { file, ...(source.placeIn(path, at) ?? { line: 1, column: 1 }) };
    },
  };
}

/** The file of `{ file: path }` where the value at `path` is one; else null. */
function fileIn(data: unknown, path: ConfigPath): string | null {
  const value = path.reduce((owner: unknown, step) => {
    if (Array.isArray(owner)) return typeof step === 'number' ? owner[step] : null;
    return isRecord(owner) ? owner[step] : null;
  }, data);
  const file = isRecord(value) ? value['file'] : null;
  return typeof file === 'string' ? file : null;
}

const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'The configuration does not exist.'],
  ['EISDIR', 'The configuration is a folder.'],
  ['EACCES', 'The configuration may not be read by this user.'],
]);

async function readText(file: string, inputs: Inputs): Promise<string> {
  const refuse = (what: string, remedy: string | null): ConfigurationError =>
    new ConfigurationError([{ file, line: null, column: null, what, remedy }]);
  let bytes: Buffer;
  try {
    bytes = await inputs.readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const what = UNREADABLE.get(code) ?? `The configuration cannot be read (${code}).`;
    throw refuse(what, 'Name a file with -c FILE.');
  }
  if (bytes.length === 0) throw refuse('The configuration is empty.', 'Write `services:` into it, or use `import`.');
  if (bytes.length > MIB) throw refuse('The configuration is longer than 1 MiB.', null);
  return bytes.toString('utf8');
}

/** The default of `path` holds the name of its service, so the schema cannot state it. */
function fillPaths(value: unknown): void {
  const services = isRecord(value) ? value['services'] : null;
  if (!isRecord(services)) return;
  for (const [name, service] of Object.entries(services)) {
    if (isRecord(service) && service['kind'] !== 'graphql' && service['path'] === undefined)
      service['path'] = `/soap/${name}`;
  }
}

/** `addressing: send` means `{ calls: send }`. A text that is no such word is refused by the schema. */
function expandWords(value: unknown): void {
  const services = isRecord(value) ? value['services'] : null;
  if (!isRecord(services)) return;
  for (const service of Object.values(services)) {
    const calls = isRecord(service) ? service['addressing'] : null;
    if (isRecord(service) && ADDRESSED_CALLS.some((word) => word === calls)) service['addressing'] = { calls };
  }
}

/** Parts the services by their kind, and puts the limits of the gateway behind those that a service sets. */
function asConfig(file: FileConfig): Config {
  const { limits } = file;
  const services: Record<string, ServiceConfig> = Object.create(null);
  const graphqlServices: Record<string, GraphqlServiceConfig> = Object.create(null);
  for (const [name, { url, ...service }] of Object.entries(file.services)) {
    const addresses = (service.urls ?? (url === undefined ? [] : [url])).map(asAddress);
    const urls = addresses.map((address) => address.url);
    const upstream = { ...limits.upstream, ...service.limits.upstream };
    if (service.kind === 'graphql') {
      const remote = { ...limits.remote, ...service.limits.remote };
      graphqlServices[name] = { ...service, urls, addresses, limits: { remote, upstream } };
    } else {
      const xml = { ...limits.xml, ...service.limits.xml };
      services[name] = { ...service, urls, addresses, limits: { xml, upstream } };
    }
  }
  return { ...file, services, graphqlServices };
}

const asAddress = (address: string | AddressConfig): AddressConfig =>
  typeof address === 'string' ? { url: address, weight: 1, backup: false } : address;

function asDiagnostics(findings: readonly Finding[], source: YamlSource, file: string): readonly Diagnostic[] {
  const diagnostics = findings
    .map(({ path, part, what, remedy }): Diagnostic => {
      const { line, column } = source.positionOf(path, part) ?? { line: 1, column: 1 };
      return { file, line, column, what, remedy };
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const rest = diagnostics.length - MAX_ERRORS;
  if (rest <= 0) return diagnostics;
  const more = { file, line: null, column: null, what: `There are ${rest} more errors.`, remedy: null };
  return [...diagnostics.slice(0, MAX_ERRORS), more];
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}
