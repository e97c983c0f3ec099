import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { runProgram } from '../../src/cli/program.js';
import { compile } from '../../src/compile.js';
import { configSchema, type SchemaNode } from '../../src/config/check/schema-node.js';
import { loadConfig } from '../../src/config/load.js';
import { REFUSALS } from '../../src/config/refusal-tables.js';
import { isRecord } from '../../src/core/json/json.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';
import { Authority } from '../kit/certificates.js';
import { diagnosticsOf } from '../kit/configuration.js';
import { readSources } from '../kit/source.js';
import { wsdlWith } from '../wsdl/written.js';

/** The pages for operators: each configuration in them is accepted, and what they name is there. */

const GUIDES = readdirSync('deploy').flatMap((name) =>
  name.endsWith('.md') ? [`deploy/${name}`] : [],
);
const MANUAL = readdirSync('config/manual').map((name) => `config/manual/${name}`);
/** The first one has no whole configurations: `cli/tour.test.ts` follows it. */
const PAGES = ['README.md', 'config/manual.md', ...MANUAL, ...GUIDES];
/** Pages for those that change the gateway, and what changed. */
const SOURCE_PAGES = ['src/README.md', 'test/README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const LINES_MAX = 300;
const PAGE_BYTES_MAX = 25_000;
const SENTENCE_WORDS_MAX = 30;

const BACKEND = 'http://127.0.0.1:9/ws';
const JWT = {
  issuer: 'https://login.example',
  audience: 'a',
  jwksUrl: 'https://login.example/keys',
  class: 'partner',
};
/** The WSDL of a snippet has these operations besides those that it names. */
const OPERATIONS = ['GetOrder', 'ListOrders', 'PlaceOrder', 'Login', 'Ping'];

/**
 * The YAML blocks of a page, with their first lines. Those of other programs begin with the name of
 * their file.
 */
function snippetsOf(page: string): readonly (readonly [line: number, text: string])[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].flatMap(
    ({ index, 1: indent = '', 2: body = '' }) => {
      const dedented = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      return /^# \S+\.ya?ml\n/.test(dedented) || dedented.includes('type.googleapis.com/envoy.')
        ? []
        : [[text.slice(0, index).split('\n').length + 1, dedented] as const];
    },
  );
}

const serviceKeys = (): Readonly<Record<string, SchemaNode>> =>
  Object.values(configSchema().properties?.['services']?.patternProperties ?? {})[0]?.else
    ?.properties ?? {};

/**
 * A snippet as a whole configuration: keys of a service are put into one, and what it leaves out is
 * filled in.
 */
function complete(text: string): Record<string, unknown> {
  const margin = /^ */.exec(text)?.[0] ?? '';
  const value: unknown = parse(text.replaceAll(new RegExp(`^${margin}`, 'gm'), ''), {
    uniqueKeys: false,
  });
  if (!isRecord(value)) throw new Error('a snippet is a map');
  const keys = Object.keys(value);
  const isOfService =
    keys.every((key) => Object.hasOwn(serviceKeys(), key)) && !('limits' in value);
  const whole: Record<string, unknown> = isOfService ? { services: { orders: value } } : value;
  const services = isRecord(whole['services']) ? whole['services'] : { orders: {} };
  whole['services'] = services;
  for (const service of Object.values(services)) {
    if (!isRecord(service)) continue;
    if (service['url'] === undefined && service['urls'] === undefined) service['url'] = BACKEND;
    if ('operations' in service && !('types' in service)) service['wsdl'] ??= 'orders.wsdl';
  }
  if (whole['clients'] === undefined && text.includes('claim: ')) whole['clients'] = { jwt: JWT };
  const { clients } = whole;
  if (isRecord(clients)) {
    if (Object.keys(clients).some((key) => key !== 'trustedProxies'))
      clients['classes'] ??= { internal: {}, partner: {}, public: {} };
    if (Object.keys(clients).every((key) => ['classes', 'authorize'].includes(key)))
      clients['jwt'] = JWT;
    if ('certificate' in clients) clients['trustedProxies'] ??= ['127.0.0.1'];
  }
  return whole;
}

/** A document/literal WSDL with these operations. */
function wsdlOf(operations: readonly string[]): string {
  const each = (print: (name: string) => string): string => operations.map(print).join('');
  const holding = (name: string, child: string): string =>
    `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="${child}" ` +
    'type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>';
  return wsdlWith({
    types:
      '<xs:schema targetNamespace="urn:t">' +
      `${each((name) => holding(name, 'id') + holding(`${name}Response`, 'status'))}</xs:schema>`,
    messages: each(
      (name) =>
        `<message name="${name}In"><part name="p" element="t:${name}"/></message>` +
        `<message name="${name}Out"><part name="p" element="t:${name}Response"/></message>`,
    ),
    portType:
      `<portType name="P">${each(
        (name) => `<operation name="${name}">\
<input message="t:${name}In"/><output message="t:${name}Out"/></operation>`,
      )}` + '</portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding ' +
      'transport="http://schemas.xmlsoap.org/soap/http"/>' +
      `${each(
        (name) => `<operation name="${name}"><input><soap:body use="literal"/></input>\
<output><soap:body use="literal"/></output></operation>`,
      )}` +
      '</binding>',
  });
}

const secretOf = async (name: string): Promise<string> =>
  name.endsWith('HASH') ? hashPassword('secret') : `secret-of-a-test-${name}`;

/** Writes the files that a configuration names, and returns its environment. */
async function furnish(folder: string, text: string): Promise<Record<string, string>> {
  const { cert, key } = /\.(?:pem|crt|crl|key)\b/.test(text)
    ? new Authority(folder).sign('localhost')
    : { cert: '', key: '' };
  for (const [, name = ''] of text.matchAll(
    /file: "?(?:\$\{CREDENTIALS_DIRECTORY\}\/)?([\w./-]+)/g,
  ))
    if (!existsSync(join(folder, name)))
      writeFileSync(
        join(folder, name),
        /\.key$/.test(name) ? key : /\.(?:pem|crt|crl)$/.test(name) ? cert : 'secret-of-a-test',
      );
  const named = [...text.matchAll(/^ +([A-Z_]\w+): (?:\{|false|true)/gm)].map(
    ([, name = '']) => name,
  );
  for (const [, name = ''] of text.matchAll(/wsdl: (\S+\.wsdl)/g))
    writeFileSync(join(folder, name), wsdlOf([...new Set([...OPERATIONS, ...named])]));
  const environment = new Map<string, string>();
  for (const [, name = ''] of text.matchAll(/\$\{(\w+)\}/g))
    environment.set(name, name === 'CREDENTIALS_DIRECTORY' ? folder : await secretOf(name));
  return Object.fromEntries(environment);
}

async function errorsOf(t: Test, text: string, isCompiled: boolean): Promise<readonly string[]> {
  const folder = resolve(t.testdir());
  const file = join(folder, 'soapstone.yaml');
  const environment = await furnish(folder, text);
  writeFileSync(file, stringify(complete(text)));
  mkdirSync(join(folder, 'services'), { recursive: true });
  writeFileSync(join(folder, 'services', 'other.yaml'), '# for patterns of `include`\n');
  const use = async (): Promise<void> => {
    const loaded = await loadConfig(file, environment);
    if (isCompiled) await (await compile(loaded)).close();
  };
  return (await diagnosticsOf(use())).map(({ what, line }) => `${line}: ${what}`);
}

for (const page of PAGES.slice(1))
  t.test(`the configurations in ${page} are accepted`, async (t) => {
    for (const [line, text] of snippetsOf(page))
      t.same(await errorsOf(t, text, page.startsWith('deploy/')), [], `${page}:${line}`);
  });

/** Names of the headings of a page, as links have them. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

t.test('each promise of the threat model names a test that is there', async (t) => {
  const rows = [
    ...readFileSync('THREAT-MODEL.md', 'utf8').matchAll(/^\| (?!promise|---)(.*?) \| (.*?) \|$/gm),
  ];
  t.ok(rows.length > 15, `${rows.length} promises`);
  for (const [, promise = '', tests = ''] of rows) {
    const named = [...tests.matchAll(/`(test\/[^`]*)`/g)].map(([, path = '']) => path);
    t.ok(named.length > 0 && named.every((path) => existsSync(path)), `${promise}: ${tests}`);
  }
});

t.test('links lead to files and headings', (t) => {
  for (const page of [
    ...PAGES,
    'config/README.md',
    'src/README.md',
    'test/README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
  ])
    for (const [, path = '', anchor = null] of readFileSync(page, 'utf8').matchAll(
      /\]\(([^)#:]*)(?:#([^)]*))?\)/g,
    )) {
      const file = path === '' ? page : join(dirname(page), path);
      t.ok(existsSync(file), `${page}: ${path}`);
      if (anchor !== null) t.ok(anchorsOf(file).has(anchor), `${page}: ${path}#${anchor}`);
    }
  t.end();
});

t.test('the pages name no metric, code or message of the log that is not there', async (t) => {
  const metrics = await new Metrics(() => [], {
    isRedisUp: () => true,
  }).list(AT_ONCE);
  const known = new Set(metrics.map(({ name }) => name));
  const source = readSources('src')
    .map(({ text }) => text)
    .join('\n');
  for (const page of PAGES) {
    const text = readFileSync(page, 'utf8');
    for (const [name] of text.matchAll(/\bsoapstone_[a-z_]+\b/g))
      t.ok(known.has(name.replace(/_(?:bucket|sum|count)$/, '')), `${page}: ${name}`);
    for (const [, name = ''] of text.matchAll(/`([A-Z]+_[A-Z_]+|OVERLOADED|INTERNAL)`/g))
      if (
        /^(?:XML|SOAP|HTTP|UPSTREAM|MAX|GRAPHQL|WSSE|MTOM|SUBSCRIPTION|PERSISTED)_/.test(name) &&
        !/_PROXY$/.test(name)
      )
        t.ok(Object.hasOwn(REFUSALS, name), `${page}: ${name}`);
    for (const [, message = ''] of text.matchAll(
      /^\| `([A-Za-z][a-z]+ [^`]+)` \| (?:info|warn|error) \|/gm,
    ))
      t.ok(source.includes(message), `${page}: the log has ${message}`);
  }
});

t.test('README.md has every command', async (t) => {
  const lines: string[] = [];
  await runProgram(['--help'], {
    out: (line) => void lines.push(line),
    error: (line) => void lines.push(line),
  });
  const [, list = ''] = lines.join('\n').split(/^(?:Commands|Next steps):$/m);
  const commands = [...list.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  t.ok(commands.length > 10);
  const page = readFileSync('README.md', 'utf8');
  for (const command of commands) t.ok(new RegExp(`^\\| \`${command}\\b`, 'm').test(page), command);
});

t.test('the guides are short', (t) => {
  for (const guide of GUIDES) {
    const lines = readFileSync(guide, 'utf8').split('\n').length;
    t.ok(lines <= LINES_MAX, `${guide}: ${lines} lines`);
  }
  t.end();
});

t.test('each page of the manual is of one subject, and short', (t) => {
  const index = readFileSync('config/manual/README.md', 'utf8');
  for (const page of MANUAL) {
    const bytes = statSync(page).size;
    t.ok(bytes <= PAGE_BYTES_MAX, `${page}: ${bytes} bytes`);
    if (!page.endsWith('README.md'))
      t.ok(index.includes(`](${basename(page)})`), `the index has ${page}`);
  }
  t.end();
});

/**
 * Paragraphs, items, headings and cells of a page, without its code blocks; a code span is one
 * word.
 */
function textsOf(page: string): readonly string[] {
  const prose = readFileSync(page, 'utf8')
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replaceAll(/`[^`]*`/g, 'CODE');
  return prose
    .split(/\n(?:\s*\n| *(?:-|\d+\.) |(?=[|#]))|(?<=[^\\])\|/)
    .filter((text) => !text.startsWith('    '))
    .map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?])(?:\*\*|\))? (?=[A-Z0-9"(*[])/);

t.test('no sentence of the pages is longer than 30 words', (t) => {
  for (const page of [...PAGES, ...SOURCE_PAGES]) {
    const long = textsOf(page)
      .flatMap(sentencesOf)
      .filter(
        (sentence) =>
          sentence.split(' ').filter((word) => /\w/.test(word)).length > SENTENCE_WORDS_MAX,
      );
    t.same(long, [], page);
  }
  t.end();
});

t.test('every file and name in src/README.md exists, names in the file that they follow', (t) => {
  const page = readFileSync('src/README.md', 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  const code = [...readSources('src'), ...readSources('test')].map(({ text }) => text).join('\n');
  const packages = readFileSync('package.json', 'utf8');
  const wrong: string[] = [];
  let folder = 'src';
  let file: string | null = null;
  let end = 0;
  for (const { index, 0: span, 1: name = '' } of page.matchAll(/`([^`\n]+)`/g)) {
    const between = page.slice(end, index);
    end = index + span.length;
    const isPath = /^[\w.-]+(?:\/[\w.-]+)+$|^[\w.-]+\.(?:tsx?|js|md)$/.test(name);
    // A path counts from `src`, from the root, from `test`, from the packages, or from the folder
    // of the one before it.
    const places = ['src', '.', 'test', 'node_modules', folder].flatMap((from) => [
      join(from, name),
      `${join(from, name)}.test.ts`,
    ]);
    const found = isPath ? places.find((each) => existsSync(each)) : undefined;
    if (isPath) {
      if (found === undefined) wrong.push(`there is no ${name}`);
      file = found !== undefined && statSync(found).isFile() ? found : null;
      if (found !== undefined) folder = file === null ? found : dirname(found);
      continue;
    }
    const identifier = /^#?([A-Za-z_]\w*)$/.exec(name)?.[1] ?? null;
    if (file !== null && !/^(?:: |, | and )$/.test(between)) file = null;
    if (identifier === null) continue;
    const has = (text: string): boolean => new RegExp(`\\b${identifier}\\b`).test(text);
    if (file !== null && !has(readFileSync(file, 'utf8'))) wrong.push(`${file} has no ${name}`);
    else if (!has(code) && !has(packages)) wrong.push(`nothing has the name ${name}`);
  }
  t.same(wrong, [], 'rename them in src/README.md as well');
  t.end();
});
