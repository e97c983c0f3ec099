import { XSD } from '../documents/namespaces.js';
import type { Notices } from '../documents/notices.js';
import { problemAt, type XmlNode } from '../documents/tree.js';

/** What XML Schema 1.1 added, by local name, and what is made of it. */
const NEWER: ReadonlyMap<string, string> = new Map([
  ['assert', 'it is not checked'],
  ['assertion', 'it is not checked'],
  ['explicitTimezone', 'it is not checked'],
  ['alternative', 'the declared type is used'],
  ['openContent', 'it is left out'],
  ['defaultOpenContent', 'it is left out'],
  ['override', 'what is in it is taken as declared here, the document it names is not read'],
]);

/** Tells once for each document what it has of XML Schema 1.1. */
export function tellNewer(schema: XmlNode, notices: Notices): void {
  const told = new Set<string>();
  const queue: XmlNode[] = [schema];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const what = node.uri === XSD ? NEWER.get(node.local) : undefined;
    if (what !== undefined && !told.has(node.local)) {
      notices.add(problemAt(node, `xs:${node.local} is of XML Schema 1.1: ${what}.`));
      told.add(node.local);
    }
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child !== undefined) queue.push(child);
    }
  }
}
