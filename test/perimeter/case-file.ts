import { readdirSync, readFileSync } from 'node:fs';

import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';

/**
 * A rule of the perimeter as one file: configuration, messages, what the backend gets, answers.
 * `README.md` beside the files describes the format.
 */
export interface CaseFile {
  readonly path: string;
  readonly title: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly name: string;
  /** Of the file and line, for messages about it. */
  readonly at: string;
  readonly dialects: readonly DialectName[];
  /** Lines at the top of the configuration, and of each service. */
  readonly configuration: string;
  readonly service: string;
  readonly path: string | null;
  /** Header fields of the request, in place of the usual ones. */
  readonly fields: Readonly<Record<string, string>>;
  /** A template for `fill`. */
  readonly message: string;
  /** What the backend gets; the message unless said. */
  readonly forwarded: string;
  readonly answer: string;
}

/** What a file may name in braces, besides what depends on the dialect. */
const NAMED: Readonly<Record<string, string>> = {
  ping: '<m:Ping xmlns:m="urn:m"><a>1</a></m:Ping>',
  wsa: 'http://www.w3.org/2005/08/addressing',
  wsa2004: 'http://schemas.xmlsoap.org/ws/2004/08/addressing',
  wsse: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd',
  wsu: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  dsig: 'http://www.w3.org/2000/09/xmldsig#',
};

const OPEN = '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">';

/** The files of a folder whose names begin so. */
export function readCaseFiles(prefix: string): readonly CaseFile[] {
  return readdirSync('test/perimeter')
    .filter((name) => name.startsWith(prefix) && name.endsWith('.case'))
    .sort()
    .map((name) =>
      parseCaseFile(`test/perimeter/${name}`, readFileSync(`test/perimeter/${name}`, 'utf8')),
    );
}

/** One line that is not indented, and the indented lines below it as `key rest`. */
interface Block {
  readonly head: string;
  readonly at: string;
  readonly lines: { key: string; rest: string; at: string }[];
}

export function parseCaseFile(path: string, text: string): CaseFile {
  const blocks = readBlocks(path, text);
  const [title] = blocks.splice(0, 1);
  if (title === undefined || title.lines.length > 0)
    throw new Error(`${path}: the first line is the title`);
  let [configuration, service] = ['', ''];
  const cases: Case[] = [];
  for (const block of blocks) {
    const yaml = block.lines.map(({ key, rest }) => `${key} ${rest}\n`).join('');
    if (block.head === 'configuration') [configuration, service] = [yaml, ''];
    else if (block.head === 'service') service = yaml.replaceAll(/^(?=.)/gm, '    ');
    else cases.push({ ...readCase(block), configuration, service });
  }
  const named = new Set<string>();
  for (const { name, dialects, at } of cases) {
    for (const dialect of dialects) {
      if (named.has(`${name} ${dialect}`))
        throw new Error(`${at}: there is another case "${name}" in ${dialect}`);
      named.add(`${name} ${dialect}`);
    }
  }
  return { path, title: title.head, cases };
}

function readBlocks(path: string, text: string): Block[] {
  const blocks: Block[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const at = `${path}:${index + 1}`;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const block = blocks.at(-1);
    const [, indent = '', key = '', rest = ''] = /^( *)(\S+) ?(.*)$/.exec(line) ?? [];
    if (indent === '') blocks.push({ head: line, at, lines: [] });
    else if (block === undefined) throw new Error(`${at}: the first line is the title`);
    else if (indent.length === 2) block.lines.push({ key, rest, at });
    else {
      const last = block.lines.at(-1);
      if (indent.length !== 4 || last === undefined)
        throw new Error(`${at}: indent by two, and by four what continues`);
      last.rest += line.trim();
    }
  }
  return blocks;
}

function readCase({ head: name, at, lines }: Block): Omit<Case, 'configuration' | 'service'> {
  const parts = new Map<string, string>();
  const fields: Record<string, string> = {};
  for (const { key, rest, at } of lines) {
    if (key === 'field') {
      const [, field = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(rest) ?? [];
      if (field === '') throw new Error(`${at}: a field is "name: value"`);
      fields[field] = expand(value, at);
    } else if (!KEYS.has(key))
      throw new Error(`${at}: "${key}" is none of field, ${[...KEYS].join(', ')}`);
    else if (parts.has(key)) throw new Error(`${at}: ${key} twice`);
    else parts.set(key, expand(rest, at));
  }
  const answer = parts.get('answer');
  if (answer === undefined) throw new Error(`${at}: "${name}" has no answer`);
  const message = messageOf(parts, '', at);
  const isOtherwise = [...parts.keys()].some((key) => key.startsWith('backend-'));
  const dialects = parts.get('dialects')?.split(', ') ?? DIALECT_NAMES;
  return {
    name,
    at,
    dialects: dialects.map((text) => {
      const found = DIALECT_NAMES.find((each) => each === text);
      if (found === undefined)
        throw new Error(`${at}: ${text} is none of ${DIALECT_NAMES.join(', ')}`);
      return found;
    }),
    path: parts.get('path') ?? null,
    fields,
    message,
    forwarded: isOtherwise ? messageOf(parts, 'backend-', at) : message,
    answer,
  };
}

const PARTS = ['message', 'envelope', 'header', 'body'] as const;
const KEYS: ReadonlySet<string> = new Set([
  'dialects',
  'path',
  'answer',
  ...PARTS.flatMap((part) => [part, `backend-${part}`]),
]);

/** A message from its parts: all of it, what the envelope holds, or what Header and Body hold. */
function messageOf(parts: ReadonlyMap<string, string>, prefix: string, at: string): string {
  const [message, envelope, header, body] = PARTS.map((part) => parts.get(prefix + part));
  const given = [message, envelope, header ?? body].filter((part) => part !== undefined);
  if (given.length > 1) throw new Error(`${at}: message, envelope, or header and body`);
  if (message !== undefined) return message;
  const inner =
    envelope ??
    `${header === undefined ? '' : `<E:Header>${header}</E:Header>`}<E:Body>` +
      `${body ?? NAMED['ping']}</E:Body>`;
  return `${OPEN}${inner}</E:Envelope>`;
}

/**
 * Names in braces; `{text*count}`, which is the text so many times; and the escapes of JSON: `\\r`,
 * `\\n`, `\\u00e9`.
 */
function expand(text: string, at: string): string {
  return text
    .replaceAll(/\\(?:r|n|u[0-9a-f]{4})/g, (escaped) => JSON.parse(`"${escaped}"`))
    .replaceAll(/\{(\w+)\}/g, (whole, name) => {
      if (!(name in NAMED) && !OF_DIALECT.has(name)) throw new Error(`${at}: ${whole} is unknown`);
      return NAMED[name] ?? whole;
    })
    .replaceAll(/\{([^{}]+)\*(\d+)\}/g, (_, repeated: string, count) =>
      repeated.repeat(Number(count)),
    );
}

const OF_DIALECT: ReadonlySet<string> = new Set([
  'env',
  'enc',
  'next',
  'target',
  'sender',
  'other',
]);

/** A template in one dialect: `E` is the prefix of the envelope. */
export function fill(template: string, name: DialectName): string {
  const dialect = DIALECTS[name];
  return template
    .replaceAll('{env}', dialect.envelopeUri)
    .replaceAll('{other}', DIALECTS[name === '1.1' ? '1.2' : '1.1'].envelopeUri)
    .replaceAll('{enc}', dialect.encodingUri)
    .replaceAll('{next}', dialect.nextTargets[0] ?? '')
    .replaceAll('{target}', dialect.targetAttribute)
    .replaceAll(
      '{sender}',
      dialect.faultCodesAreQNames ? `E:${dialect.senderCode}` : dialect.senderCode,
    );
}
