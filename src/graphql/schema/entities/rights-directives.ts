import type { ConstDirectiveNode } from 'graphql';
import type { scopeRules } from '../../../core/index.js';
import { directive } from './directive-nodes.js';

/** The most lists of scopes that are written: several choices multiply. */
const LISTS_MAX = 64;

/**
 * What a field requires of callers as `@authenticated` and `@requiresScopes`, so that a router does
 * not ask in vain; the gateway checks it itself.
 */
export function rightsDirectives(
  requires: scopeRules.Requirement | null,
): readonly ConstDirectiveNode[] {
  if (requires === null) return [];
  const lists = listsOf(requires.scopes);
  return [
    ...(requires.isAuthenticated ? [directive('authenticated')] : []),
    ...(lists === null || lists.length === 0
      ? []
      : [directive('requiresScopes', { scopes: lists })]),
  ];
}

/**
 * Several choices, each of which must be met, as one: each list joins one list of each. Null for
 * more than `LISTS_MAX`.
 */
function listsOf(choices: scopeRules.Requirement['scopes']): readonly (readonly string[])[] | null {
  if (choices.length === 0) return [];
  let lists: readonly (readonly string[])[] = [[]];
  for (const choice of choices) {
    if (lists.length * choice.length > LISTS_MAX) return null;
    lists = lists.flatMap((list) => choice.map((other) => [...new Set([...list, ...other])]));
  }
  return lists;
}
