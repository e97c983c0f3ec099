import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { UNRESTRICTED } from '../../access/access.js';
import { type Client, type ClientClass, clientOf } from '../../access/client.js';
import { callablesOf } from '../../compile/backends.js';
import { compileClasses } from '../../compile/clients/classes.js';
import { type Compiled, compile } from '../../compile.js';
import { loadConfig } from '../../config/load.js';
import { Cancellation, inputFiles, Refusal } from '../../core/index.js';
import { CallerHost } from '../../flow/graphql/host.js';
import { Exchange, nextExchangeId } from '../../gateway/exchange.js';
import { lifecycle } from '../../graphql/index.js';
import { Log } from '../../observe/log/log.js';
import { lineTaker } from '../../observe/log/log-target.js';
import { type Gateway, serveGateway } from '../../server.js';
import { checkOutputs, objectFile, objectText, withObject } from '../configuration-object.js';
import type { PushedOperation } from './pushed-document.js';
import { schemaConfiguration } from './schema-configuration.js';
import type { SchemaCaller, SchemaOptions } from './schema-options.js';
import { wsdlFileOf } from './wsdl-source.js';

/**
 * Compiles the services of a WSDL as those of a configuration are. Throws `ConfigurationError`. The
 * caller closes it.
 */
export async function compileWsdl(
  location: string | URL,
  options: SchemaOptions,
): Promise<Compiled> {
  const { folder = '.', environment = process.env } = options;
  const wsdl = await wsdlFileOf(location, options);
  try {
    const file = objectFile(resolve(folder));
    const text = objectText(schemaConfiguration(wsdl, options));
    const inputs = withObject(inputFiles.LIVE_INPUTS, file, () => text);
    const loaded = await loadConfig(file, environment, { workers: 1 }, inputs);
    checkOutputs(loaded.config);
    return await compile(loaded);
  } finally {
    await wsdl.remove();
  }
}

/** A gateway that listens nowhere, and runs operations for another copy of `graphql`. */
export class SchemaGateway {
  readonly #gateway: Gateway;
  readonly #classes: ReadonlyMap<string, ClientClass>;
  readonly #callerOf: SchemaOptions['caller'];
  readonly #log: Log;
  /** Operations under way. */
  readonly #running = new Set<Promise<ExecutionResult>>();
  #closed: Promise<void> | null = null;

  private constructor(gateway: Gateway, compiled: Compiled, log: Log, options: SchemaOptions) {
    this.#gateway = gateway;
    this.#log = log;
    this.#classes = compileClasses(compiled.config, callablesOf(compiled), []);
    this.#callerOf = options.caller?.bind(options);
  }

  /** Throws `ConfigurationError`. */
  static async open(location: string | URL, options: SchemaOptions): Promise<SchemaGateway> {
    const compiled = await compileWsdl(location, options);
    const level = options.log === undefined ? 'silent' : compiled.config.log.level;
    const log = new Log(level, lineTaker(options.log ?? null));
    const nowhere = { ...compiled, listeners: { traffic: [], admin: [] } };
    try {
      const gateway = await serveGateway(nowhere, log, { operators: 'elsewhere' });
      log.configurationWarnings(compiled.warnings);
      return new SchemaGateway(gateway, compiled, log, options);
    } catch (error) {
      await compiled.close();
      throw error;
    }
  }

  get schema(): Compiled['graph']['schema'] {
    return this.#gateway.compiled().graph.schema;
  }

  /** Runs an operation for a request with this context of its server. */
  async run(operation: PushedOperation, context: unknown): Promise<ExecutionResult> {
    const running = this.#run(operation, context);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #run(operation: PushedOperation, context: unknown): Promise<ExecutionResult> {
    const asked = (await this.#callerOf?.(context)) ?? {};
    const rights = this.#classOf(asked);
    const { endpoint, budgets, observer, finish, checkAdmission } = this.#gateway.operationParts;
    const { headers = {}, signal = new Cancellation() } = asked;
    const exchange = new Exchange(nextExchangeId(), peerOf(asked), 'FIELDS');
    exchange.route = 'graphql';
    exchange.status = 200;
    observer.begin(exchange, headers);
    let host: CallerHost | null = null;
    let admitted: lifecycle.AdmittedOperation | null = null;
    let permit: (() => void) | null = null;
    try {
      checkAdmission();
      const client = this.#clientOf(asked, rights);
      exchange.identify(client);
      permit = endpoint.concurrency.acquire(client);
      const isHttpRequest = asked.headers !== undefined;
      host = new CallerHost(endpoint, { client, budgets }, exchange, {
        signal,
        headers,
        isHttpRequest,
      });
      admitted = await lifecycle.admitOperation(operation, endpoint.operations, host);
      return await admitted.authorizeAndCharge(host).run();
    } catch (caught) {
      return lifecycle.refuseOperation(caught, host ?? refusing(exchange), admitted).result;
    } finally {
      permit?.();
      finish(exchange);
    }
  }

  /**
   * Lets calls finish for `limits.http.drainMillis`, and closes connections. A second call gives
   * what the first one does.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { drainMillis } = this.#gateway.compiled().config.limits.http;
    const enough = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#running),
      wait(drainMillis, null, { signal: enough.signal }).catch(() => {}),
    ]);
    enough.abort();
    await this.#gateway.drain();
    await this.#log.close();
  }

  /** The class of a caller; null without one. Throws for one that is not there. */
  #classOf({ class: name }: SchemaCaller): ClientClass | null {
    const found = name === undefined ? null : this.#classes.get(name);
    if (found === undefined) {
      throw new Error(`caller() names the class ${name}, which \`clients.classes\` has not.`);
    }
    return found;
  }

  /** Throws `UNAUTHENTICATED` without a class where there are classes. */
  #clientOf(asked: SchemaCaller, rights: ClientClass | null): Client {
    if (rights === null && this.#classes.size > 0) {
      throw new Refusal('UNAUTHENTICATED', 'caller() names no class');
    }
    const { class: name, id, scopes = [], claims = null } = asked;
    const label = (id ?? name ?? '').slice(0, LABEL_UNITS_MAX);
    const names = { id: `schema:${label}`, name: null, label };
    const token = {
      claims,
      scopes: new Set(scopes),
      subjectToken: null,
      expiresMillis: null,
      recheckMillis: null,
    };
    const client = clientOf('address', names, rights ?? UNRESTRICTED, token);
    return { ...client, isAuthenticated: label !== '' };
  }
}

/** The address that a backend gets; `unknown` is a value of RFC 7239, section 6.2. */
function peerOf({ address, headers }: SchemaCaller): string {
  if (address !== undefined && isIP(address) !== 0) return address;
  return address === undefined && headers === undefined ? '' : 'unknown';
}

const LABEL_UNITS_MAX = 256;

/** The host of an operation whose caller is not known. */
const refusing = (exchange: Exchange): lifecycle.RequestHost => ({
  id: exchange.id,
  callField: () => Promise.reject(new Error('nothing is called')),
  signal: new Cancellation(),
  refused: (refusal) => exchange.refuse(refusal),
});
