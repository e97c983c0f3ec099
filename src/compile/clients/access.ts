import { ByAddress, type Identifier, OrderedAccess, openAccess } from '../../access/access.js';
import { ApiKeys } from '../../access/api-keys.js';
import { Certificates } from '../../access/certificates.js';
import type { Access, ClientClass } from '../../access/client.js';
import { Networks } from '../../access/network/networks.js';
import { networkClients } from '../../access/network-clients.js';
import { BasicUsers, basicUser } from '../../access/passwords/basic.js';
import { senders } from '../../access/senders.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { Kept } from '../keep.js';
import type { AccessParts } from './access-parts.js';
import { type Callable, compileClasses } from './classes.js';
import type { Price } from './prices.js';

export const PASSWORDS = new Kept<BasicUsers>(
  'passwords of `clients.basic` that were verified',
  'if their hash is the same',
);

type ClientsConfig = NonNullable<Config['clients']>;

/**
 * Compiles the identification of clients and their rights. Rejects with `ConfigurationError` for
 * names that do not exist. Adds to the parts.
 */
export async function compileAccess(
  root: ConfigSection<Pick<Config, 'clients' | 'limits' | 'routes'>>,
  services: readonly Callable[],
  prices: readonly Price[],
  proxies: Networks,
  { late, closing, keeping, pace }: AccessParts,
): Promise<Access> {
  const { clients, limits } = root.value;
  if (clients?.classes === undefined) return openAccess(proxies);
  const classes = compileClasses(root.value, services, prices);
  const classOf = (name: string): ClientClass => {
    const found = classes.get(name);
    if (found === undefined) throw new Error('the configuration let a class pass that is none');
    return found;
  };
  // Loaded where they are configured.
  const hasTokens = clients.jwt !== undefined || clients.introspection !== undefined;
  const tokens = hasTokens ? await import('./tokens.js') : null;
  const ways: Record<
    ClientsConfig['order'][number],
    () => Identifier | null | Promise<Identifier | null>
  > = {
    apiKey() {
      if (clients.apiKeys === undefined) return null;
      const { header, clients: listed } = clients.apiKeys;
      const known = Object.entries(listed).map(([name, { class: of, keys }]) => ({
        name,
        rights: classOf(of),
        keys,
      }));
      return pace.run(ApiKeys.make(header, known));
    },
    jwt() {
      if (clients.jwt === undefined || tokens === null) return null;
      const rest = clients.order.slice(clients.order.indexOf('jwt'));
      const leavesOthers = clients.introspection !== undefined && rest.includes('introspection');
      return tokens.compileTokens(root.at(clients, 'clients'), classes, {
        late,
        keeping,
        leavesOthers,
      });
    },
    introspection() {
      if (clients.introspection === undefined || tokens === null) return null;
      const section = root.at(clients.introspection, 'clients', 'introspection');
      const { identifier, endpoint } = tokens.compileIntrospection(
        section,
        limits.upstream,
        classes,
      );
      closing.push(() => endpoint.close());
      return identifier;
    },
    basic() {
      if (clients.basic === undefined) return null;
      const { users } = clients.basic;
      const listed = Object.entries(users).map(([name, { class: of, password }]) =>
        basicUser(name, classOf(of), password),
      );
      const known = new BasicUsers(listed, proxies);
      const before = PASSWORDS.find(keeping, '', null);
      if (before !== null) {
        known.keep(before);
      }
      return PASSWORDS.set(keeping, '', null, known);
    },
    network() {
      if (clients.networks === undefined) return null;
      const networks = Object.entries(clients.networks).map(([name, { class: of, addresses }]) => ({
        name,
        rights: classOf(of),
        addresses: new Networks(addresses),
      }));
      return networkClients(networks, proxies);
    },
    certificate() {
      if (clients.certificate === undefined) return null;
      const { header, clients: listed, class: others } = clients.certificate;
      const known = Object.entries(listed).map(([name, { class: of, subject }]) => ({
        name,
        rights: classOf(of),
        subject,
      }));
      return new Certificates(
        header,
        known,
        others === undefined ? null : classOf(others),
        proxies,
      );
    },
    wsSecurity() {
      if (clients.wsSecurity === undefined) return null;
      const { clients: listed, class: others } = clients.wsSecurity;
      const known = Object.entries(listed).map(
        ([name, { class: of, certificate, user, saml }]) => ({
          name,
          rights: classOf(of),
          certificate: certificate ?? null,
          user: user ?? null,
          saml: saml ?? null,
        }),
      );
      return senders(known, others === undefined ? null : classOf(others), proxies);
    },
    address: () =>
      clients.address === undefined ? null : new ByAddress(classOf(clients.address.class), proxies),
  };
  return inOrder(await Promise.all(clients.order.map((way) => ways[way]())));
}

/** Identification by address alone needs no order. */
function inOrder(ways: readonly (Identifier | null)[]): Access {
  const [only, ...others] = ways.filter((each) => each !== null);
  return only instanceof ByAddress && others.length === 0
    ? only
    : new OrderedAccess(only ? [only, ...others] : []);
}
