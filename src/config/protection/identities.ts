import { Networks } from '../../access/network/networks.js';
import { jwtIssuers } from '../clients/token-keys.js';
import type { ConfigPath } from '../keys/config-path.js';
import type { Config } from '../schema.js';

/** Compares how clients are identified before and after a change of the configuration. */

type Clients = NonNullable<Config['clients']>;

/** Clients that are identified alike, and their class. */
interface Identity {
  readonly className: string;
  readonly path: ConfigPath;
  /** The identity that such clients have where this one is gone; null: they are refused. */
  readonly otherwise: string | null;
  /** Without credentials: where it is new, callers that were refused are let in. */
  readonly isAnonymous: boolean;
}

/** Tokens that name no class are refused. */
export const NO_CLASS = '';

/**
 * What callers cannot leave out, as they can a key or a token: where it counts no more, their
 * address does.
 */
const UNAVOIDABLE = ['certificate', 'wsSecurity'] as const;

/**
 * An earlier identity, null for none: such callers were refused; and the one that these callers
 * have later.
 */
type Succession = readonly [from: Identity | null, to: Identity];

/**
 * Every identity that a change may give to callers, with the one that they had; null between parts
 * of the work.
 */
export function* identitySuccessions(
  earlier: Clients,
  later: Clients,
): Iterable<Succession | null> {
  const known = yield* identitiesOf(earlier);
  const found = yield* identitiesOf(later);
  for (const [id, to] of found) {
    yield [known.get(id) ?? known.get(to.otherwise ?? '') ?? null, to];
  }
  for (const [id, from] of known) {
    const to = found.get(from.otherwise ?? '');
    yield !found.has(id) && to !== undefined ? [from, to] : null;
  }
  const [before, after] = [placesOf(earlier, known), placesOf(later, found)];
  for (const address of new Set([...addressesOf(earlier), ...addressesOf(later)])) {
    const to = after(address);
    if (to !== null) {
      yield [before(address), to];
    }
  }
  for (const kind of UNAVOIDABLE) {
    if (earlier[kind] === undefined || later[kind] !== undefined) continue;
    const own = [...known].flatMap(([id, from]) => (id.startsWith(kind) ? [from] : []));
    // Without a class for them those that are not listed were refused.
    const all = earlier[kind].class === undefined ? [...own, null] : own;
    for (const to of anonymousIn(later, found)) {
      for (const from of all) {
        yield [from, to];
      }
    }
  }
}

type Identities = ReadonlyMap<string, Identity>;

function* identitiesOf(clients: Clients): Generator<null, Identities> {
  const found = new Map<string, Identity>();
  const add = (
    id: string,
    className: string | undefined,
    path: ConfigPath,
    rest: Partial<Identity> = {},
  ): void => {
    if (className !== undefined) {
      found.set(id, {
        className,
        path: ['clients', ...path, 'class'],
        otherwise: null,
        isAnonymous: false,
        ...rest,
      });
    }
  };
  for (const [name, { class: of, keys }] of Object.entries(clients.apiKeys?.clients ?? {})) {
    for (const key of keys) {
      add(`apiKey ${key}`, of, ['apiKeys', 'clients', name]);
      yield null;
    }
  }
  for (const [name, { class: of }] of Object.entries(clients.basic?.users ?? {})) {
    add(`basic ${name}`, of, ['basic', 'users', name]);
    yield null;
  }
  for (const [name, { class: of, subject }] of Object.entries(clients.certificate?.clients ?? {})) {
    add(`certificate ${subject}`, of, ['certificate', 'clients', name], {
      otherwise: 'certificate',
    });
  }
  add('certificate', clients.certificate?.class, ['certificate'], { isAnonymous: true });
  for (const [name, { class: of, certificate, user, saml }] of Object.entries(
    clients.wsSecurity?.clients ?? {},
  )) {
    const sender = JSON.stringify([
      certificate ?? null,
      user ?? null,
      saml?.issuer ?? null,
      saml?.subject ?? null,
    ]);
    add(`wsSecurity ${sender}`, of, ['wsSecurity', 'clients', name], { otherwise: 'wsSecurity' });
  }
  add('wsSecurity', clients.wsSecurity?.class, ['wsSecurity'], { isAnonymous: true });
  for (const { issuer, path } of jwtIssuers(clients.jwt)) {
    add(`jwt ${issuer.issuer}`, issuer.class ?? NO_CLASS, ['jwt', ...path]);
  }
  if (clients.introspection !== undefined) {
    add('introspection', clients.introspection.class ?? NO_CLASS, ['introspection']);
  }
  add('address', clients.address?.class, ['address'], { isAnonymous: true });
  return found;
}

/** The identity of callers in a network. */
const networkIdentity = (name: string, className: string): Identity => ({
  className,
  path: ['clients', 'networks', name, 'class'],
  otherwise: null,
  isAnonymous: true,
});

/** The first address of each network. */
const addressesOf = ({ networks = {} }: Clients): readonly string[] =>
  Object.values(networks).flatMap(({ addresses }) =>
    addresses.map((address) => address.replace(/\/.*$/, '')),
  );

/** Finds the identity of an address, null for none: the first network that has it counts. */
function placesOf(
  { networks = {} }: Clients,
  identities: Identities,
): (address: string) => Identity | null {
  const places = Object.entries(networks).map(([name, { class: of, addresses }]) => ({
    own: new Networks(addresses),
    identity: networkIdentity(name, of),
  }));
  const otherwise = identities.get('address') ?? null;
  return (address) => places.find(({ own }) => own.has(address))?.identity ?? otherwise;
}

const anonymousIn = ({ networks = {} }: Clients, identities: Identities): readonly Identity[] => [
  ...[...identities.values()].filter(({ isAnonymous }) => isAnonymous),
  ...Object.entries(networks).map(([name, { class: of }]) => networkIdentity(name, of)),
];

/** What reads the class of clients out of their tokens. */
interface ClassNamer {
  readonly id: string;
  readonly path: ConfigPath;
  readonly config: { readonly classClaim?: string; readonly class?: string };
}

export const classNamers = (clients: Config['clients']): readonly ClassNamer[] => [
  ...jwtIssuers(clients?.jwt).map(({ issuer, path }) => ({
    id: `jwt ${issuer.issuer}`,
    path: ['clients', 'jwt', ...path],
    config: issuer,
  })),
  ...(clients?.introspection === undefined
    ? []
    : [{ id: 'introspection', path: ['clients', 'introspection'], config: clients.introspection }]),
];
