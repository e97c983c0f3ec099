import type { GraphqlLimits } from '../../src/graphql/limits.js';
import { type Directive, type Field, RULES, type Selection } from './random-operations.js';

/** What an operation is, found by writing out everything: nothing is shared, nothing is remembered, nothing saturates. */
export interface Measured {
  readonly fields: number;
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
  readonly height: number;
  readonly points: number;
  readonly calls: number;
  readonly hasBadSlice: boolean;
}

/** Null where it would take too long: more than `most` fields. */
export function measure(operation: readonly Selection[], limits: GraphqlLimits, most = 200_000): Measured | null {
  const sum = { fields: 0, depth: 0, aliases: 0, rootFields: 0, directives: 0, height: 0, points: 0, calls: 0 };
  let hasBadSlice = false;
  const walk = (all: readonly Selection[], around: Around): void => {
    for (const selection of all) {
      if (sum.fields > most) return;
      const runs = around.runs && isIncluded(selection.directive);
      if (selection.directive !== null) sum.directives++;
      if (selection.kind === 'group') {
        sum.height = Math.max(sum.height, around.height + 1);
        walk(selection.selections, { ...around, runs, height: around.height + 1 });
        continue;
      }
      const depth = around.depth + 1;
      sum.fields++;
      sum.depth = Math.max(sum.depth, depth);
      if (selection.isAliased) sum.aliases++;
      if (depth === 1) sum.rootFields++;
      const objects = runs ? count(selection, around) : 0;
      if (selection.type !== null) {
        walk(selection.selections, { parent: selection.type, depth, runs, height: around.height, times: objects });
      }
    }
  };
  const count = (field: Field, { parent, times }: Around): number => {
    const rule = RULES[parent][field.name];
    if (field.first !== null && (field.first < 1 || field.first > limits.sliceItems)) hasBadSlice = true;
    // Every field of the root but __typename is a call.
    if (rule === null) sum.calls += parent === 'Query' && field.name !== '__typename' ? times : 0;
    if (rule === null || rule === undefined) return 0;
    if (rule.calls === 'single') sum.calls += times;
    if (rule.calls === 'batched') sum.calls += Math.ceil(times / limits.batchItems);
    const objects = times * (rule.isList ? (field.first ?? limits.assumedListSize) : 1);
    sum.points += objects;
    return objects;
  };
  walk(operation, { parent: 'Query', depth: 0, height: 0, runs: true, times: 1 });
  if (sum.fields > most) return null;
  const points = sum.points + Math.min(sum.calls, limits.calls) * limits.callCost;
  return { ...sum, points, calls: Math.min(sum.calls, limits.calls), hasBadSlice };
}

interface Around {
  readonly parent: keyof typeof RULES;
  readonly depth: number;
  readonly height: number;
  readonly runs: boolean;
  readonly times: number;
}

const isIncluded = (directive: Directive | null): boolean => directive === null || directive.isIncluded;

/** The codes that a refusal may have; none: it must be admitted. */
export function refusalCodesOf(measured: Measured | null, limits: GraphqlLimits): ReadonlySet<string> {
  if (measured === null) return new Set(['GRAPHQL_VALIDATION_FAILED']);
  const codes = new Set<string>();
  if (measured.fields > limits.selections || measured.height > limits.fragmentHeight)
    codes.add('GRAPHQL_VALIDATION_FAILED');
  if (measured.depth > limits.depth) codes.add('MAX_DEPTH_LIMIT');
  if (measured.aliases > limits.aliases) codes.add('MAX_ALIASES_LIMIT');
  if (measured.rootFields > limits.rootFields) codes.add('MAX_ROOT_FIELDS_LIMIT');
  if (measured.directives > limits.directives) codes.add('MAX_DIRECTIVES_LIMIT');
  if (codes.size > 0) return codes;
  if (measured.hasBadSlice) return new Set(['BAD_USER_INPUT']);
  if (measured.points > limits.cost) codes.add('MAX_COST_LIMIT');
  return codes;
}
