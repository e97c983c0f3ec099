import { resolve } from 'node:path';
import type { SoapService } from '../../compile/soap/service.js';
import { compile } from '../../compile.js';
import { loadConfig } from '../../config/load.js';
import { getOrMake, inputFiles, invariant } from '../../core/index.js';
import { COMMON_OPTIONS, checkKeys, checkOptions, type OptionKinds } from '../check-options.js';
import type { MakeKeys, VerifyKeys } from '../configuration-keys.js';
import { objectFile, objectText, withObject } from '../configuration-object.js';
import type { MessageOptions } from './message-options.js';

/** Nothing is called: a service has to have an address, and no resolver has this name. */
const NO_BACKEND = 'http://no-backend.invalid/';

/**
 * Compiled services by the object of their rules, then by what else they are compiled with, the
 * variables that the rules name among it.
 */
const COMPILED = new WeakMap<object, Map<string, Promise<SoapService>>>();

/** The names of variables in rules, `${NAME}`, by the object of the rules. */
const VARIABLES = new WeakMap<object, readonly string[]>();

const variablesIn = (rules: object): readonly string[] =>
  getOrMake(VARIABLES, rules, () =>
    [...JSON.stringify(rules).matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name),
  );

/**
 * The service that has these rules. It is compiled once for each object of rules, which has the
 * memory of what may come once. Rejects with `ConfigurationError`.
 */
export function securityService(
  part: 'verify' | 'make',
  rules: MakeKeys | VerifyKeys,
  options: MessageOptions,
): Promise<SoapService> {
  const owner = part === 'make' ? 'signMessage' : 'verifyStream';
  checkKeys(
    `The rules of \`${owner}\` are`,
    rules,
    `Give an object with keys of \`security.${part}\`.`,
  );
  checkOptions(owner, options, part === 'make' ? SIGNING_OPTIONS : MESSAGE_OPTIONS);
  const { versions = ['1.1', '1.2'], limits = {}, folder = '.' } = options;
  const { environment = process.env } = options;
  const services = getOrMake(COMPILED, rules, () => new Map<string, Promise<SoapService>>());
  const values = variablesIn(rules).map((name) => environment[name] ?? null);
  const key = JSON.stringify([part, versions, limits, resolve(folder), values]);
  return getOrMake(services, key, () => {
    // A message that is signed here has one Security block of its sender.
    const keys = part === 'make' ? { ...rules, replace: true } : rules;
    const service = { url: NO_BACKEND, versions, security: { [part]: keys } };
    const configuration = { limits, clients: PROGRAM, services: { messages: service } };
    const compiling = compileService(configuration, resolve(folder), environment);
    // A file that is missing may be there the next time.
    compiling.catch(() => services.delete(key));
    return compiling;
  });
}

const MESSAGE_OPTIONS: OptionKinds = {
  ...COMMON_OPTIONS,
  contentType: 'text',
  versions: 'list',
  limits: 'object',
};

const SIGNING_OPTIONS: OptionKinds = { ...MESSAGE_OPTIONS, claims: 'object' };

/** The sender of messages is the program, which signs for itself. */
const PROGRAM = {
  classes: { program: {} },
  networks: { program: { addresses: ['127.0.0.1/32'], class: 'program' } },
};

async function compileService(
  configuration: Readonly<Record<string, unknown>>,
  folder: string,
  environment: NonNullable<MessageOptions['environment']>,
): Promise<SoapService> {
  const file = objectFile(folder);
  const text = objectText(configuration);
  const inputs = withObject(inputFiles.LIVE_INPUTS, file, () => text);
  const { services } = await compile(await loadConfig(file, environment, { workers: 1 }, inputs));
  const [service] = services;
  invariant(service !== undefined, 'a service is compiled');
  return service;
}
