import { Buffer } from 'node:buffer';
import { DIALECTS, type Dialect, headerBlocks } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
import { type QName, XmlWriter } from '../../xml/index.js';
import type { ContentEvent } from '../plan/request/content-events.js';
import { XML_URI, XSI_URI } from '../plan/xsi.js';
import { ownNamespaces } from './own-namespaces.js';

/**
 * The document that the events describe, in UTF-8 with an XML declaration. Its namespaces are
 * declared on the document element, under prefixes that depend on nothing but the order of first
 * use; none is ever the default, so that names in no namespace need nothing.
 */
export function render(events: readonly ContentEvent[], dialect: Dialect): Buffer {
  const prefixes = prefixesOf(events, dialect);
  const writer = new XmlWriter();
  const own = ownNamespaces(events);
  let declared = false;
  for (const [at, event] of events.entries()) {
    if (event.kind === 'open') {
      writer.open(prefixOf(event.name, prefixes), event.name.local);
      if (!declared) {
        for (const [uri, prefix] of prefixes) {
          writer.namespace(prefix, uri);
        }
      }
      declared = true;
      for (const uri of own.get(at) ?? []) {
        declare(writer, uri, prefixes);
      }
    } else if (event.kind === 'attribute') {
      writer.attribute(prefixOf(event.name, prefixes), event.name.local, event.value);
    } else if (event.kind === 'name attribute') {
      const value = `${printName(event.value, prefixes)}${event.suffix}${printMore(event.more, prefixes)}`;
      writer.attribute(prefixOf(event.name, prefixes), event.name.local, value);
    } else if (event.kind === 'bindings') {
      for (const [prefix, uri] of event.bound) {
        if (prefixes.get(uri) !== prefix) {
          writer.namespace(prefix, uri);
        }
      }
    } else if (event.kind === 'text') {
      writer.text(event.value);
    } else if (event.kind === 'name') {
      writer.text(printName(event.value, prefixes) + printMore(event.more, prefixes));
    } else if (event.kind === 'include') {
      writer.open(prefixOf(INCLUDE, prefixes), INCLUDE.local);
      writer.attribute(null, 'href', `cid:${event.id}`);
      writer.close();
    } else if (event.kind === 'close') {
      writer.close();
    } else if (event.kind !== 'own names') {
      throw new Error(`a case is missing: ${String(event satisfies never)}`);
    }
  }
  return Buffer.concat([XML_DECLARATION, writer.finish()]);
}

/** The beginning of each document. */
export const XML_DECLARATION = Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n');

/** Every namespace that is used, and the one that the dialect wants named. */
function prefixesOf(
  events: readonly ContentEvent[],
  dialect: Dialect,
): ReadonlyMap<string, string> {
  const taken = boundPrefixes(events);
  const free = (prefix: string, uri: string): string => {
    let name = prefix;
    while ((taken.get(name) ?? uri) !== uri) {
      name += '_';
    }
    return name;
  };
  const prefixes = new Map([[dialect.envelopeUri, free('s', dialect.envelopeUri)]]);
  if (dialect.needsEncodingNamespace) {
    prefixes.set(dialect.encodingUri, free('enc', dialect.encodingUri));
  }
  let numbered = 0;
  const use = ({ uri }: QName): void => {
    if (uri === '' || uri === XML_URI || prefixes.has(uri)) return;
    const known = KNOWN.get(uri);
    if (known === undefined) {
      numbered += 1;
    }
    prefixes.set(uri, free(known ?? `n${numbered}`, uri));
  };
  for (const event of events) {
    if (event.kind === 'open' || event.kind === 'attribute') {
      use(event.name);
    } else if (event.kind === 'include') {
      use(INCLUDE);
    } else if (event.kind === 'name') {
      for (const name of [event.value, ...(event.more ?? [])]) {
        use(name);
      }
    } else if (event.kind === 'name attribute') {
      use(event.name);
      for (const name of [event.value, ...(event.more ?? [])]) {
        use(name);
      }
    }
  }
  return prefixes;
}

/**
 * Prefixes that clients' XML binds, with '' for more than one namespace: they must not hide those
 * declared here.
 */
function boundPrefixes(events: readonly ContentEvent[]): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== 'bindings') continue;
    for (const [prefix, uri] of event.bound) {
      taken.set(prefix, (taken.get(prefix) ?? uri) === uri ? uri : '');
    }
  }
  return taken;
}

function declare(writer: XmlWriter, uri: string, prefixes: ReadonlyMap<string, string>): void {
  const prefix = prefixes.get(uri);
  if (prefix !== undefined) {
    writer.namespace(prefix, uri);
  }
}

const INCLUDE: QName = { uri: namespaces.XOP, local: 'Include' };

/** Namespaces with a customary prefix. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  [XSI_URI, 'xsi'],
  ['http://www.w3.org/2001/XMLSchema', 'xsd'],
  [DIALECTS['1.1'].encodingUri, 'enc'],
  [headerBlocks.WSA_1_0, 'wsa'],
  [namespaces.XOP, 'xop'],
]);

function prefixOf(name: QName, prefixes: ReadonlyMap<string, string>): string | null {
  return name.uri === XML_URI ? 'xml' : (prefixes.get(name.uri) ?? null);
}

/**
 * A name in content. None of the prefixes is the default, so that a name in no namespace needs
 * none.
 */
function printName(name: QName, prefixes: ReadonlyMap<string, string>): string {
  const prefix = prefixOf(name, prefixes);
  return prefix === null ? name.local : `${prefix}:${name.local}`;
}

const printMore = (names: readonly QName[] = [], prefixes: ReadonlyMap<string, string>): string =>
  names.map((name) => ` ${printName(name, prefixes)}`).join('');
