import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import sax, { type QualifiedTag } from 'sax';

/**
 * Measures how much messages of real stacks have of what the gateway limits:
 * `node dist/test/kit/largest-seen.js FOLDER ...` reads all `.xml` and `.http` files below. Its
 * figures are those of the table in `config/manual/defaults.md`.
 */

const ENVELOPE =
  /^http:\/\/(?:schemas\.xmlsoap\.org\/soap\/envelope\/|www\.w3\.org\/\d{4}\/\d\d\/soap-envelope)$/;
const largest = new Map<string, { readonly value: number; readonly file: string }>();

function seen(name: string, value: number, file: string): void {
  if (value > (largest.get(name)?.value ?? -1)) largest.set(name, { value, file });
}

/** One element that is open. */
interface Open {
  children: number;
  textBytes: number;
}

function measureMessage(text: string, file: string): void {
  const found: (readonly [string, number])[] = [];
  const open: Open[] = [];
  const inScope: number[] = [];
  let isEnvelope = false;
  let elements = 0;
  const reader = sax.parser(true, { xmlns: true });
  reader.onopentag = (tag) => {
    const { ns, attributes, uri, name } = tag as QualifiedTag;
    if (open.length === 0) isEnvelope = ENVELOPE.test(uri);
    const above = open.at(-1);
    if (above !== undefined) above.children++;
    open.push({ children: 0, textBytes: 0 });
    const all = Object.values(attributes);
    const declared = all.filter(({ uri: of }) => of === 'http://www.w3.org/2000/xmlns/');
    inScope.push(declared.length + (inScope.at(-1) ?? 0));
    elements++;
    found.push(
      [open.length === 1 ? 'namespacesOnRoot' : 'namespacesPerElement', declared.length],
      ['namespacesInScope', inScope.at(-1) ?? 0],
      ['attributes', all.length - declared.length],
      ['nameChars', Math.max(name.length, ...all.map((attribute) => attribute.name.length))],
      ['attributeValueBytes', Math.max(0, ...all.map(({ value }) => Buffer.byteLength(value)))],
      ['namespaceUriBytes', Math.max(0, ...Object.values(ns).map((of) => of.length))],
      ['depth', open.length],
    );
  };
  reader.ontext = (content) => {
    const element = open.at(-1);
    if (element !== undefined) element.textBytes += Buffer.byteLength(content);
  };
  reader.oncdata = reader.ontext;
  reader.oncomment = (comment) => found.push(['commentBytes', Buffer.byteLength(comment)]);
  reader.onclosetag = (name) => {
    const closed = open.pop();
    inScope.pop();
    if (closed === undefined) return;
    if (open.length === 1 && name.endsWith('Header')) found.push(['headerBlocks', closed.children]);
    if (closed.children === 0) found.push(['textBytes', closed.textBytes]);
    found.push(['children', closed.children]);
  };
  try {
    reader.write(text).close();
  } catch {
    // Broken on purpose, or no message.
    return;
  }
  if (!isEnvelope) return;
  seen('messageBytes', Buffer.byteLength(text), file);
  seen('elements', elements, file);
  for (const [name, value] of found) seen(name, value, file);
}

function measureHead(text: string, file: string): void {
  const end = text.search(/\r?\n\r?\n/);
  const [start = '', ...fields] = (end < 0 ? text : text.slice(0, end)).split(/\r?\n/);
  seen('headerBytes', Buffer.byteLength(text.slice(0, end < 0 ? undefined : end)), file);
  seen('headerCount', fields.length, file);
  seen('uriBytes', start.split(' ')[1]?.length ?? 0, file);
  for (const field of fields)
    if (/^soapaction:/i.test(field)) seen('soapActionBytes', field.length - 12, file);
}

/** The namespaces that JAXB would declare on one element: those of all schemas beside a WSDL. */
function measureDescriptions(files: readonly string[]): void {
  const namespaces = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, uri = ''] of text.matchAll(/\btargetNamespace\s*=\s*["']([^"']*)["']/g)) {
      namespaces.add(uri);
      seen('namespaceUriBytes', uri.length, file);
    }
    for (const [, name = ''] of text.matchAll(/\bname\s*=\s*["']([^"']*)["']/g))
      seen('nameChars', name.length, file);
    for (const [, action = ''] of text.matchAll(/\bsoapAction\s*=\s*["']([^"']*)["']/g))
      seen('soapActionBytes', action.length + 2, file);
  }
  seen('namespacesPerElement', namespaces.size, files[0] ?? '');
}

const DESCRIPTIONS: ReadonlySet<string> = new Set(['.wsdl', '.xsd']);

function measureFolder(folder: string): void {
  const descriptions: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') measureFolder(file);
    } else if (DESCRIPTIONS.has(extname(file))) descriptions.push(file);
    else if (extname(file) === '.xml') measureMessage(readFileSync(file, 'utf8'), file);
    else if (extname(file) === '.http') measureHead(readFileSync(file, 'utf8'), file);
  }
  if (descriptions.length > 0) measureDescriptions(descriptions);
}

for (const folder of process.argv.slice(2)) measureFolder(folder);
for (const [name, { value, file }] of [...largest].sort())
  process.stdout.write(`${name.padEnd(22)} ${String(value).padStart(8)}  ${file}\n`);
