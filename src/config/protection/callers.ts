import type { ConfigPath } from '../keys/config-path.js';
import { listNames } from '../keys/key-text.js';
import type { Config } from '../schema.js';
import { classNamers, identitySuccessions, NO_CLASS } from './identities.js';
import type { ConfigChange, Weakening } from './protection.js';
import { masksLess } from './rights.js';

/**
 * Compares what identifies clients, and what the clients that were known may do. New clients and
 * classes are additions.
 */

type ClassConfig = NonNullable<NonNullable<Config['clients']>['classes']>[string];

/** No class is restricted any more: whatever else is compared has no effect then. */
const isGone = ({ before, after }: ConfigChange): boolean =>
  before.clients?.classes !== undefined && after.clients?.classes === undefined;

/** `clients: none` says that the gateway is open on purpose. */
export const clientsGone = (change: ConfigChange): readonly Weakening[] =>
  isGone(change) && !(change.after.clients === undefined && change.isGiven(['clients']))
    ? [
        {
          path: ['clients'],
          what: 'identifies no clients any more, so that all callers may call everything',
        },
      ]
    : [];

/**
 * Identities that are new for callers without credentials, and those of another class with more
 * rights.
 */
export function* widerIdentities(change: ConfigChange): Iterable<Weakening | null> {
  const { clients: earlier } = change.before;
  const { clients: later } = change.after;
  if (earlier?.classes === undefined || later?.classes === undefined) return;
  const weaker = new Set<ConfigPath>();
  for (const succession of identitySuccessions(earlier, later)) {
    yield null;
    if (succession === null) continue;
    const [from, to] = succession;
    if (from === null) {
      if (to.isAnonymous) {
        yield { path: to.path, what: 'lets callers in that were refused' };
      }
      continue;
    }
    if (from.className === to.className) continue;
    const what = widerClass(change, from.className, to.className);
    if (what === null || weaker.has(to.path)) continue;
    weaker.add(to.path);
    yield {
      path: to.path,
      what: `is class \`${to.className}\` instead of \`${from.className}\`, which ${what}`,
    };
  }
}

/** Tokens that named their class, and get the one of all others. */
export function unnamedClasses(change: ConfigChange): readonly Weakening[] {
  const { clients: earlier } = change.before;
  const { clients: later } = change.after;
  const known = new Map(classNamers(earlier).map(({ id, config }) => [id, config.classClaim]));
  return classNamers(later).flatMap(({ id, path, config }): readonly Weakening[] => {
    const claim = known.get(id);
    const { class: to } = config;
    if (claim === undefined || to === undefined) return [];
    const isNamed = (name: string): boolean =>
      claim === config.classClaim && later?.classes?.[name] !== undefined;
    for (const name of Object.keys(earlier?.classes ?? {})) {
      const what = isNamed(name) ? null : widerClass(change, name, to);
      if (what !== null) {
        return [
          {
            path: [...path, 'class'],
            what: `is that of tokens which named \`${name}\`: it ${what}`,
          },
        ];
      }
    }
    return [];
  });
}

/**
 * Classes of the same name with more rights: also clients that the configuration does not name may
 * have them.
 */
export function widerClasses(change: ConfigChange): readonly Weakening[] {
  const [earlier, later] = [
    change.before.clients?.classes ?? {},
    change.after.clients?.classes ?? {},
  ];
  return Object.keys(later).flatMap((name): readonly Weakening[] => {
    const what = earlier[name] === undefined ? null : widerClass(change, name, name);
    return what === null ? [] : [{ path: ['clients', 'classes', name], what }];
  });
}

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
  if (earlier.requestsAtOnce !== undefined && later.requestsAtOnce === undefined) {
    return 'may have any number of requests in progress';
  }
  if (from !== to && masksLess(change, from, to)) return 'gets values that were masked';
  return null;
}

/** Services and routes that are new may be allowed together with them. */
function newlyAllowed(
  { before, successors }: ConfigChange,
  earlier: ClassConfig,
  later: ClassConfig,
): string | null {
  if (earlier.allow === undefined) return null;
  if (later.allow === undefined) return 'may call everything: `allow` is gone';
  const known = earlier.allow;
  const old = new Map(
    [...successors].flatMap(([name, names]) => names.map((each) => [each, name] as const)),
  );
  const added = later.allow.filter((entry) => {
    if (isRoute(entry)) {
      return !known.includes(entry) && before.routes.some(({ path }) => path === entry);
    }
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
        (each) =>
          each === entry || each === service || (entry === service && serviceOf(each) === service),
      )
    );
  };
  return earlier.deny.flatMap((entry) => {
    if (isRoute(entry)) {
      return after.routes.some(({ path }) => path === entry) && !isClosed(entry) ? [entry] : [];
    }
    const operation = entry.slice(serviceOf(entry).length);
    return (successors.get(serviceOf(entry)) ?? [])
      .map((name) => name + operation)
      .filter((each) => !isClosed(each));
  });
}

const isRoute = (entry: string): boolean => entry.startsWith('/');
const serviceOf = (entry: string): string => entry.replace(/\..*$/s, '');
