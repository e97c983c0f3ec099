import { COMMON_OPTIONS, checkOptions, type OptionKinds } from '../check-options.js';
import type { ConfigurationKeys, ServiceKeys } from '../configuration-keys.js';

/** For whom a field of the schema is called, as a server of others knows it. */
export interface SchemaCaller {
  /**
   * The class in `configuration.clients.classes`, which has rights, masks and a budget. Required
   * where there are classes: without it nothing is called.
   */
  readonly class?: string;
  /** Tells callers apart, in budgets and logs; at most 256 characters. Absent: all are one. */
  readonly id?: string;
  /** Scopes, besides those of the class. */
  readonly scopes?: readonly string[];
  /** What operations take from a token where callers send one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Header fields of the request, by names in lower case, for what operations take from them. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The IP address of the client, which `forwarded` sends on; absent or another text: unknown. */
  readonly address?: string;
  /** Aborted when the client has gone: calls end then. */
  readonly signal?: AbortSignal;
}

/** Sections that are about listeners and other endpoints: a schema has none of them. */
export const FOREIGN_SECTIONS = [
  'listen',
  'admin',
  'services',
  'routes',
  'demo',
  'workers',
  'mcp',
  'console',
  'adminHosts',
  'hosts',
  'publicUrl',
  'headerCase',
  'drainDelayMillis',
  'home',
  'reload',
  'subscriptions',
  'include',
] as const;

/**
 * How a WSDL becomes a schema: the keys of a service of the configuration, such as `auth`,
 * `headers`, `operations`, `schema` and `limits`, and what is said here.
 */
export interface SchemaOptions extends Omit<ServiceKeys, 'wsdl' | 'url'> {
  /** The address of the backend; that of the WSDL where it is absent. */
  readonly url?: string;
  /** The name of the service in logs and in `configuration`; absent: that of the WSDL. */
  readonly name?: string;
  /** The folder in which paths begin; the working directory where it is absent. */
  readonly folder?: string;
  /**
   * Takes each line of the log: a JSON object as text, without the end of the line. Where it is
   * absent nothing is logged.
   */
  log?(line: string): void;
  /** The variables that values may name; those of the process where it is absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Other sections of the configuration: `limits`, `graphql`, `clients`, `redis`, `log`. */
  readonly configuration?: Omit<ConfigurationKeys, (typeof FOREIGN_SECTIONS)[number]>;
  /**
   * Says for whom a field is called, by the context of the server: its class has the rights to
   * fields, and their masks. Asked once for the fields of a query together, and for each field of a
   * mutation. An error of it is the error of the field.
   */
  caller?(context: unknown): SchemaCaller | Promise<SchemaCaller>;
}

/** The keys of `SchemaOptions` that are none of a service. */
const OWN_KEYS: OptionKinds = {
  ...COMMON_OPTIONS,
  name: 'text',
  log: 'function',
  configuration: 'object',
  caller: 'function',
};

/** Keys of a service are checked with its configuration. Throws `ConfigurationError`. */
export const checkSchemaOptions = (owner: string, options: unknown): void =>
  checkOptions(owner, options, { ...OWN_KEYS, url: 'text' }, { hasMore: true });

/** The keys of a service among the options. */
export const serviceKeysIn = (options: SchemaOptions): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => !Object.hasOwn(OWN_KEYS, name) && value !== undefined,
    ),
  );
