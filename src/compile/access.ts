import { ByAddress, type Identifier, OPEN_ACCESS, OrderedAccess } from '../access/access.js';
import { ApiKeys } from '../access/api-keys.js';
import { Certificates } from '../access/certificates.js';
import type { Access, ClientClass } from '../access/client.js';
import { Networks } from '../access/networks.js';
import { readKeys, Tokens } from '../access/tokens.js';
import { KIB } from '../base/limit.js';
import { Problems } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { fetchDocument } from '../upstream/fetch-document.js';
import { type Callable, compileClasses } from './classes.js';
import { problemAt } from './problem-at.js';

type ClientsConfig = NonNullable<Config['clients']>;

/** Who may call, and what. Throws `Problems` for what names nothing there is, and for keys that are none. */
export function compileAccess(loaded: LoadedConfig, services: readonly Callable[]): Access {
  const { clients } = loaded.config;
  if (clients === undefined) return OPEN_ACCESS;
  const classes = compileClasses(loaded, clients, services);
  const proxies = new Networks(clients.trustedProxies);
  const classOf = (name: string): ClientClass => {
    const found = classes.get(name);
    if (found === undefined) throw new Error('the configuration let a class pass that is none');
    return found;
  };
  const ways: Record<ClientsConfig['order'][number], () => Identifier | null> = {
    apiKey() {
      if (clients.apiKeys === undefined) return null;
      const { header, clients: listed } = clients.apiKeys;
      const known = Object.entries(listed).map(([name, { class: of, keys }]) => ({ name, rights: classOf(of), keys }));
      return new ApiKeys(header, known);
    },
    jwt: () => (clients.jwt === undefined ? null : tokens(loaded, clients.jwt, classes)),
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
  // The most usual one needs nobody to ask in turn.
  return only instanceof ByAddress && others.length === 0 ? only : new OrderedAccess(only ? [only, ...others] : []);
}

/** What an issuer's keys may take. */
const KEYS_BYTES_MAX = 256 * KIB;
const KEYS_MILLIS = 5000;

function tokens(
  loaded: LoadedConfig,
  jwt: NonNullable<ClientsConfig['jwt']>,
  classes: ReadonlyMap<string, ClientClass>,
): Tokens {
  const { jwks, jwksUrl } = jwt;
  if (jwks !== undefined) judgeKeys(loaded, jwks);
  const fetchKeys = async (): Promise<string> => {
    if (jwks !== undefined || jwksUrl === undefined) return jwks ?? '';
    const { body } = await fetchDocument(jwksUrl, { maxBytes: KEYS_BYTES_MAX, timeoutMillis: KEYS_MILLIS });
    return body.toString('utf8');
  };
  return new Tokens(
    {
      ...jwt,
      classClaim: jwt.classClaim ?? null,
      classes,
      otherwise: (jwt.class === undefined ? null : classes.get(jwt.class)) ?? null,
    },
    fetchKeys,
  );
}

function judgeKeys(loaded: LoadedConfig, jwks: string): void {
  try {
    readKeys(jwks);
  } catch {
    const what = '`clients.jwt.jwks` is no JSON Web Key Set.';
    const remedy = 'Write { "keys": [...] } as the issuer shows it, in a file of its own.';
    throw new Problems([problemAt(loaded, ['clients', 'jwt', 'jwks'], what, remedy)]);
  }
}
