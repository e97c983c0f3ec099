import { XSD } from '../documents/namespaces.js';
import { diagnosticAt, type XmlNode } from '../documents/tree.js';
import type { Warnings } from '../documents/warnings.js';

/** Elements that XML Schema 1.1 added, by local name, with their treatment. */
const ADDED: ReadonlyMap<string, string> = new Map([
  ['assert', 'it is not checked'],
  ['assertion', 'it is not checked'],
  ['explicitTimezone', 'it is not checked'],
  ['alternative', 'the declared type is used'],
  ['openContent', 'it is left out'],
  ['defaultOpenContent', 'it is left out'],
  ['override', 'what is in it is taken as declared here, the document it names is not read'],
]);

/** Warns once for each document and element of XML Schema 1.1. */
export function warnOfXsd11(schema: XmlNode, warnings: Warnings): void {
  const reported = new Set<string>();
  const queue: XmlNode[] = [schema];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const what = node.uri === XSD ? ADDED.get(node.local) : undefined;
    if (what !== undefined && !reported.has(node.local)) {
      warnings.add(diagnosticAt(node, `xs:${node.local} is of XML Schema 1.1: ${what}.`));
      reported.add(node.local);
    }
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child !== undefined) queue.push(child);
    }
  }
}
