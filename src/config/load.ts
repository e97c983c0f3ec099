import {
  AT_ONCE,
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  inputFiles,
  isRecord,
  type Pace,
  type Steps,
} from '../core/index.js';
import { parseRedisUrl } from '../redis/address.js';
import type { AddressConfig } from './backend/balance-keys.js';
import { removeFinding } from './check/remove-finding.js';
import { configSchema, sectionsAround } from './check/schema-node.js';
import { validate } from './check/validate.js';
import { OPEN } from './clients/client-keys.js';
import { completeMasks, expandMasks } from './clients/masks.js';
import type { ConfigPath } from './keys/config-path.js';
import type { Finding } from './keys/finding.js';
import { type Overrides, override } from './overrides.js';
import { checkRules } from './rules.js';
import type { Config, FileConfig, GraphqlServiceConfig, ServiceConfig } from './schema.js';
import { type ConfigFiles, ConfigSection } from './section.js';
import { ADDRESSED_CALLS } from './soap/soap-keys.js';
import type { ConfigSource } from './source/config-source.js';
import { type Environment, readSource } from './source/read-source.js';
import { type Substituted, substitute } from './source/substitute.js';

/** A checked configuration, and where in its files each part of it is. */
export interface LoadedConfig extends ConfigFiles {
  /** Frozen to the bottom, every default filled in. */
  readonly config: Config;
  /** The options that replaced keys of its files. */
  readonly overrides: Overrides;
}

/** The whole configuration as a section, of which compilers get their parts. */
export const rootSection = (loaded: LoadedConfig): ConfigSection<Config> =>
  new ConfigSection(loaded, loaded.config);

/** A broken file of a megabyte would give a hundred thousand. */
const MAX_ERRORS = 100;

/**
 * Reads, completes and checks a configuration with the files it includes. `overrides` replaces
 * keys. Throws `ConfigurationError` with all errors in it.
 */
export async function loadConfig(
  file: string,
  environment: Environment,
  overrides: Overrides = {},
  inputs: inputFiles.Inputs = inputFiles.LIVE_INPUTS,
  pace: Pace = AT_ONCE,
): Promise<LoadedConfig> {
  const source = await readSource(file, environment, inputs, pace);
  const findings: Finding[] = [];
  const failed = new Set<string>();
  const { value, foreign, files } = await substitute(source.value, configSchema(), {
    directoryOf: (path) => source.locate(path, '.').location,
    environment,
    inputs,
    pace,
    report(path, what, remedy) {
      failed.add(JSON.stringify(path));
      findings.push({ path, part: 'value', what, remedy });
    },
  });

  fillPaths(value);
  expandWords(value);
  override(value, overrides);
  await pace.pause();
  const { valid, findings: broken } = validate(value, foreign);
  findings.push(...broken.filter(({ path }) => !failed.has(JSON.stringify(path))));
  await pace.pause();
  const rules = await pace.run(checkRules(value, (path) => source.has(path)));
  findings.push(...withoutThoseOfSpelling(rules, broken));
  await pace.pause();
  const diagnostics = [
    ...source.diagnostics,
    ...findings.map((finding) => diagnosticOf(finding, source, file)),
  ];
  if (valid === null || diagnostics.length > 0) {
    throw new ConfigurationError(firstOf(source.sorted(diagnostics), file));
  }

  return pace.run(loadedFrom(valid, { file, overrides, inputs, source, foreign, files }));
}

/** Drops what a section lacks where it has a misspelt key, which may be the one that it lacks. */
function withoutThoseOfSpelling(
  rules: readonly Finding[],
  broken: readonly Finding[],
): readonly Finding[] {
  const misspelt = new Set(
    broken
      .filter(({ isMisspelt }) => isMisspelt === true)
      .map(({ path }) => JSON.stringify(path.slice(0, -1))),
  );
  return rules.filter(({ path }) => !misspelt.has(JSON.stringify(path)));
}

/** A configuration without what is of the wrong shape. */
export interface RestOfConfig {
  readonly loaded: LoadedConfig;
  /** The sections that lack something now. */
  readonly lacking: readonly ConfigPath[];
}

/**
 * The rest of a configuration that cannot be used: without what is of the wrong shape, and with
 * rules that are broken. For the errors of names that shape would hide. Null where too little is
 * left to say anything about names.
 */
export async function loadRest(
  file: string,
  environment: Environment,
): Promise<RestOfConfig | null> {
  const inputs = inputFiles.LIVE_INPUTS;
  const source = await readSource(file, environment, inputs).catch(() => null);
  if (source === null || source.diagnostics.length > 0) return null;
  const directoryOf = (path: ConfigPath): string => source.locate(path, '.').location;
  const around = { directoryOf, environment, inputs, pace: AT_ONCE, report: () => {} };
  const { value, foreign, files } = await substitute(source.value, configSchema(), around);
  fillPaths(value);
  expandWords(value);
  const removed: ConfigPath[] = [];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { valid, findings } = validate(value, foreign);
    if (valid !== null) {
      const loading = loadedFrom(valid, { file, overrides: {}, inputs, source, foreign, files });
      return { loaded: AT_ONCE.finish(loading), lacking: removed.flatMap(sectionsAround) };
    }
    if (!findings.every(({ path }) => removeFinding(value, path))) return null;
    removed.push(...findings.map(({ path }) => path));
  }
  return null;
}

/** What is removed may have been required. */
const ATTEMPTS_MAX = 5;

interface Origin
  extends Pick<LoadedConfig, 'file' | 'inputs' | 'overrides'>,
    Pick<Substituted, 'foreign' | 'files'> {
  readonly source: ConfigSource;
}

function* loadedFrom(
  valid: FileConfig,
  { file, overrides, inputs, source, foreign, files }: Origin,
): Steps<LoadedConfig> {
  completeMasks(valid);
  const config = yield* deepFreeze(asConfig(valid));
  return {
    config,
    file,
    overrides,
    inputs,
    isGiven: (path) =>
      source.has(path) ||
      (path[0] === 'limits' && source.has(['limits', 'internal', ...path.slice(1)])),
    isForeign: (path) => foreign.has(JSON.stringify(path)),
    placeOf: (path, part) => source.placeOf(path, part),
    placeIn: (path, at) => source.placeIn(path, at),
    fileAt: (path) => files.get(JSON.stringify(path)) ?? null,
    locate: (path, named) => source.locate(path, named),
  };
}

/** The default of `path` holds the name of its service, so the schema cannot state it. */
function fillPaths(value: unknown): void {
  const services = isRecord(value) ? value['services'] : null;
  if (!isRecord(services)) return;
  for (const [name, service] of Object.entries(services)) {
    if (isRecord(service) && service['kind'] !== 'graphql' && service['path'] === undefined) {
      service['path'] = `/soap/${name}`;
    }
  }
}

/**
 * `addressing: send` means `{ calls: send }`, `mask: last4` is `{ default: last4 }`,
 * `clients: none` none at all, and `redis: URL` is `{ url: URL }`. Other texts are refused by the
 * schema.
 */
function expandWords(value: unknown): void {
  if (!isRecord(value)) return;
  expandMasks(value);
  const { services, redis } = value;
  if (value['clients'] === OPEN) {
    delete value['clients'];
  }
  if (typeof redis === 'string' && parseRedisUrl(redis) !== null) {
    value['redis'] = { url: redis };
  }
  if (!isRecord(services)) return;
  for (const service of Object.values(services)) {
    const calls = isRecord(service) ? service['addressing'] : null;
    if (isRecord(service) && ADDRESSED_CALLS.some((word) => word === calls)) {
      service['addressing'] = { calls };
    }
  }
}

/**
 * Parts the services by their kind, and puts the limits of the gateway behind those that a service
 * sets.
 */
function asConfig(file: FileConfig): Config {
  const limits = withInternal(file.limits);
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
  return { ...file, limits, services, graphqlServices };
}

/** The limits with those of `internal` in their groups. */
function withInternal({ internal, ...limits }: FileConfig['limits']): Config['limits'] {
  const groups: Record<string, object> = limits;
  for (const [name, keys] of Object.entries(internal)) {
    groups[name] = { ...groups[name], ...keys };
  }
  return limits;
}

const asAddress = (address: string | AddressConfig): AddressConfig =>
  typeof address === 'string' ? { url: address, weight: 1, backup: false } : address;

function diagnosticOf(
  { path, part, what, remedy }: Finding,
  source: ConfigSource,
  file: string,
): Diagnostic {
  return { ...(source.placeOf(path, part) ?? { file, line: 1, column: 1 }), what, remedy };
}

function firstOf(diagnostics: readonly Diagnostic[], file: string): readonly Diagnostic[] {
  const rest = diagnostics.length - MAX_ERRORS;
  if (rest <= 0) return diagnostics;
  return [
    ...diagnostics.slice(0, MAX_ERRORS),
    diagnosis.unplaced(`There are ${rest} more errors.`, null, file),
  ];
}

function* deepFreeze<T>(value: T): Steps<T> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) {
    yield* deepFreeze(child);
  }
  yield;
  return value;
}
