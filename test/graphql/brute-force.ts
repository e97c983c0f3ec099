import type { GraphqlLimits } from '../../src/graphql/limits.js';
import { type Directive, type Field, RULES, type Selection } from './random-operations.js';

/**
 * What an operation is, found by writing out everything: nothing is shared, nothing is remembered,
 * nothing saturates.
 */
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
export function measure(
  operation: readonly Selection[],
  limits: GraphqlLimits,
  most = 200_000,
): Measured | null {
  const sum = {
    fields: 0,
    depth: 0,
    aliases: 0,
    rootFields: 0,
    directives: 0,
    height: 0,
    points: 0,
    calls: 0,
  };
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
      const here = { ...around, depth, runs, times: runs ? around.times : 0 };
      const below = count(selection, here);
      if (below !== null) walk(selection.selections, below);
      if (below !== null && below.reply !== around.reply) sum.points += pointsOf(below.reply);
    }
  };
  /**
   * Counts a field, and what stands below it: in the same reply, or in those of its calls; null for
   * a leaf.
   */
  const count = (field: Field, around: Around): Around | null => {
    const { parent, times, runs } = around;
    const rule = RULES[parent][field.name];
    if (runs && field.first !== null && (field.first < 1 || field.first > limits.sliceItems))
      hasBadSlice = true;
    // Every field of the root but __typename is a call.
    if (rule === null) sum.calls += parent === 'Query' && field.name !== '__typename' ? times : 0;
    if (rule === null || rule === undefined) return null;
    const calls = rule.calls === 'batched' ? Math.ceil(times / limits.batchItems) : times;
    if (rule.calls !== null) sum.calls += calls;
    let { reply, isUnknown } = around;
    if (rule.calls !== null) {
      isUnknown = false;
      reply = { known: 0, unknown: 0, most: calls * limits.assumedReplySize };
    } else if (field.isAliased) reply = { known: 0, unknown: 0, most: around.most };
    let most = rule.calls === null ? around.most : reply.most;
    isUnknown ||= rule.isList && field.first === null;
    let objects = times * (rule.isList ? (field.first ?? limits.assumedListSize) : 1);
    if (isUnknown) objects = Math.min(objects, most);
    else most = Math.max(most, objects * limits.assumedListSize);
    reply.most = Math.max(reply.most, most);
    if (isUnknown) reply.unknown += objects;
    else reply.known += objects;
    return { ...around, parent: rule.type, times: objects, isUnknown, most, reply };
  };
  const root = { known: 0, unknown: 0, most: 0 };
  walk(operation, {
    parent: 'Query',
    depth: 0,
    height: 0,
    runs: true,
    times: 1,
    isUnknown: false,
    most: 0,
    reply: root,
  });
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
  /** Below a list of unknown size in its reply. */
  readonly isUnknown: boolean;
  /** The most objects in lists of unknown size. */
  readonly most: number;
  readonly reply: Reply;
}

/** The objects that the replies of a call bring. */
interface Reply {
  known: number;
  unknown: number;
  most: number;
}

const pointsOf = ({ known, unknown, most }: Reply): number => known + Math.min(unknown, most);

const isIncluded = (directive: Directive | null): boolean =>
  directive === null || directive.isIncluded;

/** The codes that a refusal may have; none: it must be admitted. */
export function refusalCodesOf(
  measured: Measured | null,
  limits: GraphqlLimits,
): ReadonlySet<string> {
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
