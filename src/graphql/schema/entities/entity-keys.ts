import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import { fieldAlong } from '../feeds/feed-types.js';
import { linkTargetOf, type Targets, type TargetUse } from '../feeds/targets.js';
import type { Link } from '../links/link.js';
import { type LinkTarget, resolveLink } from '../links/link-schema.js';
import { isRoot } from '../types/roots.js';
import { withCompositeBatch } from './composite-batch.js';
import type { EntityKey, EntityType, KeyMapping } from './entity.js';
import { feedScalars } from './feed-scalars.js';
import { pathsOfFieldSet } from './field-set.js';

/** The keys of a schema: those that operations answer, and all that its SDL names. */
export interface ResolvedKeys {
  readonly entities: ReadonlyMap<string, EntityType>;
  readonly declared: ReadonlyMap<string, readonly DeclaredKey[]>;
  readonly errors: readonly EntryError[];
}

/** A key as the SDL has it. */
export interface DeclaredKey {
  readonly fields: string;
  readonly isResolvable: boolean;
}

/** Resolves keys against the schema and the operations that links can call. */
export function resolveKeys(
  schema: GraphQLSchema,
  mappings: readonly KeyMapping[],
  known: Targets<LinkTarget>,
): ResolvedKeys {
  const errors: EntryError[] = [];
  const entities = new Map<string, EntityType & { readonly keys: EntityKey[] }>();
  const declared = new Map<string, DeclaredKey[]>();
  for (const [at, mapping] of mappings.entries()) {
    const report = reportBelow(errors, mapping);
    const type = typeOf(schema, mapping.type, report);
    const paths = type === null ? null : keyPaths(type, mapping.fields, report);
    if (type === null || paths === null) continue;
    const { fields, isResolvable } = mapping;
    getOrMake(declared, type.name, (): DeclaredKey[] => []).push({ fields, isResolvable });
    if (!isResolvable) continue;
    const link = linkOf(mapping, { at, type, paths }, known, report);
    if (link === null) continue;
    const { keys } = getOrMake(entities, type.name, () => {
      return { type, unions: unionsOf(schema, type), keys: [] };
    });
    const required = requiredBeside(link, paths);
    keys.push({ fields, paths, link, required, scalars: feedScalars(link, type.name) });
  }
  return { entities, declared, errors };
}

/** The fields that a link needs besides those of its key. */
function requiredBeside({ feeds }: Link, paths: Paths): EntityKey['required'] {
  const ofKey = new Set(paths.map((path) => path.join('.')));
  return feeds
    .filter(({ field, required }) => required && !ofKey.has(field.join('.')))
    .map(({ field }) => field);
}

const unionsOf = (schema: GraphQLSchema, type: GraphQLObjectType): readonly string[] =>
  Object.values(schema.getTypeMap())
    .filter(isUnionType)
    .filter((union) => union.getTypes().some(({ name }) => name === type.name))
    .map(({ name }) => name);

/** Errors of a key are at its type, or at its entry in the list of the type. */
function reportBelow(errors: EntryError[], { type, index }: KeyMapping): Report {
  const report = reportInto(errors, type);
  const above = index === null ? [] : [String(index)];
  return (path, ...rest) => report([...above, ...path], ...rest);
}

function typeOf(schema: GraphQLSchema, name: string, report: Report): GraphQLObjectType | null {
  const isOfReply = (type: GraphQLNamedType | undefined): type is GraphQLObjectType =>
    isObjectType(type) && !isRoot(schema, type) && !type.name.startsWith('__');
  const type = schema.getType(name);
  if (isOfReply(type)) return type;
  const known = Object.values(schema.getTypeMap())
    .filter(isOfReply)
    .map((each) => each.name);
  return report(
    [],
    `There is no object type \`${name}\`.`,
    'Name a type of a reply, as `soapstone schema` prints it.',
    { name, known },
    'key',
  );
}

type Paths = EntityKey['paths'];

/** The paths of a key's fields, each of which leads to a single value; null, and an error, else. */
function keyPaths(type: GraphQLObjectType, fields: string, report: Report): Paths | null {
  const paths = pathsOfFieldSet(fields);
  if (paths === null || paths.length === 0) {
    return report(
      ['fields'],
      `\`${fields}\` is no selection of fields.`,
      'Write names of fields with blanks between them, `id country`; ' +
        'those of an object in braces, `owner { id }`.',
    );
  }
  for (const path of paths) {
    const found = fieldAlong(type, path, ['fields'], report);
    if (found === null) return null;
    const plain = getNullableType(found);
    if (isLeafType(plain)) continue;
    const written = path.join('.');
    return isListType(plain)
      ? report(['fields'], `\`${written}\` is a list: a key is made of single values.`)
      : report(
          ['fields'],
          `\`${written}\` is an object: a key is made of values.`,
          `Select its fields: \`${written} { id }\`.`,
        );
  }
  return paths;
}

interface Owner {
  /** The index of the key among all: the names of links are unique. */
  readonly at: number;
  readonly type: GraphQLObjectType;
  readonly paths: Paths;
}

const CALLED: TargetUse = { verb: 'called', reader: 'a key' };

/** The link that answers a key; null, and an error, where the operation does not. */
function linkOf(
  { operation, arguments: filled, batch }: KeyMapping,
  { at, type, paths }: Owner,
  known: Targets<LinkTarget>,
  report: Report,
): Link | null {
  if (operation === null) {
    return report(
      [],
      'No operation answers it.',
      'Name it as `operation`, or write `resolvable: false`.',
    );
  }
  const alike = Object.fromEntries(paths.map((path) => [path.join('.'), path.join('.')]));
  const fields = filled ?? alike;
  const used = new Set(Object.values(fields));
  const unused = Object.keys(alike).find((field) => !used.has(field));
  if (unused !== undefined) {
    const what = `\`${unused}\` of the key fills no argument of \`${operation}\`.`;
    return report(['arguments'], what, 'Add it to `arguments`.', null, 'key');
  }
  const isComposite = batch !== null && Object.keys(fields).length > 1;
  const mapping = {
    name: `${type.name}._key${at}`,
    operation,
    arguments: fields,
    batch: isComposite ? null : batch,
    description: null,
    deprecated: null,
  };
  const link = resolveLink(mapping, type, known, CALLED, report);
  if (link === null) return null;
  const answer = getNullableType(link.definition.type);
  if (isListType(answer) || getNamedType(answer) !== type) {
    return report(
      ['operation'],
      `\`${operation}\` answers with ${String(answer)}, the key is of ${type.name}.`,
      'Name the operation that answers with the one object of a key.',
    );
  }
  const open = link.definition.args.find(isRequiredArgument);
  if (open !== undefined) {
    return report(
      ['arguments'],
      `Nothing fills \`${open.name}\`, which \`${operation}\` requires.`,
      'Add it to `arguments`, with the field that fills it.',
      null,
      'key',
    );
  }
  if (isComposite) {
    const many = linkTargetOf(batch.operation, ['batch', 'operation'], CALLED, known, report);
    const key = { type, fields, paths };
    const made = many === null ? null : withCompositeBatch(link, batch, key, many, report);
    return made === null ? null : { ...made, definition: { ...made.definition, args: [] } };
  }
  // Callers of `_entities` have no way to give further arguments.
  return { ...link, definition: { ...link.definition, args: [] } };
}
