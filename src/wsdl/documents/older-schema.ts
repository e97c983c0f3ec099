import { OLDER_XSD, WSDL, XSD } from './namespaces.js';
import { childrenOf, qNameAt, type XmlNode } from './xml-tree.js';

interface Draft extends XmlNode {
  uri: string;
  local: string;
  attributes: Map<string, string>;
  declares: ReadonlyMap<string, string> | null;
  parent: XmlNode | null;
  children: Draft[];
}

/** Reports a construct of a draft that is not read. */
type Report = (node: XmlNode, what: string) => void;

const isOlder = ({ uri }: XmlNode): boolean => OLDER_XSD.includes(uri);

/**
 * A document whose schemas are of drafts of XML Schema (1999/XMLSchema, 2000/10/XMLSchema) with
 * those as the recommendation of 2001 writes them. Constructs without a counterpart are reported.
 * Other documents are returned as they are.
 */
export function readOlderSchemas(root: XmlNode, report: Report): XmlNode {
  const types = childrenOf(root, WSDL, 'types').flatMap(({ children }) => children);
  const first = [root, ...types].find(isOlder);
  if (first === undefined) return root;
  report(first, `The schema is of a draft of XML Schema, ${first.uri}: it is read as one of 2001.`);
  const copy = copyOf(root);
  const unread = new Set<string>();
  const queue: Draft[] = [copy];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (isOlder(node)) {
      if (!modernise(node) && !unread.has(node.local)) {
        unread.add(node.local);
        report(node, `${node.local} is of a draft of XML Schema: it is not read.`);
      }
      node.uri = XSD;
    }
    for (const child of node.children.toReversed()) {
      queue.push(child);
    }
  }
  return copy;
}

function copyOf(root: XmlNode): Draft {
  const copied = (node: XmlNode, parent: Draft | null): Draft => {
    const { children: _, ...rest } = node;
    return { ...rest, attributes: new Map(node.attributes), parent, children: [] };
  };
  const top = copied(root, null);
  const queue: [XmlNode, Draft][] = [[root, top]];
  for (let pair = queue.pop(); pair !== undefined; pair = queue.pop()) {
    for (const child of pair[0].children) {
      const draft = copied(child, pair[1]);
      pair[1].children.push(draft);
      queue.push([child, draft]);
    }
  }
  return top;
}

/** Elements that drafts and recommendation share. */
const SHARED: ReadonlySet<string> = new Set(
  (
    'all annotation any anyAttribute appinfo attribute attributeGroup choice complexContent ' +
    'complexType documentation ' +
    'element enumeration extension field group import include key keyref length list ' +
    'maxExclusive maxInclusive ' +
    'maxLength minExclusive minInclusive minLength notation pattern redefine restriction ' +
    'schema selector sequence ' +
    'simpleContent simpleType union unique whiteSpace totalDigits fractionDigits'
  ).split(' '),
);
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['info', 'documentation'],
  ['precision', 'totalDigits'],
  ['scale', 'fractionDigits'],
]);
const RENAMED_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['nullable', 'nillable'],
  ['equivClass', 'substitutionGroup'],
  ['exact', 'block'],
]);
const PARTICLES: ReadonlySet<string> = new Set([
  'all',
  'any',
  'choice',
  'element',
  'group',
  'sequence',
]);
const ATTRIBUTES: ReadonlySet<string> = new Set(['anyAttribute', 'attribute', 'attributeGroup']);
const ORDERS: ReadonlyMap<string, string> = new Map([
  ['all', 'all'],
  ['choice', 'choice'],
  ['seq', 'sequence'],
]);

/** Rewrites one element, and its children as far as they move. False for one that is not read. */
function modernise(node: Draft): boolean {
  node.local = RENAMED.get(node.local) ?? node.local;
  for (const [older, name] of RENAMED_ATTRIBUTES) {
    rename(node, older, name);
  }
  if (node.attributes.get('maxOccurs')?.trim() === '*') {
    node.attributes.set('maxOccurs', 'unbounded');
  }
  switch (node.local) {
    case 'attribute':
      moderniseAttribute(node);
      break;
    case 'group':
      moderniseGroup(node);
      break;
    case 'simpleType':
      moderniseSimpleType(node);
      break;
    case 'complexType':
      moderniseComplexType(node);
      break;
    case 'restriction':
    case 'extension':
      if (node.parent?.local === 'complexContent') {
        wrapParticles(node, 'sequence');
      } else {
        moderniseBinary(node);
      }
      break;
    case 'selector':
    case 'field':
      if (!node.attributes.has('xpath')) {
        node.attributes.set('xpath', node.text.trim());
      }
      break;
    case 'encoding':
      return node.parent?.local === 'restriction';
  }
  return SHARED.has(node.local);
}

/** `use` had five values, two of them with a `value`; before that an attribute had occurrences. */
function moderniseAttribute({ attributes }: Draft): void {
  const use = attributes.get('use')?.trim();
  const value = attributes.get('value');
  if (use === 'default' || use === 'fixed') {
    attributes.delete('use');
    if (value !== undefined) {
      attributes.set(use, value);
    }
  }
  if (attributes.get('minOccurs')?.trim() === '1') {
    attributes.set('use', 'required');
  }
  for (const name of ['value', 'minOccurs', 'maxOccurs']) {
    attributes.delete(name);
  }
}

/** A group without a name was a model group, whose compositor is `order`. */
function moderniseGroup(node: Draft): void {
  if (node.attributes.has('ref')) return;
  const order = ORDERS.get(take(node, 'order') ?? 'seq') ?? 'sequence';
  if (node.attributes.has('name')) {
    wrapParticles(node, order);
  } else {
    node.local = order;
  }
}

/** `base` and `derivedBy` stood at the type itself, with its facets as children. */
function moderniseSimpleType(node: Draft): void {
  const base = take(node, 'base');
  const isList = take(node, 'derivedBy') === 'list';
  if (base === null) return;
  if (isList) {
    wrap(node, 'list', () => false).attributes.set('itemType', base);
  } else {
    const restriction = wrap(node, 'restriction', ({ local }) => local !== 'annotation');
    restriction.attributes.set('base', base);
    moderniseBinary(restriction);
  }
}

/** The type `binary` had its encoding as a facet. */
function moderniseBinary(node: Draft): void {
  const encoding = node.children
    .find(({ local }) => local === 'encoding')
    ?.attributes.get('value')
    ?.trim();
  const base = node.attributes.get('base')?.trim() ?? '';
  const name = qNameAt(node, base);
  if (name === null || name.local !== 'binary' || !OLDER_XSD.includes(name.uri)) return;
  const local = encoding === 'base64' ? 'base64Binary' : 'hexBinary';
  node.attributes.set('base', base.slice(0, base.length - 'binary'.length) + local);
}

/**
 * `content`, `base` and `derivedBy` stood at the type itself, and particles needed no compositor
 * around them.
 */
function moderniseComplexType(node: Draft): void {
  const content = take(node, 'content');
  const base = take(node, 'base');
  const derivation = take(node, 'derivedBy') === 'restriction' ? 'restriction' : 'extension';
  if (content === 'mixed') {
    node.attributes.set('mixed', 'true');
  }
  wrapParticles(node, 'sequence');
  if (
    content === 'textOnly' ||
    (base !== null && content === null && isBuiltInSimple(node, base))
  ) {
    const inner = wrap(
      node,
      derivation,
      ({ local }) => local !== 'annotation' && !PARTICLES.has(local),
    );
    if (base === null) {
      inner.declares = new Map([['xsd', XSD]]);
    }
    inner.attributes.set('base', base ?? 'xsd:string');
    wrap(node, 'simpleContent', (child) => child === inner);
  } else if (base !== null) {
    const inner = wrap(
      node,
      derivation,
      ({ local }) => PARTICLES.has(local) || ATTRIBUTES.has(local),
    );
    inner.attributes.set('base', base);
    wrap(node, 'complexContent', (child) => child === inner);
  }
}

function isBuiltInSimple(node: XmlNode, value: string): boolean {
  const name = qNameAt(node, value.trim());
  if (name === null || (name.uri !== XSD && !OLDER_XSD.includes(name.uri))) return false;
  return name.local !== 'ur-type' && name.local !== 'anyType';
}

/** Puts a compositor around particles, unless they are one with a compositor already. */
function wrapParticles(node: Draft, compositor: string): void {
  const particles = node.children.filter(({ local }) => PARTICLES.has(local));
  const [only] = particles;
  if (
    only === undefined ||
    (particles.length === 1 && only.local !== 'element' && only.local !== 'any')
  ) {
    return;
  }
  wrap(node, compositor, ({ local }) => PARTICLES.has(local));
}

/**
 * Moves children into a new child, which stands where the first of them did; behind all others
 * where there are none.
 */
function wrap(node: Draft, local: string, isMoved: (child: Draft) => boolean): Draft {
  const wrapper: Draft = {
    ...node,
    uri: XSD,
    local,
    attributes: new Map(),
    declares: null,
    parent: node,
    text: '',
  };
  wrapper.children = node.children.filter(isMoved);
  for (const child of wrapper.children) {
    child.parent = wrapper;
  }
  const at = node.children.findIndex(isMoved);
  const kept = node.children.filter((child) => !isMoved(child));
  const before = at === -1 ? kept.length : at;
  node.children = [...kept.slice(0, before), wrapper, ...kept.slice(before)];
  return wrapper;
}

function take({ attributes }: Draft, name: string): string | null {
  const value = attributes.get(name)?.trim() ?? null;
  attributes.delete(name);
  return value;
}

function rename(node: Draft, older: string, name: string): void {
  const value = take(node, older);
  if (value !== null) {
    node.attributes.set(name, value);
  }
}
