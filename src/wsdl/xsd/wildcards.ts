import { attributeOf, type XmlNode } from '../documents/xml-tree.js';
import type { Wildcard } from '../model.js';

type Namespaces = Wildcard['namespaces'];

const ANY: Namespaces = { kind: 'any' };

/**
 * Reads an `xs:any` or `xs:anyAttribute` (XSD 1.0 part 1 section 3.10.2). `target` is that of its
 * schema.
 */
export function readWildcard(node: XmlNode, target: string): Wildcard {
  const process = attributeOf(node, 'processContents');
  return {
    process: process === 'lax' || process === 'skip' ? process : 'strict',
    ...(process === 'strict' ? { isDeclaredOnly: true } : {}),
    namespaces: namespacesIn(attributeOf(node, 'namespace') ?? '##any', target),
  };
}

function namespacesIn(value: string, target: string): Namespaces {
  if (value === '##any') return ANY;
  // It excludes the target namespace and no namespace.
  if (value === '##other') return { kind: 'not', uris: target === '' ? [''] : [target, ''] };
  const uris = value.split(/\s+/).filter(Boolean);
  return only(
    uris.map((uri) => (uri === '##targetNamespace' ? target : uri === '##local' ? '' : uri)),
  );
}

/**
 * The wildcard for namespaces that both allow (section 3.10.6), with the `process` of the first.
 */
export function intersection(a: Wildcard, b: Wildcard): Wildcard {
  return { ...a, namespaces: intersectionOf(a.namespaces, b.namespaces) };
}

/**
 * The wildcard for namespaces that either allows (section 3.10.6), with the `process` of the first.
 */
export function union(a: Wildcard, b: Wildcard): Wildcard {
  return { ...a, namespaces: unionOf(a.namespaces, b.namespaces) };
}

function intersectionOf(a: Namespaces, b: Namespaces): Namespaces {
  if (a.kind === 'any') return b;
  if (b.kind === 'any') return a;
  if (a.kind === 'only') {
    return only(a.uris.filter((uri) => (b.kind === 'only') === b.uris.includes(uri)));
  }
  return b.kind === 'only' ? intersectionOf(b, a) : not([...a.uris, ...b.uris]);
}

function unionOf(a: Namespaces, b: Namespaces): Namespaces {
  if (a.kind === 'any' || b.kind === 'any') return ANY;
  if (a.kind === 'not') {
    return not(a.uris.filter((uri) => (b.kind === 'not') === b.uris.includes(uri)));
  }
  return b.kind === 'not' ? unionOf(b, a) : only([...a.uris, ...b.uris]);
}

const only = (uris: readonly string[]): Namespaces => ({ kind: 'only', uris: bounded(uris) });

const not = (uris: readonly string[]): Namespaces =>
  uris.length === 0 ? ANY : { kind: 'not', uris: bounded(uris) };

/** Maximum namespaces of a wildcard: they would be multiplied by every extension of the type. */
const MOST = 100;

const bounded = (uris: readonly string[]): readonly string[] => [...new Set(uris)].slice(0, MOST);
