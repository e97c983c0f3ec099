import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import sax, { type QualifiedTag } from 'sax';

/**
 * Measures how much messages and WSDLs of real stacks have of what the gateway limits:
 * `node dist/test/kit/largest-seen.js FOLDER ...` reads all `.xml`, `.http`, `.wsdl` and `.xsd`
 * files below. Its figures are those of the table in `config/manual/defaults.md`.
 */

/** The largest value of one limit, and the file that has it. */
interface Seen {
  readonly value: number;
  readonly file: string;
}

const ENVELOPE =
  /^http:\/\/(?:schemas\.xmlsoap\.org\/soap\/envelope\/|www\.w3\.org\/\d{4}\/\d\d\/soap-envelope)$/;
const XMLNS = 'http://www.w3.org/2000/xmlns/';
/** Levels of an envelope: itself, Header and Body, their children. */
const CONTENT_LEVEL = 3;

type Report = (limit: string, value: number) => void;

/** The largest values in all files of these folders, by limit: `xml.depth`. */
export function largestSeen(folders: readonly string[]): ReadonlyMap<string, Seen> {
  const largest = new Map<string, Seen>();
  const reportOf =
    (file: string): Report =>
    (limit, value) => {
      if (value > (largest.get(limit)?.value ?? -1)) largest.set(limit, { value, file });
    };
  for (const folder of folders) measureFolder(folder, reportOf);
  return largest;
}

const DESCRIPTIONS: ReadonlySet<string> = new Set(['.wsdl', '.xsd']);

function measureFolder(folder: string, reportOf: (file: string) => Report): void {
  const descriptions: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') measureFolder(file, reportOf);
      continue;
    }
    const kind = extname(file);
    if (DESCRIPTIONS.has(kind)) descriptions.push(file);
    if (kind === '.wsdl') measureTree(file, reportOf(file));
    if (kind === '.xml') measureMessage(readFileSync(file, 'utf8'), reportOf(file));
    if (kind === '.http') measureHead(readFileSync(file, 'latin1'), file, reportOf(file));
  }
  if (descriptions.length > 0) measureDescriptions(descriptions, reportOf);
}

/** One element that is open. */
interface Open {
  children: number;
  textBytes: number;
}

/** The values of one message; they count once it is known to be an envelope, and whole. */
class MessageMeasure {
  readonly found: (readonly [limit: string, value: number])[] = [];
  isEnvelope = false;
  elements = 0;
  ids = 0;
  references = 0;
  readonly #open: Open[] = [];
  readonly #inScope: number[] = [];

  openTag({ ns, attributes, uri, name }: QualifiedTag, position: number): void {
    if (this.#open.length === 0) this.isEnvelope = ENVELOPE.test(uri);
    const above = this.#open.at(-1);
    if (above !== undefined) above.children++;
    this.#open.push({ children: 0, textBytes: 0 });
    this.elements++;
    const all = Object.values(attributes);
    const declared = all.filter(({ uri: of }) => of === XMLNS).length;
    this.#inScope.push(declared + (this.#inScope.at(-1) ?? 0));
    const own = all.filter(({ uri: of }) => of !== XMLNS);
    this.ids += own.filter(({ local }) => /^id$/i.test(local)).length;
    this.references += own.filter(({ local }) => /^(?:href|ref)$/.test(local)).length;
    this.found.push(
      [`xml.${this.#open.length === 1 ? 'namespacesOnRoot' : 'namespacesPerElement'}`, declared],
      ['xml.namespacesInScope', this.#inScope.at(-1) ?? 0],
      ['xml.attributes', own.length],
      ['xml.nameChars', Math.max(name.length, ...all.map((attribute) => attribute.name.length))],
      ['xml.attributeValueBytes', Math.max(0, ...all.map(({ value }) => Buffer.byteLength(value)))],
      ['xml.namespaceUriBytes', Math.max(0, ...Object.values(ns).map((of) => of.length))],
      ['xml.depth', this.#open.length],
    );
    if (this.#open.length === CONTENT_LEVEL) this.found.push(['soap.headerBytes', position]);
    const size = /\[(\d+)\]$/.exec(own.find(({ local }) => local === 'arrayType')?.value ?? '');
    if (size !== null) this.found.push(['soap.arrayItems', Number(size[1])]);
  }

  text(content: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.textBytes += Buffer.byteLength(content);
  }

  closeTag(name: string): void {
    const closed = this.#open.pop();
    this.#inScope.pop();
    if (closed === undefined) return;
    if (this.#open.length === 1 && name.endsWith('Header'))
      this.found.push(['soap.headerBlocks', closed.children]);
    if (closed.children === 0) this.found.push(['xml.textBytes', closed.textBytes]);
    this.found.push(['xml.children', closed.children]);
  }
}

function measureMessage(text: string, report: Report): void {
  const measure = new MessageMeasure();
  const reader = sax.parser(true, { xmlns: true });
  reader.onopentag = (tag) => measure.openTag(tag as QualifiedTag, reader.position);
  reader.ontext = (content) => measure.text(content);
  reader.oncdata = reader.ontext;
  reader.oncomment = (comment) =>
    measure.found.push(['xml.commentBytes', Buffer.byteLength(comment)]);
  reader.onclosetag = (name) => measure.closeTag(name);
  try {
    reader.write(text).close();
  } catch {
    // Broken on purpose, or no message.
    return;
  }
  if (!measure.isEnvelope) return;
  report('xml.messageBytes', Buffer.byteLength(text));
  report('xml.elements', measure.elements);
  report('soap.ids', measure.ids);
  report('codec.references', measure.references);
  for (const [limit, value] of measure.found) report(limit, value);
}

/** The head of a request, or of a reply: `.res.http`. */
function measureHead(text: string, file: string, report: Report): void {
  const end = text.search(/\r?\n\r?\n/);
  const head = end < 0 ? text : text.slice(0, end);
  const [start = '', ...fields] = head.split(/\r?\n/);
  const side = basename(file).endsWith('.res.http') ? 'upstream' : 'http';
  report(`${side}.headerBytes`, head.length);
  report(`${side}.headerCount`, fields.length);
  if (side === 'http') report('http.uriBytes', start.split(' ')[1]?.length ?? 0);
  for (const field of fields)
    if (/^soapaction:/i.test(field)) report('http.soapActionBytes', field.length - 12);
}

/** The namespaces that JAXB would declare on one element: those of all schemas beside a WSDL. */
function measureDescriptions(files: readonly string[], reportOf: (file: string) => Report): void {
  const namespaces = new Set<string>();
  for (const file of files) {
    const report = reportOf(file);
    const text = readFileSync(file, 'utf8');
    for (const [, uri = ''] of text.matchAll(/\btargetNamespace\s*=\s*["']([^"']*)["']/g)) {
      namespaces.add(uri);
      report('xml.namespaceUriBytes', uri.length);
    }
    for (const [, name = ''] of text.matchAll(/\bname\s*=\s*["']([^"']*)["']/g))
      report('xml.nameChars', name.length);
    for (const [, action = ''] of text.matchAll(/\bsoapAction\s*=\s*["']([^"']*)["']/g))
      report('http.soapActionBytes', action.length + 2);
  }
  reportOf(files[0] ?? '')('xml.namespacesPerElement', namespaces.size);
}

/** A WSDL with the files that it names: how many they are, how deep they import each other. */
function measureTree(main: string, report: Report): void {
  const depths = new Map([[main, 0]]);
  let bytes = 0;
  let elements = 0;
  for (const [file, depth] of depths) {
    const text = readOrNull(file);
    if (text === null) {
      depths.delete(file);
      continue;
    }
    bytes += Buffer.byteLength(text);
    elements += text.match(/<[\w.]/g)?.length ?? 0;
    report('import.depth', depth);
    for (const [, href = ''] of text.matchAll(/\b(?:schemaL|l)ocation\s*=\s*["']([^"']+)["']/g)) {
      const named = resolve(dirname(file), href);
      if (!/^[a-z]+:/i.test(href) && !depths.has(named)) depths.set(named, depth + 1);
    }
  }
  report('import.documents', depths.size);
  report('import.bytes', bytes);
  report('import.elements', elements);
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const [limit, { value, file }] of [...largestSeen(process.argv.slice(2))].sort())
    process.stdout.write(`${limit.padEnd(28)} ${String(value).padStart(8)}  ${file}\n`);
}
