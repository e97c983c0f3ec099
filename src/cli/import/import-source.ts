import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import {
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  inputFiles,
  MIB,
} from '../../core/index.js';
import { addressKind } from '../../upstream/index.js';
import type { ReadOptions } from '../../wsdl/index.js';
import { BY_VARIABLE, compileRoute, NO_ROUTE, type RouteOptions } from './import-route.js';

/** How `import` gets documents that are not files. */
export interface SourceOptions {
  /** Hosts (`name` or `name:port`) beside the WSDL's own that its documents may come from. */
  readonly allowHosts: readonly string[];
  /** Whether those hosts may have private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** Header lines for the WSDL's own host, `${NAME}` standing for variables of the environment. */
  readonly headers: readonly string[];
  /** `name:${PASSWORD}` for basic authentication at the WSDL's own host. */
  readonly user: string | null;
  /** A file that holds `name:password`. */
  readonly userFile: string | null;
  /** The way to the WSDL. */
  readonly route: RouteOptions;
  /** Folder that the files of a WSDL in a file may lie in; null for its own. */
  readonly root: string | null;
}

export const NO_SOURCE_OPTIONS: SourceOptions = {
  allowHosts: [],
  allowPrivate: false,
  headers: [],
  user: null,
  userFile: null,
  route: NO_ROUTE,
  root: null,
};

/** Wraps a source so that it names each document to `show` before it is read. */
export function withProgress(source: ReadOptions, show: (document: string) => void): ReadOptions {
  const { fetch, inputs = inputFiles.LIVE_INPUTS } = source;
  return {
    ...source,
    fetch:
      fetch === null
        ? null
        : (url) => {
            show(url);
            return fetch(url);
          },
    inputs: {
      ...inputs,
      readFile: (path) => {
        show(path);
        return inputs.readFile(path);
      },
    },
  };
}

type Client = typeof import('../../upstream/index.js')['fetching'];

type Environment = Readonly<Record<string, string | undefined>>;

const FETCH = { maxBytes: 32 * MIB, timeoutMillis: 30_000 } as const;
/**
 * For all documents of one WSDL: there may be two thousand, and a server that is slow with each.
 */
const TOTAL_MILLIS = 600_000;

/**
 * Makes the source of `readWsdl` for `location` from the options. Throws `ConfigurationError` for
 * wrong options.
 */
export async function importSourceOf(
  location: string,
  options: SourceOptions,
  environment: Environment,
): Promise<ReadOptions> {
  const home = URL.canParse(location) ? new URL(location) : null;
  if (home !== null && (home.username !== '' || home.password !== '')) {
    throw diagnosis.unplacedError(
      'The address holds credentials, which would end up in logs and files.',
      'Give them with --user.',
    );
  }
  const headers = await credentialHeaders(options, environment);
  const way = await compileRoute(
    options.route,
    (text, diagnostics) => filled(text, environment, diagnostics),
    (url) => isHome(url, home),
  );
  const allowed = options.allowHosts.map((host) => host.toLowerCase());
  const headersFor = (url: URL): Readonly<Record<string, string>> =>
    isHome(url, home) ? headers : {};
  const checkAddress = (ip: string, url: URL): string | null => {
    if (url.host === home?.host) return null;
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
    const kind = addressKind(ip);
    const isInside = kind === 'private' || kind === 'loopback';
    if (kind === 'public' || (isInside && options.allowPrivate)) return null;
    return (
      `its host has a ${kind} address` + `${isInside ? ', which --allow-private would permit' : ''}`
    );
  };
  let agents: ReturnType<Client['keepConnections']> | null = null;
  const end = performance.now() + TOTAL_MILLIS;
  return {
    async fetch(url) {
      const left = Math.floor(end - performance.now());
      if (left <= 0) {
        throw new Error(
          `cannot be fetched (all documents took more than ${TOTAL_MILLIS / 60_000} minutes)`,
        );
      }
      const timeoutMillis = Math.min(FETCH.timeoutMillis, left);
      // Loading the HTTP client takes a fifth of an import, and a WSDL in a file does without.
      const { fetching: client } = await import('../../upstream/index.js');
      agents ??= client.keepConnections();
      return client.fetchDocument(url, {
        ...FETCH,
        ...way,
        timeoutMillis,
        headersFor,
        checkAddress,
        agents,
      });
    },
    root: options.root,
    nearby: true,
    hosts: allowed,
  };
}

/** Credentials go to the host of their address only, and never from TLS to plain text. */
const isHome = (url: URL, home: URL | null): boolean =>
  home !== null &&
  url.host === home.host &&
  (home.protocol !== 'https:' || url.protocol === 'https:');

async function credentialHeaders(
  { headers, user, userFile }: SourceOptions,
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const diagnostics: Diagnostic[] = [];
  const fields = new Map<string, string>();
  for (const line of headers) {
    addHeader(line, environment, fields, diagnostics);
  }
  if (user !== null && userFile !== null) {
    diagnostics.push(diagnosis.unplaced('Both --user and --user-file are set.', 'Keep one.'));
  }
  const pair =
    userFile === null
      ? userFrom(user, environment, diagnostics)
      : await userIn(userFile, diagnostics);
  if (pair !== null) {
    if (!pair.includes(':')) {
      diagnostics.push(diagnosis.unplaced('The user is not `name:password`.', null));
    }
    fields.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  }
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  return Object.fromEntries(fields);
}

/**
 * Fields that hold secrets: in plain text on a command line, every user of the machine could read
 * them.
 */
const SECRET = /^(?:authorization|proxy-authorization|cookie|.*(?:key|token|secret).*)$/i;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Fields that describe the framing of the request itself. */
const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|accept-encoding)$/i;

function addHeader(
  line: string,
  environment: Environment,
  fields: Map<string, string>,
  diagnostics: Diagnostic[],
): void {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon)).trim();
  if (!FIELD_NAME.test(name)) {
    diagnostics.push(diagnosis.unplaced('A --header is not `Name: value`.', null));
    return;
  }
  const template = line.slice(colon + 1).trim();
  if (FRAMING.test(name)) {
    diagnostics.push(diagnosis.unplaced(`The header ${name} cannot be set.`, null));
  }
  if (SECRET.test(name) && !template.includes('${')) {
    diagnostics.push(
      diagnosis.unplaced(
        `The value of the header ${name} stands on the command line.`,
        BY_VARIABLE,
      ),
    );
    return;
  }
  const value = filled(template, environment, diagnostics);
  if (value === null) return;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    diagnostics.push(
      diagnosis.unplaced(
        `The value of the header ${name} holds characters that no header may.`,
        null,
      ),
    );
  }
  fields.set(name.toLowerCase(), value);
}

function userFrom(
  user: string | null,
  environment: Environment,
  diagnostics: Diagnostic[],
): string | null {
  if (user === null) return null;
  if (!user.includes(':')) {
    diagnostics.push(
      diagnosis.unplaced(
        'The user of --user has no password.',
        `Write 'NAME:\${PASSWORD}' and set that variable.`,
      ),
    );
    return null;
  }
  if (!/:.*\$\{/.test(user)) {
    diagnostics.push(
      diagnosis.unplaced(
        'The password of --user stands on the command line.',
        `${BY_VARIABLE} Or use --user-file.`,
      ),
    );
    return null;
  }
  return filled(user, environment, diagnostics);
}

async function userIn(file: string, diagnostics: Diagnostic[]): Promise<string | null> {
  try {
    const text = await readFile(file, 'utf8');
    return text.slice(0, 10_000).split(/\r?\n/, 1)[0] ?? '';
  } catch {
    diagnostics.push(diagnosis.unplaced('The file of --user-file cannot be read.', null, file));
    return null;
  }
}

/**
 * The text with its variables replaced, or null after a diagnostic. Their values are in no message.
 */
function filled(text: string, environment: Environment, diagnostics: Diagnostic[]): string | null {
  let complete = true;
  const value = text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g, (_, name: string) => {
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (found === undefined) {
      complete = false;
      diagnostics.push(
        diagnosis.unplaced(`The environment variable ${name} is not set.`, 'Set it and try again.'),
      );
    }
    return found ?? '';
  });
  return complete ? value : null;
}
