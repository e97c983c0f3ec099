import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { documentRefusal } from '../errors.js';
import type { LimitChecker } from './limit-checker.js';

/**
 * Checks a parsed document against the limits on its shape, before anything else walks it.
 * Fragments count wherever they are spread, but each is measured once, so the time is linear in the
 * document, not in its expansion. No name is exempt. Only selections below `__schema` and `__type`
 * at the root of an operation have a depth limit of their own.
 */
export function checkShape(document: DocumentNode, checker: LimitChecker): void {
  const { definitions } = document;
  const operations = definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  checker.check('operations', operations.length);
  let directives = 0;
  const counts = new Map<string, SetCounts>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const count = scan(definition.selectionSet);
    directives += count.own.directives + (definition.directives?.length ?? 0);
    counts.set(definition.name.value, count);
  }
  const roots = operations.map((operation) => ({
    count: scan(operation.selectionSet),
    around: directivesOf(operation),
  }));
  for (const { count, around } of roots) {
    directives += count.own.directives + around;
  }
  const totals = totalsOf(counts);
  // Unused fragments too: validation walks them all.
  for (const { fragmentHeight } of totals.values()) {
    checker.check('fragmentHeight', fragmentHeight + 1);
  }
  for (const { count, around } of roots) {
    checkTotal(totalOf(count, totals), around, checker);
  }
  checker.check('directives', directives);
}

/** The levels of fields of an operation of a document that was checked, fragments written out. */
export function depthOf(
  operation: OperationDefinitionNode,
  fragments: Iterable<FragmentDefinitionNode>,
): number {
  const counts = new Map(
    [...fragments].map(({ name, selectionSet }) => [name.value, scan(selectionSet)]),
  );
  return totalOf(scan(operation.selectionSet), totalsOf(counts)).depth;
}

/** The counts of one selection set without its fragments. */
interface SetCounts {
  readonly own: Total;
  readonly spreads: readonly Spread[];
}

interface Spread {
  readonly name: string;
  /** Fields around it. */
  readonly depth: number;
  /** Fragments around it. */
  readonly height: number;
  /** It is below `__schema` or `__type` of the outermost level. */
  readonly isMeta: boolean;
}

/** Counts with fragments written out; they saturate instead of growing beyond what numbers hold. */
interface Total {
  selections: number;
  directives: number;
  aliases: number;
  /** Fields at the outermost level. */
  rootFields: number;
  /** Levels of fragments. */
  fragmentHeight: number;
  /** Levels of fields, all counted. */
  depth: number;
  /** Levels of fields, those inside `__schema` and `__type` of the outermost level left out. */
  plainDepth: number;
  /** Levels of fields of which the outermost is `__schema` or `__type`. */
  metaDepth: number;
}

const MOST = 1e9;

const NONE: Total = {
  selections: 0,
  directives: 0,
  aliases: 0,
  rootFields: 0,
  fragmentHeight: 0,
  depth: 0,
  plainDepth: 0,
  metaDepth: 0,
};

/** A selection set and its position. */
interface Step extends Omit<Spread, 'name'> {
  readonly set: SelectionSetNode;
}

function scan(root: SelectionSetNode): SetCounts {
  const own: Total = { ...NONE };
  const spreads: Spread[] = [];
  const stack: Step[] = [{ set: root, depth: 0, height: 0, isMeta: false }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { depth, height, isMeta } = step;
    for (const selection of step.set.selections) {
      own.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        spreads.push({ name: selection.name.value, depth, height, isMeta });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        own.fragmentHeight = Math.max(own.fragmentHeight, height + 1);
        stack.push({ set: selection.selectionSet, depth, height: height + 1, isMeta });
      } else {
        countField(selection, step, own, stack);
      }
    }
  }
  return { own, spreads };
}

function countField(field: FieldNode, around: Step, own: Total, stack: Step[]): void {
  const depth = around.depth + 1;
  const isMeta = around.isMeta || (depth === 1 && isMetaField(field));
  own.selections++;
  if (field.alias !== undefined) {
    own.aliases++;
  }
  if (depth === 1) {
    own.rootFields++;
  }
  own.depth = Math.max(own.depth, depth);
  if (isMeta) {
    own.metaDepth = Math.max(own.metaDepth, depth);
  } else {
    own.plainDepth = Math.max(own.plainDepth, depth);
  }
  if (field.selectionSet !== undefined) {
    stack.push({ set: field.selectionSet, depth, height: around.height, isMeta });
  }
}

const isMetaField = (field: FieldNode): boolean =>
  field.name.value === '__schema' || field.name.value === '__type';

function directivesOf(operation: OperationDefinitionNode): number {
  const variables = operation.variableDefinitions ?? [];
  return variables.reduce(
    (sum, { directives }) => sum + (directives?.length ?? 0),
    operation.directives?.length ?? 0,
  );
}

/**
 * The totals of all fragments, those first that others need. Throws `GRAPHQL_VALIDATION_FAILED` for
 * a cycle.
 */
function totalsOf(counts: ReadonlyMap<string, SetCounts>): ReadonlyMap<string, Total> {
  const totals = new Map<string, Total>();
  const entered = new Set<string>();
  for (const first of counts.keys()) {
    const stack = [first];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      const count = counts.get(name);
      if (count === undefined || totals.has(name)) {
        stack.pop();
        continue;
      }
      const missing = count.spreads.filter(
        (spread) => counts.has(spread.name) && !totals.has(spread.name),
      );
      if (missing.length === 0) {
        totals.set(name, totalOf(count, totals));
        stack.pop();
        continue;
      }
      if (entered.has(name)) {
        throw documentRefusal('GRAPHQL_VALIDATION_FAILED', 'A fragment must not contain itself.');
      }
      entered.add(name);
      for (const spread of missing) {
        stack.push(spread.name);
      }
    }
  }
  return totals;
}

function totalOf(count: SetCounts, totals: ReadonlyMap<string, Total>): Total {
  const total = { ...count.own };
  for (const { name, depth, height, isMeta } of count.spreads) {
    const inner = totals.get(name) ?? NONE;
    total.selections = Math.min(MOST, total.selections + inner.selections);
    total.directives = Math.min(MOST, total.directives + inner.directives);
    total.aliases = Math.min(MOST, total.aliases + inner.aliases);
    if (depth === 0) {
      total.rootFields = Math.min(MOST, total.rootFields + inner.rootFields);
    }
    total.fragmentHeight = Math.max(total.fragmentHeight, height + 1 + inner.fragmentHeight);
    total.depth = Math.max(total.depth, depth + inner.depth);
    if (depth === 0) {
      total.plainDepth = Math.max(total.plainDepth, inner.plainDepth);
      total.metaDepth = Math.max(total.metaDepth, inner.metaDepth);
    } else if (isMeta) {
      total.metaDepth = Math.max(total.metaDepth, depth + inner.depth);
    } else {
      total.plainDepth = Math.max(total.plainDepth, depth + inner.depth);
    }
  }
  return total;
}

function checkTotal(total: Total, directivesAround: number, checker: LimitChecker): void {
  checker.check('selections', total.selections);
  checker.check('fragmentHeight', total.fragmentHeight);
  checker.check('depth', total.plainDepth);
  checker.check('introspectionDepth', total.metaDepth);
  checker.check('aliases', total.aliases);
  checker.check('rootFields', total.rootFields);
  checker.check('directives', Math.min(MOST, total.directives + directivesAround));
}
