import { printJsonSchema } from './json-schema.js';

/** A node of the published JSON Schema, as far as types are made of it. */
interface SchemaNode {
  readonly $ref?: string;
  readonly anyOf?: readonly SchemaNode[];
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
}

/** The widest line that is written. */
const WIDTH = 100;

const BEGIN = `/**
 * The keys of a configuration as types, made from its JSON Schema by "npm run generate". Editors
 * complete and check keys by them; values are checked when the configuration is read.
 */

/** A text, where an editor proposes some: numbers with units, and values of the environment. */
type Text = string & {};

/** The content of a file, without its last line break. */
interface FromFile {
  readonly file: string;
}
`;

/** Writes the keys of the configuration, and of a service alone, as types of TypeScript. */
export function printConfigurationTypes(): string {
  const types = new TypeWriter();
  const root: SchemaNode = JSON.parse(printJsonSchema());
  types.named(root, ['Configuration'], '');
  return `${BEGIN}\n${types.text()}`;
}

/** Names objects, and writes each once. */
class TypeWriter {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set(['Text', 'FromFile']);
  readonly #written: string[] = [];

  text(): string {
    return this.#written.join('\n');
  }

  /** The name of the interface of an object with keys, which is written unless it is known. */
  named(node: SchemaNode, path: readonly string[], about: string): string {
    const content = JSON.stringify({ ...node, description: undefined, default: undefined });
    const known = this.#names.get(content);
    if (known !== undefined) return known;
    const name = this.#nameFor(path);
    this.#names.set(content, name);
    const at = this.#written.length;
    this.#written.push('');
    const isExported = PUBLIC.has(name);
    const lines = [
      ...(about === '' ? [] : commentOf(about, '')),
      `${isExported ? 'export ' : ''}interface ${name} {`,
      ...Object.entries(node.properties ?? {}).flatMap(([key, value]) =>
        this.#member(key, value, node.required?.includes(key) === true, path),
      ),
      '}',
    ];
    this.#written[at] = `${lines.join('\n')}\n`;
    return name;
  }

  #member(
    key: string,
    node: SchemaNode,
    isRequired: boolean,
    path: readonly string[],
  ): readonly string[] {
    const { description } = node;
    const shown = /^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`;
    const type = this.#typeOf(node, [...path, key]);
    const alternatives = isRequired ? type : [...type, 'undefined'];
    return [
      ...(description === undefined ? [] : commentOf(description, '  ')),
      ...written(`  readonly ${shown}${isRequired ? '' : '?'}: `, alternatives),
    ];
  }

  /** The alternatives of a node. */
  #typeOf(node: SchemaNode, path: readonly string[]): readonly string[] {
    const { then, else: otherwise } = node;
    if (then !== undefined && otherwise !== undefined) {
      return [
        this.named(otherwise, ['service'], otherwise.description ?? ''),
        this.named(then, ['graphql', 'service'], then.description ?? ''),
      ];
    }
    if (node.$ref !== undefined) return node.$ref.endsWith('/file') ? ['FromFile'] : ['Text'];
    const found = new Set<string>();
    const all =
      node.anyOf?.flatMap((each) => this.#typeOf(each, path)) ??
      typesOf(node).flatMap((type) => this.#ofType(type, node, path));
    for (const each of all) {
      found.add(each);
    }
    if (found.has('string')) {
      found.delete('Text');
    }
    return [...found];
  }

  #ofType(type: string, node: SchemaNode, path: readonly string[]): readonly string[] {
    switch (type) {
      case 'object':
        return [this.#objectOf(node, path)];
      case 'array':
        return [arrayOf(node.items === undefined ? ['unknown'] : this.#typeOf(node.items, path))];
      case 'integer':
        return ['number'];
      case 'string':
        return node.enum?.filter(isText).map((each) => `'${each}'`) ?? ['string'];
      default:
        return [type];
    }
  }

  #objectOf(node: SchemaNode, path: readonly string[]): string {
    const { properties, patternProperties } = node;
    if (properties !== undefined) return this.named(node, path, '');
    const values = Object.values(patternProperties ?? {}).flatMap((each) =>
      this.#typeOf(each, path),
    );
    const value = values.length === 0 ? 'unknown' : [...new Set(values)].join(' | ');
    return `Readonly<Record<string, ${value}>>`;
  }

  /** The last word of the path, with those before it where that is taken. */
  #nameFor(path: readonly string[]): string {
    for (let from = path.length - 1; from >= 0; from--) {
      const name = `${path.slice(from).map(pascal).join('')}Keys`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
    throw new Error(`no name for ${path.join('.')}`);
  }
}

/** Interfaces that other files use. */
const PUBLIC: ReadonlySet<string> = new Set([
  'ConfigurationKeys',
  'ConfigurationLimitsKeys',
  'MakeKeys',
  'ServiceKeys',
  'VerifyKeys',
]);

const pascal = (key: string): string =>
  key.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());

const typesOf = ({ type, properties, patternProperties }: SchemaNode): readonly string[] => {
  if (typeof type === 'string') return [type];
  if (type !== undefined) return type;
  return properties === undefined && patternProperties === undefined ? ['unknown'] : ['object'];
};

const isText = (value: unknown): value is string => typeof value === 'string';

const arrayOf = (alternatives: readonly string[]): string =>
  alternatives.length === 1 && !String(alternatives[0]).includes(' ')
    ? `readonly ${alternatives[0]}[]`
    : `readonly (${alternatives.join(' | ')})[]`;

/** A member on one line, or its alternatives on lines of their own. */
function written(start: string, alternatives: readonly string[]): readonly string[] {
  const line = `${start}${alternatives.join(' | ')};`;
  if (line.length <= WIDTH) return [line];
  const lines = [start.trimEnd(), ...alternatives.flatMap((each) => alternative(each))];
  return lines.map((each, at) => (at === lines.length - 1 ? `${each};` : each));
}

/** An alternative on a line; of a list that is too wide, one for each of its items. */
function alternative(text: string): readonly string[] {
  const line = `    | ${text}`;
  const items = /^readonly \((.*)\)\[\]$/.exec(text)?.[1];
  if (line.length <= WIDTH || items === undefined) return [line];
  return [
    '    | readonly (',
    ...items.split(' | ').map((each) => `        | ${each}`),
    '      )[]',
  ];
}

/** The first sentence of a description as a comment. */
function commentOf(description: string, indent: string): readonly string[] {
  const [sentence = ''] = /^.*?[.:](?=\s|$)/s.exec(description) ?? [description];
  const words = sentence.replace(/:$/, '.').replaceAll('*/', '* /').split(/\s+/);
  const whole = `${indent}/** ${words.join(' ')} */`;
  if (whole.length <= WIDTH) return [whole];
  const lines: string[] = [];
  let line = `${indent} *`;
  for (const word of words) {
    if (line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = `${indent} *`;
    }
    line += ` ${word}`;
  }
  return [`${indent}/**`, ...lines, line, `${indent} */`];
}
