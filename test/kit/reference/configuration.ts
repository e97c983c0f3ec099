import { publicSchema, type SchemaNode, typesOf } from '../../../src/config/check/schema-node.js';
import { printAmount, UNIT_WORDS } from '../../../src/config/keys/units.js';

/** Keys that share a heading. */
interface Part {
  readonly path: string;
  /** Of which kind the entries of a map are, where it has entries of two kinds. */
  readonly kind?: string;
  readonly about: string;
  readonly node: SchemaNode;
}

/** Parts whose path has more names have no heading, and no entry in the index. */
const NAMES_MAX = 2;

/**
 * The configuration reference as Markdown: an index, then a table for each part of the file, keys
 * relative to its heading.
 */
export function printReference(): string {
  const root: Part = { path: '', about: '', node: publicSchema() };
  const blocks = print(root);
  return [printIndex(blocks), ...blocks].join('\n\n');
}

/** Links to the headings among these blocks, those of one key of the file in a line. */
function printIndex(blocks: readonly string[]): string {
  const lines = new Map<string, string[]>();
  for (const block of blocks) {
    const [, heading = null, path = ''] = /^### (`([^`]*)`.*)/.exec(block) ?? [];
    if (heading === null) continue;
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const [key = ''] = path.split(/[.[]/);
    lines.set(key, [...(lines.get(key) ?? []), `[${heading}](#${anchor})`]);
  }
  return [...lines.values()].map((links) => `- ${links.join(', ')}`).join('\n');
}

/**
 * Puts generated text between `<!-- name -->` and `<!-- /name -->`. Returns the text unchanged when
 * it has no such section.
 */
export function replaceSection(text: string, name: string, content: string): string {
  const opening = `<!-- ${name} -->`;
  const closing = `<!-- /${name} -->`;
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start === -1 || end === -1) return text;
  return `${text.slice(0, start + opening.length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** The heading and the table of a part, then those of the parts inside it. */
function print(part: Part): string[] {
  const rows: string[] = [];
  const inner: Part[] = [];
  for (const [key, node] of Object.entries(part.node.properties ?? {})) {
    const path = part.path === '' ? key : `${part.path}.${key}`;
    const child = partOf(path, node);
    // A text stands for one entry of a list, or for keys.
    if (child === null || typesOf(node).includes('string'))
      rows.push(row(key, node, part.node.required?.includes(key) ?? false));
    if (child !== null)
      inner.push(
        part.kind === undefined ? child : { ...child, kind: part.kind },
        ...otherKind(child.path, node),
      );
  }
  const table = [
    '| key | type | default | bounds | what |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
  return [...(rows.length === 0 ? [] : [...headingOf(part), table]), ...inner.flatMap(print)];
}

/** Nothing above the keys of the file itself. */
function headingOf({ path, kind, about }: Part): readonly string[] {
  if (path === '') return [];
  const name = kind === undefined ? `\`${path}\`` : `\`${path}\` (${kind})`;
  const names = path.split('.').filter((segment) => !segment.startsWith('<'));
  return names.length > NAMES_MAX ? [`**${name}** ${about}`] : [`### ${name}`, about];
}

/**
 * A key that holds further keys: itself, in each entry of its map, or in each item of its list.
 * Else null.
 */
function partOf(path: string, node: SchemaNode): Part | null {
  const about = node.description ?? '';
  if (node.like !== undefined) return null;
  if (node.properties !== undefined) return { path, about, node };
  if (node.items?.properties !== undefined) return { path: `${path}[]`, about, node: node.items };
  const entry = Object.values(node.patternProperties ?? {})[0];
  if (entry === undefined) return null;
  const name = singular(path.slice(path.lastIndexOf('.') + 1));
  const own = entry.else ?? entry;
  if (own.properties === undefined && own.patternProperties === undefined) return null;
  return {
    path: `${path}.<${name}>`,
    about: `${about} ${own.description ?? ''}`.trim(),
    node: own,
  };
}

const singular = (noun: string): string => noun.replace(/(?<=ss)es$|s$/, '');

/** The keys of an entry of a map that is of another kind. */
function otherKind(path: string, { patternProperties = {} }: SchemaNode): readonly Part[] {
  const node = Object.values(patternProperties)[0]?.then;
  return node === undefined
    ? []
    : [{ path, kind: 'kind: graphql', about: node.description ?? '', node }];
}

function row(key: string, node: SchemaNode, required: boolean): string {
  const cells = [
    `\`${key}\``,
    typeCell(node),
    defaultCell(node, required),
    boundsCell(node),
    node.description ?? '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'true, false',
  array: 'list',
  object: 'keys',
};

function typeCell(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.items?.enum !== undefined) return `list of ${typeCell(node.items)}`;
  const unit = node.unit === undefined ? '' : UNIT_WORDS[node.unit];
  if (unit !== '') return unit;
  return typesOf(node)
    .map((type) => TYPE_WORDS[type] ?? type)
    .join(' or ');
}

function defaultCell(node: SchemaNode, required: boolean): string {
  if (required) return 'required';
  if (node.like !== undefined && typeof node.default !== 'string') return '';
  if (node.derived !== undefined) return `\`${node.derived}\``;
  const value = node.default;
  if (value === undefined) return '';
  if (typeof value === 'number') return printAmount(value, node.unit ?? 'count');
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function boundsCell(node: SchemaNode): string {
  if (node.minimum === undefined || node.maximum === undefined) return '';
  const unit = node.unit ?? 'count';
  return `${printAmount(node.minimum, unit)} to ${printAmount(node.maximum, unit)}`;
}
