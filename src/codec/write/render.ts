import { Buffer } from 'node:buffer';
import { never } from '../../base/invariant.js';
import { DIALECTS, type Dialect } from '../../soap/dialect.js';
import type { QName } from '../../xml/events.js';
import { XmlWriter } from '../../xml/writer.js';
import { XML_URI, XSI_URI } from '../plan/xsi.js';
import type { Mark } from './marks.js';

/**
 * The document the marks describe, in UTF-8 and saying so. Its namespaces are declared on the document element, under
 * prefixes that depend on nothing but the order of first use; none is ever the default, so that names in no namespace
 * need nothing.
 */
export function render(marks: readonly Mark[], dialect: Dialect): Buffer {
  const prefixes = prefixesOf(marks, dialect);
  const writer = new XmlWriter();
  let declared = false;
  for (const mark of marks) {
    switch (mark.kind) {
      case 'open':
        writer.open(prefixOf(mark.name, prefixes), mark.name.local);
        if (!declared) for (const [uri, prefix] of prefixes) writer.namespace(prefix, uri);
        declared = true;
        break;
      case 'attribute':
        writer.attribute(prefixOf(mark.name, prefixes), mark.name.local, mark.value);
        break;
      case 'name attribute': {
        const value = `${printName(mark.value, prefixes)}${mark.suffix}${printMore(mark.more, prefixes)}`;
        writer.attribute(prefixOf(mark.name, prefixes), mark.name.local, value);
        break;
      }
      case 'bindings':
        for (const [prefix, uri] of mark.bound) if (prefixes.get(uri) !== prefix) writer.namespace(prefix, uri);
        break;
      case 'text':
        writer.text(mark.value);
        break;
      case 'name':
        writer.text(printName(mark.value, prefixes) + printMore(mark.more, prefixes));
        break;
      case 'close':
        writer.close();
        break;
      default:
        never(mark);
    }
  }
  return Buffer.concat([DECLARATION, writer.finish()]);
}

const DECLARATION = Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n');

/** Every namespace that is used, and the one that the dialect wants named. */
function prefixesOf(marks: readonly Mark[], dialect: Dialect): ReadonlyMap<string, string> {
  const taken = takenIn(marks);
  const free = (prefix: string, uri: string): string => {
    let name = prefix;
    while ((taken.get(name) ?? uri) !== uri) name += '_';
    return name;
  };
  const prefixes = new Map([[dialect.envelopeUri, free('s', dialect.envelopeUri)]]);
  if (dialect.needsEncodingNamespace) prefixes.set(dialect.encodingUri, free('enc', dialect.encodingUri));
  let numbered = 0;
  const use = ({ uri }: QName): void => {
    if (uri === '' || uri === XML_URI || prefixes.has(uri)) return;
    const known = KNOWN.get(uri);
    if (known === undefined) numbered += 1;
    prefixes.set(uri, free(known ?? `n${numbered}`, uri));
  };
  for (const mark of marks) {
    if (mark.kind === 'open' || mark.kind === 'attribute') use(mark.name);
    else if (mark.kind === 'name') for (const name of [mark.value, ...(mark.more ?? [])]) use(name);
    else if (mark.kind === 'name attribute') {
      use(mark.name);
      for (const name of [mark.value, ...(mark.more ?? [])]) use(name);
    }
  }
  return prefixes;
}

/** What callers' prefixes mean: '' for more than one thing. Ours must not be hidden by them. */
function takenIn(marks: readonly Mark[]): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const mark of marks) {
    if (mark.kind !== 'bindings') continue;
    for (const [prefix, uri] of mark.bound) taken.set(prefix, (taken.get(prefix) ?? uri) === uri ? uri : '');
  }
  return taken;
}

/** Namespaces that people know by their usual prefix. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  [XSI_URI, 'xsi'],
  ['http://www.w3.org/2001/XMLSchema', 'xsd'],
  [DIALECTS['1.1'].encodingUri, 'enc'],
]);

function prefixOf(name: QName, prefixes: ReadonlyMap<string, string>): string | null {
  return name.uri === XML_URI ? 'xml' : (prefixes.get(name.uri) ?? null);
}

/** A name in content. None of the prefixes is the default, so that a name in no namespace needs none. */
function printName(name: QName, prefixes: ReadonlyMap<string, string>): string {
  const prefix = prefixOf(name, prefixes);
  return prefix === null ? name.local : `${prefix}:${name.local}`;
}

const printMore = (names: readonly QName[] = [], prefixes: ReadonlyMap<string, string>): string =>
  names.map((name) => ` ${printName(name, prefixes)}`).join('');
