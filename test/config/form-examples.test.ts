import t from 'tap';
import { parse } from 'yaml';
import { FORM_EXAMPLES } from '../../src/config/check/form-examples.js';
import { configSchema, type SchemaNode, typesOf } from '../../src/config/check/schema-node.js';
import { shapeExample } from '../../src/config/check/shape-example.js';
import type { ConfigPath } from '../../src/config/keys/config-path.js';
import { isRecord } from '../../src/core/index.js';

/** The right form of a value, which the check shows where a key has another one. */

interface Key {
  readonly path: ConfigPath;
  readonly node: SchemaNode;
}

/** All keys of the table, entries of maps under the name `orders`. */
function* keysOf(node: SchemaNode, path: ConfigPath): Generator<Key> {
  if (path.length > 0) yield { path, node };
  for (const part of [node, node.then, node.else]) {
    for (const [name, child] of Object.entries(part?.properties ?? {}))
      yield* keysOf(child, [...path, name]);
    for (const child of Object.values(part?.patternProperties ?? {}))
      yield* keysOf(child, [...path, 'orders']);
  }
}

const KEYS = [...keysOf(configSchema(), [])];

/** An entry of a map has its form by its kind. */
const isNamed = ({ path }: Key): boolean =>
  path.at(-1) !== 'orders' && typeof path.at(-1) === 'string';

t.test('every key of a map or a list has an example of its form', (t) => {
  const without = KEYS.filter(isNamed).filter(({ path, node }) => {
    const types = typesOf(node);
    const isNested = types.includes('object') || types.includes('array');
    return isNested && node.hint === undefined && shapeExample(path, node) === null;
  });
  t.same(
    without.map(({ path }) => path.join('.')),
    [],
  );
  t.end();
});

/** The keys of an example that the schema does not have, and values of another type. */
function wrongIn(value: unknown, node: SchemaNode, path: string): readonly string[] {
  const types = [node, node.then, node.else].flatMap((part) =>
    part === undefined ? [] : typesOf(part),
  );
  if (Array.isArray(value)) {
    if (!types.includes('array')) return [`${path}: no list`];
    const { items } = node;
    return items === undefined ? [] : value.flatMap((item) => wrongIn(item, items, path));
  }
  if (!isRecord(value)) return [];
  // A text may come from the environment or a file.
  if ('file' in value && types.includes('string')) return [];
  if (!types.includes('object')) return [`${path}: no map`];
  return Object.entries(value).flatMap(([name, member]) => {
    const parts = [node, node.then, node.else];
    const named = parts.map((part) => part?.properties?.[name]);
    const listed = parts.flatMap((part) =>
      Object.entries(part?.patternProperties ?? {}).flatMap(([pattern, child]) =>
        new RegExp(pattern, 'u').test(name) ? [child] : [],
      ),
    );
    const child = named.find((each) => each !== undefined) ?? listed[0];
    return child === undefined ? [`${path}.${name}`] : wrongIn(member, child, `${path}.${name}`);
  });
}

t.test('every example has keys that are known where it is shown', (t) => {
  const shown = new Set<string>();
  const wrong = KEYS.filter(isNamed).flatMap(({ path, node }) => {
    const example = shapeExample(path, node);
    const key = String(path.at(-1));
    if (example === null) return [];
    shown.add(key);
    return wrongIn(parse(example)[key], node, path.join('.'));
  });
  t.same(wrong, []);
  const unused = Object.keys(FORM_EXAMPLES).filter(
    (name) => !shown.has(name.split('.').at(-1) ?? ''),
  );
  t.same(unused, ['orders'], 'an entry of `services`');
  t.end();
});
