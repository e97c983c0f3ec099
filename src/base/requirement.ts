/** What a client must have to read a field or call an operation. Made at start-up. */
export interface Requirement {
  /** Credentials must have identified the client (`@authenticated`). */
  readonly isAuthenticated: boolean;
  /** Each of these must hold. */
  readonly scopes: readonly ScopeChoice[];
}

/** Lists of scopes: the client has all scopes of at least one list (`@requiresScopes`). */
export type ScopeChoice = readonly (readonly string[])[];

/** The client, as far as requirements look at it. */
export interface Claimant {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
}

export const isMet = (requirement: Requirement, { isAuthenticated, scopes }: Claimant): boolean =>
  (isAuthenticated || !requirement.isAuthenticated) &&
  requirement.scopes.every((choice) => choice.some((list) => list.every((scope) => scopes.has(scope))));

/** Both of them; null where neither requires anything. */
export function bothOf(one: Requirement | null, other: Requirement | null): Requirement | null {
  if (one === null || other === null || one === other) return one ?? other;
  return {
    isAuthenticated: one.isAuthenticated || other.isAuthenticated,
    scopes: [...new Set([...one.scopes, ...other.scopes])],
  };
}

/** The names of all scopes that requirements mention. */
export const scopesIn = (requirements: Iterable<Requirement>): ReadonlySet<string> =>
  new Set([...requirements].flatMap(({ scopes }) => scopes.flat(2)));
