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
  requirement.scopes.every((choice) =>
    choice.some((list) => list.every((scope) => scopes.has(scope))),
  );

/** What a client lacks of a requirement. */
export interface Missing {
  /** As the end of a sentence. */
  readonly text: string;
  /**
   * The scopes of the first choice that is not met, of its shortest list; none where credentials
   * are missing.
   */
  readonly scopes: readonly string[];
}

/** The first thing that a client lacks; null where it meets the requirement. */
export function missingOf(
  requirement: Requirement,
  { isAuthenticated, scopes }: Claimant,
): Missing | null {
  if (requirement.isAuthenticated && !isAuthenticated) {
    return { text: 'credentials are required', scopes: [] };
  }
  for (const choice of requirement.scopes) {
    const lacked = choice.map((list) => list.filter((scope) => !scopes.has(scope)));
    if (lacked.some((list) => list.length === 0)) continue;
    const [least = []] = lacked.toSorted((one, other) => one.length - other.length);
    return { text: `the client lacks ${lacked.map(printScopes).join(', or ')}`, scopes: least };
  }
  return null;
}

/** What a requirement demands, as the end of a sentence: `the scope "a"`. Null for nothing. */
export function describeRequirement({ isAuthenticated, scopes }: Requirement): string | null {
  const choices = scopes.map((choice) => choice.map(printScopes).join(', or '));
  if (choices.length > 0) return choices.join('; and ');
  return isAuthenticated ? 'credentials' : null;
}

const printScopes = (list: readonly string[]): string =>
  `${list.length === 1 ? 'the scope' : 'the scopes'} ` +
  `${list.map((scope) => `"${scope}"`).join(' and ')}`;

/** Whether a client that meets `later` meets `earlier` as well. Null asks for nothing. */
export function asksForAll(later: Requirement | null, earlier: Requirement | null): boolean {
  if (earlier === null) return true;
  if (later === null || (earlier.isAuthenticated && !later.isAuthenticated)) return false;
  return earlier.scopes.every((choice) =>
    later.scopes.some((other) =>
      other.every((list) => choice.some((known) => known.every((scope) => list.includes(scope)))),
    ),
  );
}

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
