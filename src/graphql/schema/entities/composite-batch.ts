import {
  type GraphQLInputFieldMap,
  type GraphQLInputType,
  GraphQLObjectType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { Report } from '../feeds/entry-error.js';
import type { FieldFeed } from '../feeds/feed.js';
import { feedOf, feedSteps, missingFeedParts } from '../feeds/feed-types.js';
import { isSubschemaField } from '../fields/subschema.js';
import type { Link, LinkBatch, LinkMapping } from '../links/link.js';
import { batchOf, type LinkTarget } from '../links/link-schema.js';

/** A batch as configured: `key` may name several fields of the items. */
type BatchMapping = NonNullable<LinkMapping['batch']>;

/** The parts of a key that a composite batch is made of. */
interface CompositeKey {
  readonly type: GraphQLObjectType;
  /** Maps members of the objects in the list argument to fields of a representation. */
  readonly fields: Readonly<Record<string, string>>;
  /** The paths of the fields of the key. */
  readonly paths: readonly (readonly string[])[];
}

/**
 * Makes a link of one object a link by a list operation whose argument takes objects: keys of
 * several fields, or with what `@requires` names. Null, and errors, where it does not fit.
 */
export function withCompositeBatch(
  link: Link,
  batch: BatchMapping,
  { type, fields, paths }: CompositeKey,
  called: LinkTarget,
  report: Report,
): Link | null {
  const { bound } = called;
  if (isSubschemaField(bound) || (bound.paging ?? null) !== null) {
    const what = `\`${batch.operation}\` does not answer keys of several fields.`;
    return report(['batch', 'operation'], what, 'Leave `batch` out: each object is a call then.');
  }
  const argument = feedSteps(batch.argument);
  const members = membersOf(called, argument, report);
  if (members === null) return null;
  const feeds = Object.entries(fields).flatMap(([member, field]): readonly FieldFeed[] => {
    const place = { config: { ...called.config, args: members }, steps: [member] };
    const source = { owner: type, steps: feedSteps(field), path: ['arguments', member] };
    const feed = feedOf({ ...place, path: ['batch', 'argument'] }, source, 'single', report);
    return feed === null ? [] : [{ ...feed, argument: [...argument, member] }];
  });
  if (feeds.length < Object.keys(fields).length) return null;
  const [open] = openParts(called, argument, feeds, members);
  if (open !== undefined) {
    const what = `Nothing fills \`${open}\`, which \`${batch.operation}\` requires.`;
    return report(['batch', 'argument'], what, 'Name an operation that needs the key alone.');
  }
  const parts = partsOf(batch, { type, fields, paths }, { called, feeds }, report);
  const [first] = parts ?? [];
  if (parts === null || first === undefined) return null;
  const composite = {
    argument,
    members: Object.keys(fields),
    parts: parts.map(({ batch: { key, isNumeric }, feed }) => ({ path: key, isNumeric, feed })),
  };
  return {
    ...link,
    called: bound,
    feeds,
    batch: { ...first.batch, composite },
    definition: { ...link.definition, extensions: { ...called.config.extensions } },
  };
}

/** A field of a key: the batch that is known by it alone, and the feed that has it. */
interface Part {
  readonly batch: LinkBatch;
  readonly feed: number;
}

/** The fields of the items that hold those of the key, in its order; null, and an error, else. */
function partsOf(
  batch: BatchMapping,
  { type, paths }: CompositeKey,
  { called, feeds }: { readonly called: LinkTarget; readonly feeds: readonly FieldFeed[] },
  report: Report,
): readonly Part[] | null {
  const names = batch.key.split(' ');
  if (names.length !== paths.length) {
    const what = `\`${batch.key}\` has ${names.length} fields, the key has ${paths.length}.`;
    return report(['batch', 'key'], what, 'Name the field of the items for each, in that order.');
  }
  const parts: Part[] = [];
  for (const [at, key] of names.entries()) {
    const field = paths[at]?.join('.') ?? '';
    const feed = feeds.findIndex((each) => each.field.join('.') === field);
    if (feed < 0) {
      const what = `\`${field}\` of the key fills no argument.`;
      return report(['arguments'], what, 'Add it to `arguments`.', null, 'key');
    }
    const found = batchOf({ ...batch, key }, called, type, report);
    if (found === null) return null;
    parts.push({ batch: found, feed });
  }
  return parts;
}

/** The required arguments of the list operation, and parts of them, that nothing fills. */
function openParts(
  { config }: LinkTarget,
  argument: readonly string[],
  feeds: readonly FieldFeed[],
  members: GraphQLInputFieldMap,
): readonly string[] {
  const known = new GraphQLObjectType({ name: 'Batch', fields: { called: config } }).getFields();
  const open = (known['called']?.args ?? []).flatMap((each) => {
    if (each.name === argument[0]) return missingFeedParts(each, feeds);
    return isRequiredArgument(each) ? [each.name] : [];
  });
  const filled = new Set(feeds.map((feed) => feed.argument.at(-1)));
  const inside = Object.values(members).filter(
    (member) => isRequiredInputField(member) && !filled.has(member.name),
  );
  return [...open, ...inside.map(({ name }) => name)];
}

/** The members of the objects that a list argument takes; null, and an error, for any other. */
function membersOf(
  { config }: LinkTarget,
  argument: readonly string[],
  report: Report,
): GraphQLInputFieldMap | null {
  const [name = '', ...others] = argument;
  const { args = {} } = config;
  let type: GraphQLInputType | undefined = Object.hasOwn(args, name) ? args[name]?.type : undefined;
  for (const step of others) {
    const owner = type === undefined ? undefined : getNullableType(type);
    const fields = isInputObjectType(owner) ? owner.getFields() : {};
    type = Object.hasOwn(fields, step) ? fields[step]?.type : undefined;
  }
  const list = type === undefined ? undefined : getNullableType(type);
  const item = isListType(list) ? getNullableType(list.ofType) : undefined;
  if (isInputObjectType(item)) return item.getFields();
  return report(
    ['batch', 'argument'],
    `\`${argument.join('.')}\` takes no list of objects, and the key has several fields.`,
    'Leave `batch` out: each object is a call then.',
  );
}
