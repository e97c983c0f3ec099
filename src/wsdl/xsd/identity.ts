import { isNcName, type QName } from '../../xml/index.js';
import { XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import {
  attributeOf,
  childOf,
  childrenOf,
  nameOfNode,
  qNameAt,
  type XmlNode,
} from '../documents/xml-tree.js';
import {
  type ElementDeclaration,
  type IdentityConstraint,
  type IdentityPath,
  type NameTest,
  typeKey,
} from '../model.js';
import { type Component, nameInUnit } from './schema-unit.js';

interface Read {
  readonly node: XmlNode;
  readonly constraint: IdentityConstraint;
  /** The list of its element, from which it is taken out again if it refers to nothing. */
  readonly list: IdentityConstraint[];
}

const NONE: ElementDeclaration['constraints'] = Object.freeze([]);
/** Paths of one XPath, and steps of one path. */
const MOST = 100;
const CONSTRAINTS = 200;

/** Reads `xs:unique`, `xs:key` and `xs:keyref` of elements (XSD 1.0 part 1 section 3.11). */
export class IdentityReader {
  readonly #warnings: Warnings;
  readonly #read: Read[] = [];

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  /** The constraints of an `xs:element`; an invalid one is left out, with a warning. */
  of({ node, unit }: Component): ElementDeclaration['constraints'] {
    const nodes = node.children.filter(({ uri, local }) => uri === XSD && kindOf(local) !== null);
    if (nodes.length === 0) return NONE;
    const list: IdentityConstraint[] = [];
    for (const child of nodes.slice(0, CONSTRAINTS)) {
      const constraint = readConstraint({ node: child, unit });
      if (typeof constraint === 'string') {
        this.#leaveOut(child, constraint);
      } else {
        list.push(constraint);
        this.#read.push({ node: child, constraint, list });
      }
    }
    const [beyond] = nodes.slice(CONSTRAINTS);
    if (beyond !== undefined) {
      this.#leaveOut(beyond, 'is one too many of its element, as are those that follow');
    }
    return list;
  }

  /**
   * When all elements are read: leaves out each keyref whose key there is not, or not with as many
   * fields.
   */
  resolveReferences(): void {
    const keys = new Map<string, number>();
    for (const { constraint } of this.#read) {
      if (constraint.kind !== 'keyref') {
        keys.set(typeKey(constraint.name), constraint.fields.length);
      }
    }
    for (const { node, constraint, list } of this.#read) {
      if (constraint.kind !== 'keyref') continue;
      const fields = constraint.refer === null ? undefined : keys.get(typeKey(constraint.refer));
      if (fields === constraint.fields.length) continue;
      list.splice(list.indexOf(constraint), 1);
      this.#leaveOut(
        node,
        fields === undefined ? 'refers to no key' : 'has not as many fields as its key',
      );
    }
  }

  #leaveOut(node: XmlNode, why: string): void {
    const name = nameOfNode(node);
    this.#warnings.addAt(node, `The identity constraint ${name} ${why}; it is left out.`);
  }
}

const kindOf = (local: string): IdentityConstraint['kind'] | null =>
  local === 'unique' || local === 'key' || local === 'keyref' ? local : null;

/** The constraint, or the reason why it is invalid. */
function readConstraint({ node, unit }: Component): IdentityConstraint | string {
  const kind = kindOf(node.local);
  const local = attributeOf(node, 'name');
  if (kind === null || local === null) return 'has no name';
  const selector = pathsOf(childOf(node, XSD, 'selector'), false);
  if (selector === null) return 'has no selector that is understood';
  const fields = childrenOf(node, XSD, 'field').map((field) => pathsOf(field, true));
  const known = fields.filter((field) => field !== null);
  if (fields.length === 0 || known.length < fields.length) {
    return 'has no fields, or one that is not understood';
  }
  const value = kind === 'keyref' ? attributeOf(node, 'refer') : null;
  const refer: QName | null = value === null ? null : nameInUnit(node, value, unit);
  return { kind, name: { uri: unit.target, local }, refer, selector, fields: known };
}

/** The alternatives of an `xpath` (section 3.11.6), or null when it is not of that subset. */
function pathsOf(node: XmlNode | null, mayEndInAttribute: boolean): readonly IdentityPath[] | null {
  const written = node === null ? null : attributeOf(node, 'xpath');
  if (node === null || written === null) return null;
  const paths: IdentityPath[] = [];
  const alternatives = written.split('|', MOST + 1);
  if (alternatives.length > MOST) return null;
  for (const alternative of alternatives) {
    const path = pathOf(node, alternative.trim(), mayEndInAttribute);
    if (path === null) return null;
    paths.push(path);
  }
  return paths;
}

function pathOf(node: XmlNode, written: string, mayEndInAttribute: boolean): IdentityPath | null {
  const descendant = /^\.\s*\/\//.test(written);
  const rest = descendant ? written.slice(written.indexOf('//') + 2) : written;
  const parts = rest.split('/', MOST + 1).map((part) => part.trim());
  if (parts.length > MOST) return null;
  const steps: NameTest[] = [];
  for (const [at, part] of parts.entries()) {
    const attribute = /^(?:@|attribute\s*::)\s*/.exec(part);
    if (attribute !== null) {
      const test =
        mayEndInAttribute && at === parts.length - 1
          ? testOf(node, part.slice(attribute[0].length))
          : null;
      return test === null ? null : { descendant, steps, attribute: test };
    }
    if (part === '.') continue;
    const test = testOf(node, part.replace(/^child\s*::\s*/, ''));
    if (test === null) return null;
    steps.push(test);
  }
  return { descendant, steps, attribute: null };
}

/** A name without a prefix has no namespace, whatever the default is (XPath 1.0 section 2.3). */
function testOf(node: XmlNode, written: string): NameTest | null {
  if (written === '*') return { uri: null, local: null };
  const [first = '', second, ...more] = written.split(':', 3).map((part) => part.trim());
  const [prefix, local] = second === undefined ? [undefined, first] : [first, second];
  if (more.length > 0 || !(isNcName(local) || (local === '*' && prefix !== undefined))) return null;
  if (prefix === undefined) return { uri: '', local };
  const name = qNameAt(node, `${prefix}:${local}`);
  if (name === null) return null;
  return { uri: name.uri, local: local === '*' ? null : local };
}
