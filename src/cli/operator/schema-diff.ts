import { readFile } from 'node:fs/promises';
import {
  BreakingChangeType,
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  printSchema,
} from 'graphql';
import { diagnosis, getOrMake, spelling } from '../../core/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { table } from '../table.js';

/**
 * Prints what a client of the schema `before` meets at `after`, both as `soapstone schema` prints
 * them. Exits with 1 when something breaks. Throws `ConfigurationError`.
 */
export async function diffSchemas(
  before: string,
  after: string,
  terminal: Terminal,
): Promise<ExitCode> {
  const [from, to] = [await readSchema(before), await readSchema(after)];
  const breaking = findBreakingChanges(from, to).map(({ type, description }) => {
    const renamed = RENAMES.has(type) ? renamedTo(description, from, to) : null;
    return ['breaking', `${description}${renamed === null ? '' : ` Now perhaps ${renamed}.`}`];
  });
  const dangerous = findDangerousChanges(from, to).map(({ description }) => [
    'dangerous',
    description,
  ]);
  const added = [...namesIn(to)]
    .filter((name) => !namesIn(from).has(name))
    .map((name) => ['safe', `${name} was added.`]);
  const rows = [...breaking, ...dangerous, ...added];
  if (rows.length > 0) {
    terminal.out(table(rows));
  }
  const isSame = rows.length === 0 && printSchema(from) === printSchema(to);
  if (rows.length === 0 && !isSame) {
    terminal.out(
      'No client breaks: descriptions, deprecations, or types that take more or ' +
        'answer less have changed.',
    );
  }
  terminal.out(
    isSame
      ? 'No changes.'
      : `${breaking.length} breaking, ${dangerous.length} dangerous, ${added.length} safe.`,
  );
  return breaking.length > 0 ? 1 : 0;
}

async function readSchema(file: string): Promise<GraphQLSchema> {
  try {
    return buildSchema(await readFile(file, 'utf8'), { assumeValidSDL: true });
  } catch (caught) {
    const what =
      'It is no schema that could be read: ' +
      `${caught instanceof Error ? caught.message : String(caught)}`;
    throw diagnosis.unplacedError(what, 'Write it with: soapstone schema > FILE.', file);
  }
}

const RENAMES: ReadonlySet<string> = new Set([
  BreakingChangeType.TYPE_REMOVED,
  BreakingChangeType.FIELD_REMOVED,
]);

/**
 * The new name that is nearest to the one that a description of graphql-js says was removed; null
 * for none.
 */
function renamedTo(description: string, from: GraphQLSchema, to: GraphQLSchema): string | null {
  const [removed = ''] = description.split(' ');
  const [owner = '', field] = removed.split('.');
  const known = namesIn(from);
  const added = [...namesIn(to)].filter((name) => !known.has(name));
  const those =
    field === undefined
      ? added.filter((name) => !name.includes('.'))
      : added.filter((name) => name.startsWith(`${owner}.`));
  return spelling.nearest(removed, those);
}

const NAMES = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** The names of types, and of fields as `Type.field`. */
const namesIn = (schema: GraphQLSchema): ReadonlySet<string> =>
  getOrMake(NAMES, schema, () => new Set(Object.values(schema.getTypeMap()).flatMap(namesOf)));

function namesOf(type: GraphQLNamedType): readonly string[] {
  if (type.name.startsWith('__')) return [];
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  const fields = hasFields
    ? Object.keys(type.getFields())
    : isEnumType(type)
      ? type.getValues().map(({ name }) => name)
      : [];
  return [type.name, ...fields.map((field) => `${type.name}.${field}`)];
}
