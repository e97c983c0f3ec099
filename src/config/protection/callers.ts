import { listNames } from '../../base/list-names.js';
import { jwtIssuers } from '../clients/token-keys.js';
import type { ConfigPath } from '../keys/config-path.js';
import type { Config } from '../schema.js';
import type { ConfigChange, Weakening } from './protection.js';
import { masksLess } from './rights.js';

/** Compares what identifies clients, and what the clients that were known may do. New clients and classes are additions. */

type Clients = NonNullable<Config['clients']>;
type ClassConfig = NonNullable<Clients['classes']>[string];

/** Clients that are identified alike, and their class. */
interface Identity {
  readonly className: string;
  readonly path: ConfigPath;
  /** The identity that such clients have where this one is gone; null: they are refused. */
  readonly otherwise: string | null;
  /** Without credentials: where it is new, callers that were refused are let in. */
  readonly isAnonymous: boolean;
}

/** No class is restricted any more: whatever else is compared has no effect then. */
const isGone = ({ before, after }: ConfigChange): boolean =>
  before.clients?.classes !== undefined && after.clients?.classes === undefined;

/** `clients: none` says that the gateway is open on purpose. */
export const clientsGone = (change: ConfigChange): readonly Weakening[] =>
  isGone(change) && !(change.after.clients === undefined && change.isGiven(['clients']))
    ? [{ path: ['clients'], what: 'identifies no clients any more, so that all callers may call everything' }]
    : [];

/** Identities that are new for callers without credentials, and those of another class with more rights. */
export function widerIdentities(change: ConfigChange): readonly Weakening[] {
  const { clients: earlier } = change.before;
  const { clients: later } = change.after;
  if (earlier?.classes === undefined || later?.classes === undefined) return [];
  const [known, found] = [identitiesOf(earlier), identitiesOf(later)];
  const weaker: Weakening[] = [];
  const compare = (from: Identity | undefined, to: Identity): void => {
    if (from === undefined) {
      if (to.isAnonymous) weaker.push({ path: to.path, what: 'lets callers in that were refused' });
      return;
    }
    if (from.className === to.className) return;
    const what = widerClass(change, from.className, to.className);
    if (what !== null && !weaker.some(({ path }) => path === to.path))
      weaker.push({
        path: to.path,
        what: `is class \`${to.className}\` instead of \`${from.className}\`, which ${what}`,
      });
  };
  for (const [id, to] of found) compare(known.get(id) ?? known.get(to.otherwise ?? ''), to);
  for (const [id, from] of known) {
    const to = found.get(from.otherwise ?? '');
    if (!found.has(id) && to !== undefined) compare(from, to);
  }
  return weaker;
}

/** Classes of the same name with more rights: also clients that the configuration does not name may have them. */
export function widerClasses(change: ConfigChange): readonly Weakening[] {
  const [earlier, later] = [change.before.clients?.classes ?? {}, change.after.clients?.classes ?? {}];
  return Object.keys(later).flatMap((name): readonly Weakening[] => {
    const what = earlier[name] === undefined ? null : widerClass(change, name, name);
    return what === null ? [] : [{ path: ['clients', 'classes', name], what }];
  });
}

function identitiesOf(clients: Clients): ReadonlyMap<string, Identity> {
  const found = new Map<string, Identity>();
  const add = (id: string, className: string | undefined, path: ConfigPath, rest: Partial<Identity> = {}): void => {
    if (className !== undefined)
      found.set(id, { className, path: ['clients', ...path, 'class'], otherwise: null, isAnonymous: false, ...rest });
  };
  for (const [name, { class: of, keys }] of Object.entries(clients.apiKeys?.clients ?? {}))
    for (const key of keys) add(`apiKey ${key}`, of, ['apiKeys', 'clients', name]);
  for (const [name, { class: of }] of Object.entries(clients.basic?.users ?? {}))
    add(`basic ${name}`, of, ['basic', 'users', name]);
  for (const [name, { class: of, subject }] of Object.entries(clients.certificate?.clients ?? {}))
    add(`certificate ${subject}`, of, ['certificate', 'clients', name], { otherwise: 'certificate' });
  add('certificate', clients.certificate?.class, ['certificate'], { isAnonymous: true });
  for (const [name, { class: of, certificate, user, saml }] of Object.entries(clients.wsSecurity?.clients ?? {})) {
    const sender = JSON.stringify([certificate ?? null, user ?? null, saml?.issuer ?? null, saml?.subject ?? null]);
    add(`wsSecurity ${sender}`, of, ['wsSecurity', 'clients', name], { otherwise: 'wsSecurity' });
  }
  add('wsSecurity', clients.wsSecurity?.class, ['wsSecurity'], { isAnonymous: true });
  for (const { issuer, path } of jwtIssuers(clients.jwt)) {
    add(`jwt ${issuer.issuer}`, issuer.class ?? NO_CLASS, ['jwt', ...path]);
  }
  if (clients.introspection !== undefined)
    add('introspection', clients.introspection.class ?? NO_CLASS, ['introspection']);
  for (const [name, { class: of, addresses }] of Object.entries(clients.networks ?? {}))
    for (const address of addresses)
      add(`network ${address}`, of, ['networks', name], { otherwise: 'address', isAnonymous: true });
  add('address', clients.address?.class, ['address'], { isAnonymous: true });
  return found;
}

/** Tokens that name no class are refused. */
const NO_CLASS = '';

/** What clients of class `to` may later do that those of class `from` could not; null: nothing. */
function widerClass(change: ConfigChange, from: string, to: string): string | null {
  if (to === NO_CLASS) return null;
  const earlier = change.before.clients?.classes?.[from];
  const later = change.after.clients?.classes?.[to];
  if (later === undefined) return null;
  if (earlier === undefined) return from === NO_CLASS ? 'lets tokens in that were refused' : null;
  const scopes = later.scopes.filter((scope) => !earlier.scopes.includes(scope));
  if (scopes.length > 0) return `has the scopes ${listNames(scopes)} besides`;
  const allowed = newlyAllowed(change, earlier, later);
  if (allowed !== null) return allowed;
  const denied = noLongerDenied(change, earlier, later);
  if (denied.length > 0) return `may call ${listNames(denied)}, which were denied`;
  if (earlier.budget !== undefined && later.budget === undefined) return 'has no budget any more';
  if (earlier.requestsAtOnce !== undefined && later.requestsAtOnce === undefined)
    return 'may have any number of requests in progress';
  if (from !== to && masksLess(change, from, to)) return 'gets values that were masked';
  return null;
}

/** Services and routes that are new may be allowed together with them. */
function newlyAllowed({ before, successors }: ConfigChange, earlier: ClassConfig, later: ClassConfig): string | null {
  if (earlier.allow === undefined) return null;
  if (later.allow === undefined) return 'may call everything: `allow` is gone';
  const known = earlier.allow;
  const old = new Map([...successors].flatMap(([name, names]) => names.map((each) => [each, name] as const)));
  const added = later.allow.filter((entry) => {
    if (isRoute(entry)) return !known.includes(entry) && before.routes.some(({ path }) => path === entry);
    const service = old.get(serviceOf(entry));
    return (
      service !== undefined &&
      !known.includes(service) &&
      !known.includes(service + entry.slice(serviceOf(entry).length))
    );
  });
  return added.length === 0 ? null : `may also call ${listNames(added)}`;
}

/** What was denied is denied, not allowed, or gone. */
function noLongerDenied(
  { after, successors }: ConfigChange,
  earlier: ClassConfig,
  later: ClassConfig,
): readonly string[] {
  const isClosed = (entry: string): boolean => {
    const service = isRoute(entry) ? entry : serviceOf(entry);
    if (later.deny.includes(entry) || later.deny.includes(service)) return true;
    return (
      later.allow !== undefined &&
      !later.allow.some(
        (each) => each === entry || each === service || (entry === service && serviceOf(each) === service),
      )
    );
  };
  return earlier.deny.flatMap((entry) => {
    if (isRoute(entry)) return after.routes.some(({ path }) => path === entry) && !isClosed(entry) ? [entry] : [];
    const operation = entry.slice(serviceOf(entry).length);
    return (successors.get(serviceOf(entry)) ?? []).map((name) => name + operation).filter((each) => !isClosed(each));
  });
}

const isRoute = (entry: string): boolean => entry.startsWith('/');
const serviceOf = (entry: string): string => entry.replace(/\..*$/s, '');
