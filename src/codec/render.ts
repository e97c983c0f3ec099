import type { Dialect } from '../soap/dialect.js';
import type { QName } from '../xml/events.js';
import type { Mark } from './content.js';

const XML_URI = 'http://www.w3.org/XML/1998/namespace';
const XSI_URI = 'http://www.w3.org/2001/XMLSchema-instance';

/**
 * The document the marks describe. Its namespaces are declared on the document element, under prefixes that depend on
 * nothing but the order of first use; names in no namespace have no prefix, since none is ever the default.
 */
export function render(marks: readonly Mark[], dialect: Dialect): Buffer {
  const prefixes = prefixesOf(marks, dialect);
  const parts: string[] = ['<?xml version="1.0" encoding="UTF-8"?>'];
  const open: string[] = [];
  let inTag = false;
  for (const mark of marks) {
    if (inTag && mark.kind !== 'attribute') {
      parts.push('>');
      inTag = false;
    }
    switch (mark.kind) {
      case 'open': {
        const name = written(mark.name, prefixes);
        parts.push('<', name);
        if (open.length === 0)
          for (const [uri, prefix] of prefixes) if (uri !== XML_URI) parts.push(` xmlns:${prefix}="${attr(uri)}"`);
        open.push(name);
        inTag = true;
        break;
      }
      case 'attribute':
        parts.push(` ${written(mark.name, prefixes)}="${attr(mark.value)}"`);
        break;
      case 'text':
        parts.push(text(mark.value));
        break;
      case 'close':
        parts.push(`</${open.pop()}>`);
        break;
    }
  }
  return Buffer.from(parts.join(''));
}

const text = (s: string) =>
  s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#xD;');
const attr = (s: string) => text(s).replace(/"/g, '&quot;').replace(/\t/g, '&#x9;').replace(/\n/g, '&#xA;');

function prefixesOf(marks: readonly Mark[], dialect: Dialect): ReadonlyMap<string, string> {
  const prefixes = new Map([
    [XML_URI, 'xml'],
    [dialect.envelopeUri, 's'],
  ]);
  if (dialect.needsEncodingNamespace) prefixes.set(dialect.encodingUri, 'enc');
  let count = 0;
  for (const mark of marks) {
    if (mark.kind !== 'open' && mark.kind !== 'attribute') continue;
    const { uri } = mark.name;
    if (uri === '' || prefixes.has(uri)) continue;
    if (uri === XSI_URI) prefixes.set(uri, 'xsi');
    else {
      count += 1;
      prefixes.set(uri, `n${count}`);
    }
  }
  return prefixes;
}

function written(name: QName, prefixes: ReadonlyMap<string, string>): string {
  const prefix = prefixes.get(name.uri);
  return prefix === undefined ? name.local : `${prefix}:${name.local}`;
}
