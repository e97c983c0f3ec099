import {
  AT_ONCE,
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  inputFiles,
  MIB,
  type Pace,
} from '../../core/index.js';
import { NO_DTD, refusedDtd, withoutDoctype } from './doctype.js';
import { type DocumentSource, isRefused, type Located, type Refused } from './document-source.js';
import { decodeDocument } from './encoding.js';
import { isBuiltInNamespace, WSDL, WSDL_20, XSD } from './namespaces.js';
import { readOlderSchemas } from './older-schema.js';
import { parseTree } from './parse.js';
import type { Warnings } from './warnings.js';
import { wellKnownIn, wellKnownSource } from './well-known.js';
import {
  attributeOf,
  childrenOf,
  diagnosticAtNode,
  positionOf,
  qNameAt,
  type XmlNode,
} from './xml-tree.js';

/** A document that was read, with the documents its references lead to. */
export interface LoadedDocument extends Located {
  readonly index: number;
  readonly kind: 'wsdl' | 'schema';
  readonly root: XmlNode;
  /**
   * For each `wsdl:import`, `xs:import`, `xs:include`, `xs:redefine`, `part` that was followed: the
   * document it leads to.
   */
  readonly references: ReadonlyMap<XmlNode, number>;
}

/**
 * Limits of one WSDL with all it imports (catalogue C05). Going beyond one refuses the WSDL as a
 * whole. Documents are more than the 500 of the catalogue: one real WSDL imports 639 schemas
 * (acceptance 19).
 */
export const IMPORT_LIMITS = {
  documents: 2000,
  bytes: 32 * MIB,
  depth: 32,
  elements: 1_000_000,
} as const;

export interface Reference {
  readonly node: XmlNode;
  readonly attribute: 'location' | 'schemaLocation';
}

interface LoadState {
  readonly pace: Pace;
  readonly source: DocumentSource;
  readonly wellKnown: DocumentSource;
  readonly warnings: Warnings;
  readonly documents: MutableDocument[];
  /** Index by key; -1 for a document that was tried and refused. */
  readonly byKey: Map<string, number>;
  readonly budget: { elements: number };
  bytesLeft: number;
  /** References to well-known namespaces that lead to no document of the WSDL. */
  readonly unmet: Unmet[];
}

interface Unmet {
  readonly document: MutableDocument;
  readonly node: XmlNode;
  readonly namespace: string;
  /** Why the location was not read; null where there is none. */
  readonly diagnostics: readonly Diagnostic[] | null;
}

type MutableDocument = LoadedDocument & {
  readonly references: Map<XmlNode, number>;
  readonly depth: number;
  readonly base: string;
};

/**
 * Reads the WSDL and everything it refers to, breadth first. A reference that cannot be followed is
 * a warning; a WSDL that cannot be read at all, or goes beyond a limit, throws
 * `ConfigurationError`.
 */
export async function loadDocuments(
  location: string,
  source: DocumentSource,
  warnings: Warnings,
  inputs: inputFiles.Inputs = inputFiles.LIVE_INPUTS,
  pace: Pace = AT_ONCE,
): Promise<readonly LoadedDocument[]> {
  const state: LoadState = {
    source,
    pace,
    wellKnown: wellKnownSource(inputs),
    warnings,
    documents: [],
    byKey: new Map(),
    budget: { elements: IMPORT_LIMITS.elements },
    bytesLeft: IMPORT_LIMITS.bytes,
    unmet: [],
  };
  const stop = ({ what, remedy }: Refused): never => {
    throw diagnosis.unplacedError(what, remedy, location);
  };
  const main = await source.locate(location, null);
  if (isRefused(main)) return stop(main);
  const read = await readDocument(state, main, 0, source, null);
  if (isRefused(read)) return stop(read);
  if (read.kind === 'schema') {
    throw errorAtNode(
      read.root,
      'The document is an XML Schema, not a WSDL.',
      'Name the WSDL that imports it.',
    );
  }
  for (let at = 0; at < state.documents.length; at++) {
    const document = state.documents[at];
    if (document !== undefined) {
      await follow(state, document);
    }
  }
  await followWellKnown(state);
  return state.documents;
}

async function follow(state: LoadState, document: MutableDocument): Promise<void> {
  for (const { node, attribute } of referencesOf(document.root)) {
    const href = attributeOf(node, attribute) ?? '';
    if (attribute !== ownAttribute(node)) {
      const what = `The ${node.local} names its document by ${attribute}: it is read as`;
      state.warnings.addAt(node, `${what} ${ownAttribute(node)}.`);
    }
    const namespace = attributeOf(node, 'namespace') ?? '';
    const quiet = isBuiltInNamespace(namespace);
    const isKnown = node.local === 'import' && wellKnownIn(namespace) !== null;
    const outcome = href === '' ? null : await followOne(state, document, node, href);
    if (typeof outcome === 'number') {
      document.references.set(node, outcome);
      if (!quiet) {
        warnOfOtherTarget(node, state.documents[outcome]?.root, state.warnings);
      }
    } else if (isKnown) {
      state.unmet.push({ document, node, namespace, diagnostics: outcome });
    } else if (outcome !== null && !quiet) {
      state.warnings.add(...outcome);
    }
  }
  for (const part of partsOf(document.root)) {
    const name = qNameAt(part, attributeOf(part, 'element') ?? '');
    if (name === null || wellKnownIn(name.uri) === null) continue;
    state.unmet.push({ document, node: part, namespace: name.uri, diagnostics: null });
  }
}

const partsOf = (root: XmlNode): readonly XmlNode[] =>
  childrenOf(root, WSDL, 'message').flatMap((message) => childrenOf(message, WSDL, 'part'));

/**
 * Reads the well-known documents that the WSDL needs and does not contain. Their imports are found
 * in the same way: their own locations are not followed.
 */
async function followWellKnown(state: LoadState): Promise<void> {
  const provided = new Set(state.documents.flatMap(({ root }) => [...targetsOf(root)]));
  for (const { document, node, namespace, diagnostics } of state.unmet) {
    const file = wellKnownIn(namespace);
    if (file === null) continue;
    const target = targetKey(file.kind, namespace);
    if (provided.has(target)) {
      const known = state.byKey.get(file.key);
      if (known !== undefined) {
        document.references.set(node, known);
      }
      continue;
    }
    provided.add(target);
    const index = await load(state, document, node, file, state.wellKnown);
    if (typeof index !== 'number') {
      state.warnings.add(...(diagnostics ?? index ?? []));
      continue;
    }
    document.references.set(node, index);
    warnOfReplaced(node, diagnostics, state.warnings);
    const read = state.documents[index];
    for (const { node: inner } of read === undefined ? [] : referencesOf(read.root)) {
      const needed = attributeOf(inner, 'namespace') ?? '';
      if (read !== undefined) {
        state.unmet.push({ document: read, node: inner, namespace: needed, diagnostics: null });
      }
    }
  }
}

/**
 * A copy read for a document on the web is what its author means; one read for a file that is
 * missing may not be.
 */
function warnOfReplaced(
  node: XmlNode,
  diagnostics: readonly Diagnostic[] | null,
  warnings: Warnings,
): void {
  const [first] = diagnostics ?? [];
  if (first === undefined || /^https?:/i.test(attributeOf(node, referenceAttribute(node)) ?? '')) {
    return;
  }
  const cause = 'The document cannot be read: the copy that comes with Soapstone is read instead.';
  warnings.add({
    ...first,
    what: `${first.what} The copy that comes with Soapstone is read instead.`,
    cause,
  });
}

const targetKey = (kind: LoadedDocument['kind'], namespace: string): string =>
  `${kind} ${namespace}`;

/** The target namespaces of a document and of the schemas inside it, each with its kind. */
function targetsOf(root: XmlNode): readonly string[] {
  const schemas = root.uri === XSD ? [root] : inlineSchemas(root);
  const keys = schemas.map((schema) =>
    targetKey('schema', attributeOf(schema, 'targetNamespace') ?? ''),
  );
  return root.uri === XSD
    ? keys
    : [...keys, targetKey('wsdl', attributeOf(root, 'targetNamespace') ?? '')];
}

/**
 * An import must name the target namespace of its document (XSD 1.0 part 1 section 4.2.3, WSDL 1.1
 * section 2.1.1).
 */
function warnOfOtherTarget(
  reference: XmlNode,
  root: XmlNode | undefined,
  warnings: Warnings,
): void {
  if (root === undefined || reference.local !== 'import') return;
  const named = attributeOf(reference, 'namespace') ?? '';
  const target = attributeOf(root, 'targetNamespace') ?? '';
  if (named === target || targetsOf(root).includes(targetKey('schema', named))) return;
  const own = target === '' ? 'has no target namespace' : `has the target namespace ${target}`;
  const what =
    `The import names ${named === '' ? 'no namespace' : `the namespace ${named}`}, ` +
    `but ${root.source.file} ${own}.`;
  const remedy =
    'Its declarations are found by its own target namespace only: correct one of the two.';
  warnings.addAt(reference, what, remedy);
}

/**
 * The index of the document, the diagnostics for which it is not read, or null when those were
 * reported before.
 */
async function followOne(
  state: LoadState,
  document: MutableDocument,
  node: XmlNode,
  href: string,
): Promise<number | readonly Diagnostic[] | null> {
  const located = await state.source.locate(href, document.base);
  if (isRefused(located)) return [diagnosticAtNode(node, located.what, located.remedy)];
  const { inPlaceOf } = located;
  if (inPlaceOf === undefined) return load(state, document, node, located, state.source);
  const outcome = await load(state, document, node, located, state.source);
  if (typeof outcome !== 'number') return outcome;
  const { what, remedy } = inPlaceOf;
  const instead = `The file ${located.location} of the same name is read in its place.`;
  const cause = `${what} The file of the same name is read in its place.`;
  state.warnings.add({ ...diagnosticAtNode(node, `${what} ${instead}`, remedy), cause });
  return outcome;
}

/** Whether a file of the same name as the one that a reference means has its target namespace. */
function hasTarget(root: XmlNode, reference: XmlNode): boolean {
  const target = attributeOf(root, 'targetNamespace') ?? '';
  if (reference.local === 'import') return target === (attributeOf(reference, 'namespace') ?? '');
  return (
    target === '' || target === (attributeOf(reference.parent ?? root, 'targetNamespace') ?? '')
  );
}

async function load(
  state: LoadState,
  document: MutableDocument,
  node: XmlNode,
  located: Located,
  source: DocumentSource,
): Promise<number | readonly Diagnostic[] | null> {
  const known = state.byKey.get(located.key);
  if (known !== undefined) {
    const read = state.documents[known];
    const refused = read === undefined ? null : refusalOfTarget(located, read.root, node);
    if (refused !== null) return [diagnosticAtNode(node, refused.what, refused.remedy)];
    return known === -1 ? null : known;
  }
  if (state.documents.length >= IMPORT_LIMITS.documents) {
    throw errorAtNode(node, `The WSDL has more than ${IMPORT_LIMITS.documents} documents.`);
  }
  if (document.depth + 1 > IMPORT_LIMITS.depth) {
    throw errorAtNode(
      node,
      `Documents import each other deeper than ${IMPORT_LIMITS.depth} levels.`,
    );
  }
  try {
    const read = await readDocument(state, located, document.depth + 1, source, node);
    if (!isRefused(read)) return read.index;
    // A file that was not meant may still be named by another reference.
    if (read !== located.inPlaceOf) {
      state.byKey.set(located.key, -1);
    }
    const { what, remedy } = located.isOutside === true ? unusable(located) : read;
    return [diagnosticAtNode(node, what, remedy)];
  } catch (error) {
    if (!(error instanceof ConfigurationError) || state.budget.elements < 0) throw error;
    state.byKey.set(located.key, -1);
    if (located.isOutside === true) {
      const { what, remedy } = unusable(located);
      return [diagnosticAtNode(node, what, remedy)];
    }
    return [
      diagnosticAtNode(node, 'The document it refers to cannot be used.'),
      ...error.diagnostics,
    ];
  }
}

/**
 * A file outside the folder of the WSDL that is no document: nothing of its content is reported
 * (catalogue C02).
 */
const unusable = ({ location, inPlaceOf }: Located): Refused =>
  inPlaceOf ?? {
    what:
      `The file ${location} lies outside the folder of the WSDL and is no schema or ` +
      'WSDL that can be read.',
    remedy: 'Its faults are reported with `--root FOLDER`, for a folder that holds it.',
  };

/**
 * Why a file of the same name is not the one that a reference means; null where it is, and for
 * others.
 */
function refusalOfTarget({ inPlaceOf }: Located, root: XmlNode, node: XmlNode): Refused | null {
  return inPlaceOf === undefined || hasTarget(root, node) ? null : inPlaceOf;
}

const errorAtNode = (
  node: XmlNode,
  what: string,
  remedy: string | null = null,
): ConfigurationError => new ConfigurationError([diagnosticAtNode(node, what, remedy)]);

async function readDocument(
  state: LoadState,
  located: Located,
  depth: number,
  origin: DocumentSource,
  reference: XmlNode | null,
): Promise<MutableDocument | Refused> {
  const opened = await origin.open(located, state.bytesLeft);
  if (isRefused(opened)) return opened;
  state.bytesLeft -= opened.bytes.length;
  const decoded = decodeDocument(opened.bytes, opened.charset);
  if ('what' in decoded) {
    return archiveProblem(opened.bytes) ?? { what: decoded.what, remedy: 'Save it as UTF-8.' };
  }
  const html = htmlProblem(decoded.text);
  if (html !== null) return html;
  const plain = withoutDoctype(decoded.text);
  if (plain === null) {
    return { what: 'The document has a DTD that does not end, or is too long.', remedy: NO_DTD };
  }
  const source = { file: located.location, text: plain.text };
  // Schemas of the W3C come with one; a WSDL has no use for it (catalogue C04).
  if (plain.start !== null && state.documents.length === 0) throw refusedDtd(source, plain.start);
  const onRepair = (node: XmlNode, what: string): void => state.warnings.addAt(node, what);
  const tree = await state.pace.run(parseTree(source, state.budget, onRepair));
  const root = readOlderSchemas(tree, onRepair);
  const kind = kindOf(root);
  if (plain.start !== null && kind === 'wsdl') throw refusedDtd(source, plain.start);
  if (plain.start !== null && origin !== state.wellKnown) {
    const what =
      'The document has a DTD, which is not read: its entities and default values do not exist.';
    state.warnings.add({
      file: source.file,
      ...positionOf(source, plain.start),
      what,
      remedy: NO_DTD,
    });
  }
  const refused = reference === null ? null : refusalOfTarget(located, root, reference);
  if (refused !== null) return refused;
  const index = state.documents.length;
  const document = {
    location: located.location,
    key: located.key,
    index,
    kind,
    root,
    references: new Map(),
    depth,
    base: opened.base,
  };
  state.documents.push(document);
  state.byKey.set(located.key, index);
  return document;
}

/** What is not text since it is an archive, as they are downloaded; null for anything else. */
function archiveProblem(bytes: Uint8Array): Refused | null {
  if (!ARCHIVES.some((mark) => mark.every((byte, at) => bytes[at] === byte))) return null;
  return {
    what: 'The document is an archive (gzip or zip), not a WSDL or schema.',
    remedy: 'Unpack it first.',
  };
}

const ARCHIVES: readonly (readonly number[])[] = [
  [0x1f, 0x8b],
  [0x50, 0x4b, 0x03, 0x04],
];

function htmlProblem(text: string): Refused | null {
  const begin = text.slice(0, 1024).trimStart().toLowerCase();
  if (!begin.startsWith('<!doctype html') && !begin.startsWith('<html')) return null;
  return {
    what: 'The answer is an HTML page, not a WSDL or schema.',
    remedy: 'A page like this often asks for a login: check the address and the credentials.',
  };
}

function kindOf(root: XmlNode): 'wsdl' | 'schema' {
  if (root.uri === WSDL && root.local === 'definitions') return 'wsdl';
  if (root.uri === XSD && root.local === 'schema') return 'schema';
  const what =
    root.uri === WSDL_20
      ? 'The document is a WSDL 2.0 description; only WSDL 1.1 is read.'
      : 'The document is neither a WSDL 1.1 description nor an XML Schema.';
  throw errorAtNode(root, what);
}

/** The elements of a document that name another one, with the attribute that does. */
export function referencesOf(root: XmlNode): readonly Reference[] {
  if (root.uri === XSD) return schemaReferences(root);
  const imports = childrenOf(root, WSDL, 'import').map(
    (node): Reference => ({ node, attribute: referenceAttribute(node) }),
  );
  // WS-I R2003 wants a schema around an import; stacks read one directly in `types` all the same.
  const types = childrenOf(root, WSDL, 'types').flatMap(schemaReferences);
  return [...imports, ...types, ...inlineSchemas(root).flatMap(schemaReferences)];
}

function schemaReferences(container: XmlNode): readonly Reference[] {
  return container.children
    .filter(
      ({ uri, local }) =>
        uri === XSD && (local === 'import' || local === 'include' || local === 'redefine'),
    )
    .map((node) => ({ node, attribute: referenceAttribute(node) }));
}

/** The schemas written inside a WSDL. */
export const inlineSchemas = (definitions: XmlNode): readonly XmlNode[] =>
  childrenOf(definitions, WSDL, 'types').flatMap((types) => childrenOf(types, XSD, 'schema'));

/**
 * The attribute of a reference that names the document. Some authors write that of the other kind
 * of reference.
 */
export function referenceAttribute(node: XmlNode): Reference['attribute'] {
  const own = ownAttribute(node);
  const other = own === 'location' ? 'schemaLocation' : 'location';
  return attributeOf(node, own) === null && attributeOf(node, other) !== null ? other : own;
}

const ownAttribute = ({ uri }: XmlNode): Reference['attribute'] =>
  uri === WSDL ? 'location' : 'schemaLocation';
