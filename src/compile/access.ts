import { ByAddress, type Identifier, OrderedAccess, openAccess } from '../access/access.js';
import { ApiKeys } from '../access/api-keys.js';
import { BasicUsers } from '../access/basic.js';
import { Certificates } from '../access/certificates.js';
import type { Access, ClientClass } from '../access/client.js';
import type { FetchKeys } from '../access/issuer-keys.js';
import { NetworkClients } from '../access/network-clients.js';
import { Networks } from '../access/networks.js';
import { parsePasswordHash } from '../access/scrypt.js';
import { invariant } from '../base/invariant.js';
import { KIB } from '../base/limit.js';
import { validateKeySet } from '../config/key-set.js';
import type { LoadedConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { fetchDocument } from '../upstream/fetch-document.js';
import { type Callable, compileClasses } from './classes.js';
import { diagnosticAt } from './diagnostic-at.js';
import type { LateWarnings } from './late-warnings.js';
import type { Price } from './prices.js';

type ClientsConfig = NonNullable<Config['clients']>;

/**
 * Compiles the identification of clients and their rights. Rejects with `ConfigurationError` for names that do not exist. Errors in the
 * keys of an issuer turn out when they are fetched: they go to `late`.
 */
export async function compileAccess(
  loaded: LoadedConfig,
  services: readonly Callable[],
  prices: readonly Price[],
  late: LateWarnings,
): Promise<Access> {
  const { clients } = loaded.config;
  if (clients === undefined) return openAccess(new Networks([]));
  const proxies = new Networks(clients.trustedProxies);
  if (clients.classes === undefined) return openAccess(proxies);
  const classes = compileClasses(loaded, clients, services, prices);
  const classOf = (name: string): ClientClass => {
    const found = classes.get(name);
    if (found === undefined) throw new Error('the configuration let a class pass that is none');
    return found;
  };
  const jwt = clients.jwt === undefined ? null : await tokens(clients.jwt, classes, keysOf(loaded, clients.jwt, late));
  const ways: Record<ClientsConfig['order'][number], () => Identifier | null> = {
    apiKey() {
      if (clients.apiKeys === undefined) return null;
      const { header, clients: listed } = clients.apiKeys;
      const known = Object.entries(listed).map(([name, { class: of, keys }]) => ({ name, rights: classOf(of), keys }));
      return new ApiKeys(header, known);
    },
    jwt: () => jwt,
    basic() {
      if (clients.basic === undefined) return null;
      const users = Object.entries(clients.basic.users).map(([name, { class: of, password: text }]) => {
        const password = parsePasswordHash(text);
        invariant(password !== null, 'the schema has checked the hash');
        return { name, rights: classOf(of), password };
      });
      return new BasicUsers(users);
    },
    network() {
      if (clients.networks === undefined) return null;
      const networks = Object.entries(clients.networks).map(([name, { class: of, addresses }]) => ({
        name,
        rights: classOf(of),
        addresses: new Networks(addresses),
      }));
      return new NetworkClients(networks, proxies);
    },
    certificate() {
      if (clients.certificate === undefined) return null;
      const { header, clients: listed, class: others } = clients.certificate;
      const known = Object.entries(listed).map(([name, { class: of, subject }]) => ({
        name,
        rights: classOf(of),
        subject,
      }));
      return new Certificates(header, known, others === undefined ? null : classOf(others), proxies);
    },
    address: () => (clients.address === undefined ? null : new ByAddress(classOf(clients.address.class), proxies)),
  };
  const [only, ...others] = clients.order.flatMap((way) => ways[way]() ?? []);
  // Identification by address alone needs no order.
  return only instanceof ByAddress && others.length === 0 ? only : new OrderedAccess(only ? [only, ...others] : []);
}

/** Limits of fetching an issuer's keys. */
const KEYS_BYTES_MAX = 256 * KIB;
const KEYS_MILLIS = 5000;

async function tokens(
  jwt: NonNullable<ClientsConfig['jwt']>,
  classes: ReadonlyMap<string, ClientClass>,
  fetchKeys: FetchKeys,
): Promise<Identifier> {
  // Loaded where it is configured.
  const { Tokens } = await import('../access/tokens.js');
  const otherwise = (jwt.class === undefined ? null : classes.get(jwt.class)) ?? null;
  return new Tokens({ ...jwt, classClaim: jwt.classClaim ?? null, classes, otherwise }, fetchKeys);
}

/** Fetches the keys of an issuer; reports each error in them once. */
function keysOf(loaded: LoadedConfig, jwt: NonNullable<ClientsConfig['jwt']>, late: LateWarnings): FetchKeys {
  const { jwks, jwksUrl, algorithms } = jwt;
  // The rules of the configuration have validated them.
  if (jwks !== undefined || jwksUrl === undefined) return () => Promise.resolve(jwks ?? '');
  let reported: string | null = null;
  const report = (what: string | null, remedy: string | null): void => {
    if (what !== null && what !== reported) {
      const path = ['clients', 'jwt', 'jwksUrl'];
      late.report(diagnosticAt(loaded, path, `The key set of \`clients.jwt.jwksUrl\` ${what}`, remedy));
    }
    reported = what;
  };
  return async () => {
    try {
      const { body } = await fetchDocument(jwksUrl, { maxBytes: KEYS_BYTES_MAX, timeoutMillis: KEYS_MILLIS });
      const text = body.toString('utf8');
      const fault = validateKeySet(text, algorithms);
      report(fault?.what ?? null, fault?.remedy ?? null);
      return text;
    } catch (error) {
      report(`${error instanceof Error ? error.message : 'cannot be fetched'}.`, null);
      throw error;
    }
  };
}
