import {
  type GraphQLArgument,
  type GraphQLFieldConfig,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import type { CallTarget, FieldFeed, SubschemaTarget } from '../feeds/feed.js';
import { feedOf, feedSteps, fieldAlong, missingFeedParts } from '../feeds/feed-types.js';
import { linkTargetOf, type Targets, type TargetUse } from '../feeds/targets.js';
import { describedWith, ruleExtensions, ruleOf } from '../rights/field-rule.js';
import { costExtensions } from '../types/cost-rules.js';
import { type FieldOwner, isFieldOwner } from '../types/field-owner.js';
import { isRoot } from '../types/roots.js';
import type { Link, LinkBatch, LinkMapping, LinkTable } from './link.js';

/** What a link can call. */
export type LinkTarget = CallTarget | SubschemaTarget;

export interface ResolvedLinks {
  readonly table: LinkTable;
  readonly errors: readonly EntryError[];
}

/**
 * Resolves every link against the schema and adds its fields to the types. `targets` are the
 * operations that links can call, by `service.operation`; `operations` are the names of all. Make
 * the schema again afterwards, of the same types: it must know the types of links.
 */
export function addLinks(
  schema: GraphQLSchema,
  mappings: readonly LinkMapping[],
  targets: ReadonlyMap<string, LinkTarget>,
  operations: readonly string[],
): ResolvedLinks {
  const errors: EntryError[] = [];
  const table = new Map<string, Link>();
  const additions: (() => void)[] = [];
  for (const mapping of mappings) {
    const report = reportInto(errors, mapping.name);
    const place = placeOf(mapping.name, schema, table, report);
    const known = { targets, operations };
    const resolved = resolveLink(mapping, place?.type ?? null, known, CALLED, report);
    if (place === null || resolved === null) continue;
    const link = withKey(resolved);
    for (const type of place.types) {
      table.set(`${type.name}.${place.field}`, link);
      // Types look up what their links need before any of them has a new field.
      additions.push(() => {
        type.getFields()[place.field] = link.definition;
      });
    }
  }
  if (errors.length === 0) {
    for (const add of additions) {
      add();
    }
  }
  return { table, errors };
}

/**
 * The first argument is the key: without a value of it there is no call. Backends take a missing
 * key for any, and most WSDLs declare every argument as optional.
 */
function withKey(link: Link): Link {
  const feeds = link.feeds.map((feed, at) => (at === 0 ? { ...feed, required: true } : feed));
  return { ...link, feeds };
}

interface Place {
  readonly type: FieldOwner;
  readonly field: string;
  /** The type and everything that implements it. */
  readonly types: readonly FieldOwner[];
}

function placeOf(
  name: string,
  schema: GraphQLSchema,
  table: LinkTable,
  report: Report,
): Place | null {
  const [typeName = '', field = ''] = name.split('.');
  const owners = Object.values(schema.getTypeMap()).filter(
    (type) => isFieldOwner(type) && !type.name.startsWith('__') && !isRoot(schema, type),
  );
  const type = owners.filter(isFieldOwner).find((owner) => owner.name === typeName);
  if (type === undefined) {
    const known = owners.map((owner) => owner.name);
    const what = `There is no object type \`${typeName}\`.`;
    report(
      [],
      what,
      'Name a type of a reply, as `soapstone schema` prints it.',
      { name: typeName, known },
      'key',
    );
    return null;
  }
  const types: readonly FieldOwner[] = isInterfaceType(type)
    ? [
        type,
        ...schema.getImplementations(type).objects,
        ...schema.getImplementations(type).interfaces,
      ]
    : [type];
  const taken = types.find(
    (owner) => Object.hasOwn(owner.getFields(), field) || table.has(`${owner.name}.${field}`),
  );
  if (taken !== undefined) {
    report(
      [],
      `\`${taken.name}\` has a field \`${field}\` already.`,
      'Give the link another name.',
      null,
      'key',
    );
    return null;
  }
  return { type, field, types };
}

const CALLED: TargetUse = { verb: 'called', reader: 'a link' };

/**
 * Resolves a link, whose feeds are fields of `owner`, against the schema. Null, and errors, for one
 * that cannot be called.
 */
export function resolveLink(
  mapping: LinkMapping,
  owner: FieldOwner | null,
  known: Targets<LinkTarget>,
  use: TargetUse,
  report: Report,
): Link | null {
  let isSound = true;
  const seen: Report = (...fault) => {
    isSound = false;
    return report(...fault);
  };
  const target = linkTargetOf(mapping.operation, ['operation'], use, known, seen);
  const many =
    mapping.batch === null
      ? null
      : linkTargetOf(mapping.batch.operation, ['batch', 'operation'], use, known, seen);
  if (target === null || (mapping.batch !== null && many === null)) return null;
  if (many !== null && isPaged(many)) {
    const what =
      `\`${mapping.batch?.operation}\` hands out pages: ` +
      'one call of it does not answer many keys.';
    seen(['batch', 'operation'], what, 'Name an operation without `pages`.');
  }
  const type = getNullableType(target.config.type);
  const called = many ?? target;
  const feeds = feedsOf(mapping, owner, target, called, seen);
  const batch = mapping.batch === null ? null : batchOf(mapping.batch, called, type, seen);
  const definition = definitionOf(mapping, type, { target, called }, feeds, seen);
  return isSound && definition !== null
    ? { name: mapping.name, called: called.bound, definition, feeds, batch }
    : null;
}

const isPaged = ({ bound }: LinkTarget): boolean => 'paging' in bound && bound.paging !== null;

/**
 * The feeds of the called operation's arguments; a list operation has one, for its list argument.
 */
function feedsOf(
  mapping: LinkMapping,
  owner: FieldOwner | null,
  target: LinkTarget,
  called: LinkTarget,
  report: Report,
): readonly FieldFeed[] {
  const entries = Object.entries(mapping.arguments);
  const { batch } = mapping;
  if (batch !== null && entries.length !== 1) {
    report(
      ['arguments'],
      'A link with a list operation has exactly one argument: the key.',
      null,
      null,
      'key',
    );
    return [];
  }
  return entries.flatMap(([argument, field]): FieldFeed[] => {
    const single = {
      config: target.config,
      steps: feedSteps(argument),
      path: ['arguments', argument],
    };
    const source = { owner, steps: feedSteps(field), path: ['arguments', argument] };
    const own = feedOf(single, source, 'single', report);
    if (batch === null) return own === null ? [] : [own];
    const list = {
      config: called.config,
      steps: feedSteps(batch.argument),
      path: ['batch', 'argument'],
    };
    const feed = feedOf(list, source, 'batch', own === null ? () => null : report);
    return own === null || feed === null ? [] : [{ ...feed, required: true, wraps: false }];
  });
}

/**
 * How the answer of a list operation has the objects of `type`, known by one value; null, and an
 * error, where it has not.
 */
export function batchOf(
  batch: NonNullable<LinkMapping['batch']>,
  called: LinkTarget,
  type: GraphQLOutputType,
  report: Report,
): LinkBatch | null {
  const items = batch.items === null ? [] : feedSteps(batch.items);
  const found = fieldAlong(called.config.type, items, ['batch', 'items'], report);
  if (found === null) return null;
  const list = getNullableType(found);
  const item = isListType(list) ? getNullableType(list.ofType) : null;
  if (item === null || isListType(item)) {
    const remedy = 'Name the path to the list in its answer as `items`.';
    return report(
      ['batch', 'operation'],
      `The answer of \`${batch.operation}\` is no list.`,
      remedy,
    );
  }
  if (getNamedType(item) !== getNamedType(type)) {
    const what =
      `The items of \`${batch.operation}\` are ${getNamedType(item).name}, the link is ` +
      `${getNamedType(type).name}.`;
    return report(['batch', 'operation'], what, 'Both operations must answer with the same type.');
  }
  const key = feedSteps(batch.key);
  const keyType = fieldAlong(item, key, ['batch', 'key'], report);
  if (keyType === null) return null;
  const plain = getNullableType(keyType);
  if (isListType(plain) || 'getFields' in plain || 'getTypes' in plain) {
    return report(
      ['batch', 'key'],
      `\`${batch.key}\` is no single value.`,
      'Name the field that holds the key.',
    );
  }
  const isNumeric = NUMBERS.has(getNamedType(plain).name);
  const isGrouped = isListType(type);
  const itemNonNull = isGrouped && isNonNullType(type.ofType);
  return { items, key, isNumeric, isGrouped, itemNonNull, composite: null };
}

const NUMBERS: ReadonlySet<string> = new Set(['Int', 'Float', 'Long', 'BigInt', 'Decimal']);

/** The definition of the link's field. Its arguments are those that no feed fills. */
function definitionOf(
  mapping: LinkMapping,
  type: GraphQLOutputType,
  { target, called }: { readonly target: LinkTarget; readonly called: LinkTarget },
  feeds: readonly FieldFeed[],
  report: Report,
): Link['definition'] | null {
  const field = mapping.name.slice(mapping.name.indexOf('.') + 1);
  const of = (config: GraphQLFieldConfig<unknown, unknown>): Link['definition'] | undefined =>
    new GraphQLObjectType({ name: 'Link', fields: { [field]: config } }).getFields()[field];
  const known: readonly GraphQLArgument[] = of(called.config)?.args ?? [];
  const filled = new Set(feeds.map((feed) => feed.argument[0]));
  const args = { ...called.config.args };
  for (const argument of known) {
    if (!filled.has(argument.name)) continue;
    delete args[argument.name];
    for (const missing of missingFeedParts(argument, feeds)) {
      const what = `Nothing fills \`${missing}\`, which \`${mapping.operation}\` requires.`;
      report(['arguments'], what, 'Add it to `arguments`.', null, 'key');
    }
  }
  // That of the operation names its rule already.
  const description = mapping.description
    ? describedWith(mapping.description, ruleOf(called.config))
    : (called.config.description ?? null);
  const cost = mapping.cost?.or(target.bound.cost ?? null) ?? target.bound.cost ?? null;
  const extensions = { ...costExtensions(cost), ...ruleExtensions(ruleOf(called.config)) };
  return of({ type, args, description, deprecationReason: mapping.deprecated, extensions }) ?? null;
}
