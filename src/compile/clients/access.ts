import { ByAddress, type Identifier, OrderedAccess, openAccess } from '../../access/access.js';
import { ApiKeys } from '../../access/api-keys.js';
import { Certificates } from '../../access/certificates.js';
import type { Access, ClientClass } from '../../access/client.js';
import { Networks } from '../../access/network/networks.js';
import { TargetUris } from '../../access/network/target-uri.js';
import { networkClients } from '../../access/network-clients.js';
import { BasicUsers, basicUser } from '../../access/passwords/basic.js';
import { senders } from '../../access/senders.js';
import { within } from '../../config/keys/finding.js';
import { listenHosts } from '../../config/listen/listen-keys.js';
import type { ClientsPlan } from '../../config/plans/client-plan.js';
import type { GatewayPlan } from '../../config/plans/gateway-plan.js';
import type { Config } from '../../config/schema.js';
import { Kept } from '../keep.js';
import type { AccessParts } from './access-parts.js';
import { type Callable, compileClasses } from './classes.js';
import type { Price } from './prices.js';
import type { ProofParts } from './tokens.js';

export const PASSWORDS = new Kept<BasicUsers>(
  'passwords of `clients.basic` that were verified',
  'if their hash is the same',
);

type ClientsConfig = NonNullable<Config['clients']>;

/** What the ways to identify clients are compiled from. */
interface WayParts extends AccessParts {
  readonly clients: ClientsConfig;
  readonly plan: ClientsPlan;
  readonly limits: Config['limits'];
  readonly classes: ReadonlyMap<string, ClientClass>;
  readonly proxies: Networks;
  readonly proofs: ProofParts;
  /** The module of tokens, which is loaded where they are configured; else null. */
  readonly tokens: typeof import('./tokens.js') | null;
}

/**
 * Compiles the identification of clients and their rights. Rejects with `FindingsError` for names
 * that do not exist. Adds to the parts.
 */
export async function compileAccess(
  { config, clients: plan }: Pick<GatewayPlan, 'config' | 'clients'>,
  services: readonly Callable[],
  prices: readonly Price[],
  proxies: Networks,
  collect: AccessParts,
): Promise<Access> {
  const { clients, limits } = config;
  if (clients?.classes === undefined) return openAccess(proxies);
  const classes = compileClasses(config, services, prices);
  const hasTokens = clients.jwt !== undefined || clients.introspection !== undefined;
  const tokens = hasTokens ? await import('./tokens.js') : null;
  const proofs = { targets: targetsOf(config, proxies), limits };
  const parts = { ...collect, clients, plan, limits, classes, proxies, tokens, proofs };
  return inOrder(await Promise.all(clients.order.map((way) => WAYS[way](parts))));
}

const targetsOf = ({ publicUrl, hosts, listen }: Config, proxies: Networks): TargetUris =>
  new TargetUris({
    publicUrl: publicUrl ?? null,
    hosts,
    listenHosts: listenHosts(listen),
    proxies,
  });

/** How each way of `clients.order` is compiled; null where it is not configured. */
const WAYS: Readonly<
  Record<
    ClientsConfig['order'][number],
    (parts: WayParts) => Identifier | null | Promise<Identifier | null>
  >
> = {
  apiKey: apiKeys,
  jwt: jsonWebTokens,
  introspection: introspectedTokens,
  basic: basicUsers,
  network: networks,
  certificate: certificates,
  wsSecurity: messageSenders,
  address: ({ clients: { address }, proxies, classes }) =>
    address === undefined ? null : new ByAddress(classIn(classes, address.class), proxies),
};

function apiKeys({
  clients: { apiKeys: keys },
  classes,
  pace,
}: WayParts): Promise<Identifier> | null {
  if (keys === undefined) return null;
  const known = Object.entries(keys.clients).map(([name, { class: of, keys: listed }]) => ({
    name,
    rights: classIn(classes, of),
    keys: listed,
  }));
  return pace.run(ApiKeys.make(keys.header, known));
}

function jsonWebTokens({
  clients: { jwt, introspection, order },
  plan,
  tokens,
  classes,
  late,
  keeping,
  proofs,
}: WayParts): Identifier | null {
  if (jwt === undefined || tokens === null) return null;
  const rest = order.slice(order.indexOf('jwt'));
  const leavesOthers = introspection !== undefined && rest.includes('introspection');
  return tokens.compileTokens(plan.issuers, classes, { late, keeping, leavesOthers, proofs });
}

function introspectedTokens({
  plan: { introspection },
  tokens,
  limits,
  classes,
  closing,
  proofs,
}: WayParts): Identifier | null {
  if (introspection === null || tokens === null) return null;
  const { identifier, endpoint } = within(['clients', 'introspection'], () =>
    tokens.compileIntrospection(introspection, limits.upstream, classes, proofs),
  );
  closing.push(() => endpoint.close());
  return identifier;
}

function basicUsers({
  clients: { basic },
  classes,
  proxies,
  keeping,
}: WayParts): Identifier | null {
  if (basic === undefined) return null;
  const listed = Object.entries(basic.users).map(([name, { class: of, password }]) =>
    basicUser(name, classIn(classes, of), password),
  );
  const known = new BasicUsers(listed, proxies);
  const before = PASSWORDS.find(keeping, '', null);
  if (before !== null) {
    known.keep(before);
  }
  return PASSWORDS.set(keeping, '', null, known);
}

function networks({ clients, classes, proxies }: WayParts): Identifier | null {
  if (clients.networks === undefined) return null;
  const known = Object.entries(clients.networks).map(([name, { class: of, addresses }]) => ({
    name,
    rights: classIn(classes, of),
    addresses: new Networks(addresses),
  }));
  return networkClients(known, proxies);
}

function certificates({ clients: { certificate }, classes, proxies }: WayParts): Identifier | null {
  if (certificate === undefined) return null;
  const { header, clients, class: others } = certificate;
  const known = Object.entries(clients).map(([name, { class: of, subject }]) => ({
    name,
    rights: classIn(classes, of),
    subject,
  }));
  return new Certificates(
    header,
    known,
    others === undefined ? null : classIn(classes, others),
    proxies,
  );
}

function messageSenders({
  clients: { wsSecurity },
  classes,
  proxies,
}: WayParts): Identifier | null {
  if (wsSecurity === undefined) return null;
  const { clients, class: others } = wsSecurity;
  const known = Object.entries(clients).map(([name, { class: of, certificate, user, saml }]) => ({
    name,
    rights: classIn(classes, of),
    certificate: certificate ?? null,
    user: user ?? null,
    saml: saml ?? null,
  }));
  return senders(known, others === undefined ? null : classIn(classes, others), proxies);
}

function classIn(classes: ReadonlyMap<string, ClientClass>, name: string): ClientClass {
  const found = classes.get(name);
  if (found === undefined) throw new Error('the configuration let a class pass that is none');
  return found;
}

/** Identification by address alone needs no order. */
function inOrder(ways: readonly (Identifier | null)[]): Access {
  const [only, ...others] = ways.filter((each) => each !== null);
  return only instanceof ByAddress && others.length === 0
    ? only
    : new OrderedAccess(only ? [only, ...others] : []);
}
