import { dirname, isAbsolute } from 'node:path';
import { AT_ONCE, diagnosis, type inputFiles, type Pace } from '../core/index.js';
import { ProfileCheck } from './basic-profile.js';
import { type DocumentLink, portKey, type WsdlDocument } from './document.js';
import {
  combineSources,
  type FetchDocument,
  fileSource,
  httpSource,
} from './documents/document-source.js';
import {
  type LoadedDocument,
  loadDocuments,
  referenceAttribute,
  referencesOf,
} from './documents/documents.js';
import { declaredEncoding } from './documents/encoding.js';
import { isBuiltInNamespace, WSA_10, WSDL, XSD } from './documents/namespaces.js';
import { sharedFolder } from './documents/nearby.js';
import { collectWarnings, type Warnings } from './documents/warnings.js';
import { isWellKnown } from './documents/well-known.js';
import {
  attributeOf,
  attributeSpan,
  childrenOf,
  nameOfNode,
  type XmlNode,
} from './documents/xml-tree.js';
import type { WsdlModel, XsdType } from './model.js';
import { collectDefinitions } from './operations/definitions.js';
import { withDistinctNames } from './operations/distinct-names.js';
import { warnOfRequiredExtensions } from './operations/extensions.js';
import { MessageParts } from './operations/message-parts.js';
import { readPortless } from './operations/portless.js';
import { reachableDiagnostics } from './operations/reach.js';
import { BindingReader, readServices } from './operations/services.js';
import { readUncallable } from './operations/uncallable.js';
import { collectComponents } from './xsd/components.js';
import { freezing } from './xsd/freeze.js';
import { readSchema } from './xsd/schema.js';

export interface ReadOptions {
  /**
   * Gets a document by HTTP; null where only files are read. It must not follow redirects to other
   * hosts.
   */
  readonly fetch: FetchDocument | null;
  /** For a WSDL in a file: nothing outside this folder is read. Null for the folder of the WSDL. */
  readonly root: string | null;
  /**
   * For a WSDL in a file: whether files beside its folder are read too where `root` is null
   * (`isNearby`).
   */
  readonly nearby?: boolean;
  /**
   * Hosts (`name` or `name:port`) that documents may come from, beside that of a WSDL from a URL.
   */
  readonly hosts: readonly string[];
  /** The file system; absent: the disk. */
  readonly inputs?: inputFiles.Inputs;
  /** Absent: without a pause. */
  readonly pace?: Pace;
}

/**
 * Reads a WSDL 1.1 with its schemas into the model, frozen. `location` is a path or an http(s) URL.
 *
 * Throws `ConfigurationError` only when it cannot be read at all; unsupported parts are in
 * `warnings` and in the reasons of the operations.
 */
export async function readWsdl(location: string, options: ReadOptions): Promise<WsdlModel> {
  const warnings = collectWarnings();
  const source = sourceFor(location, options);
  const { pace = AT_ONCE } = options;
  const documents = await loadDocuments(location, source, warnings, options.inputs, pace);
  if (options.nearby === true && options.root === null) {
    warnOfWiderFolder(documents, warnings);
  }
  const definitions = collectDefinitions(documents, warnings);
  await pace.pause();
  const components = collectComponents(documents, warnings);
  await pace.pause();
  const schema = await pace.run(readSchema(components, warnings));
  const all = function* (): Generator<XsdType> {
    yield* schema.types.values();
    for (const { type } of schema.elements.values()) {
      yield type;
    }
  };
  const reach = reachableDiagnostics(all, schema.approximated);
  const context = { definitions, schema, reach, warnings, parts: new MessageParts() };
  const bindings = new BindingReader(definitions, context);
  await pace.pause();
  const services = readServices(definitions, bindings, warnings);
  await pace.pause();
  const [main] = documents;
  if (services.length === 0 && main !== undefined) {
    services.push(readPortless(main, definitions, bindings, context));
  }
  const uncallable = readUncallable(definitions, bindings);
  warnOfRequiredExtensions(documents, warnings);
  await pace.pause();
  const profile = new ProfileCheck(documents, definitions).findings();
  const model: WsdlModel = {
    services: withDistinctNames(services),
    ...(uncallable.length === 0 ? {} : { uncallable }),
    types: schema.types,
    elements: schema.elements,
    attributes: schema.attributes,
    documents: documents.map((document) => segmentDocument(document, documents)),
    warnings: warnings.list(),
    ...(profile.length === 0 ? {} : { profile }),
  };
  return pace.run(freezing(model));
}

/**
 * Files beside the folder of the WSDL were read: the warning names the folder that holds them all.
 */
function warnOfWiderFolder(documents: readonly LoadedDocument[], warnings: Warnings): void {
  const files = documents.filter(({ key, location }) => isAbsolute(key) && !isWellKnown(location));
  const [main] = files;
  if (main === undefined) return;
  const folder = dirname(main.key);
  const shared = sharedFolder(files.map(({ key }) => dirname(key)));
  if (shared === folder) return;
  const what = `The WSDL refers to files outside its folder; they were read from ${shared}.`;
  const remedy = '`--root FOLDER` sets the folder that its files may lie in.';
  warnings.add(diagnosis.unplaced(what, remedy, main.location));
}

function sourceFor(location: string, { fetch, root, nearby = false, hosts, inputs }: ReadOptions) {
  if (!/^https?:\/\//i.test(location)) {
    const files = fileSource(location, root, nearby, inputs);
    return fetch === null || hosts.length === 0
      ? files
      : combineSources(files, httpSource(null, hosts, fetch));
  }
  const refuse = (what: string): never => {
    throw diagnosis.unplacedError(what, null, location);
  };
  if (!URL.canParse(location)) return refuse('The address is not a valid URL.');
  if (fetch === null) return refuse('A WSDL is read from a file here, not from an address.');
  return httpSource(location, hosts, fetch);
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly segment: string | DocumentLink;
}

/** Splits a document into its text and the addresses and references to other documents in it. */
function segmentDocument(document: LoadedDocument, all: readonly LoadedDocument[]): WsdlDocument {
  const { text } = document.root.source;
  const segments: (string | DocumentLink)[] = [];
  let at = 0;
  for (const replacement of replacementsIn(document, all, text).sort((a, b) => a.start - b.start)) {
    if (replacement.start < at) continue;
    segments.push(text.slice(at, replacement.start), replacement.segment);
    at = replacement.end;
  }
  segments.push(text.slice(at));
  return { index: document.index, kind: document.kind, location: document.location, segments };
}

function replacementsIn(
  document: LoadedDocument,
  all: readonly LoadedDocument[],
  text: string,
): Replacement[] {
  const replacements: Replacement[] = [];
  const encoding = declaredEncoding(text);
  if (encoding !== null && encoding.value.toLowerCase() !== 'utf-8') {
    replacements.push({ ...encoding, segment: 'UTF-8' });
  }
  for (const [node, index] of document.references) {
    const target = all[index];
    if (target === undefined || node.local === 'part') continue;
    const attribute = referenceAttribute(node);
    const span = attributeSpan(node, attribute);
    const written = span === null ? '' : text.slice(span.start, span.end);
    const link: DocumentLink = { kind: 'document', index, target: target.kind, written };
    if (span !== null) {
      replacements.push({ ...span, segment: link });
    } else {
      replacements.push(...newAttribute(node, attribute, link, text));
    }
  }
  for (const { node, attribute } of referencesOf(document.root)) {
    const span = document.references.has(node) ? null : unresolvedSpan(node, attribute, text);
    if (span !== null) {
      replacements.push({
        ...span,
        segment: { kind: 'unresolved', written: text.slice(span.start, span.end) },
      });
    }
  }
  for (const { node, key } of portsOf(document.root)) {
    const addEdge = (edge: 'start' | 'end', at: number): unknown =>
      replacements.push({
        start: at,
        end: at,
        segment: { kind: 'port', port: key, edge, written: '' },
      });
    addEdge('start', node.start);
    const add = ({ start, end }: Span): unknown =>
      replacements.push({
        start,
        end,
        segment: { kind: 'address', port: key, written: text.slice(start, end) },
      });
    // The addresses of all bindings are replaced, also of those that are not SOAP.
    for (const address of node.children) {
      const span = address.local === 'address' ? attributeSpan(address, 'location') : null;
      if (span !== null) {
        add(span);
      }
    }
    for (const { contentStart: start, contentEnd: end } of endpointAddressesOf(node)) {
      add({ start, end });
    }
    addEdge('end', endOf(node, text));
  }
  return replacements;
}

/**
 * An attribute behind the name of an element that has none: the import of a schema that every
 * reader knows.
 */
function newAttribute(
  node: XmlNode,
  attribute: string,
  link: DocumentLink,
  text: string,
): readonly Replacement[] {
  const end = text.slice(node.start, node.contentStart).search(/[\s/>]/);
  const at = { start: node.start + end, end: node.start + end };
  return [` ${attribute}="`, link, '"'].map((segment) => ({ ...at, segment }));
}

const portsOf = (root: XmlNode): readonly { readonly node: XmlNode; readonly key: string }[] =>
  childrenOf(root, WSDL, 'service').flatMap((service) =>
    childrenOf(service, WSDL, 'port').map((node) => ({
      node,
      key: portKey(nameOfNode(service), nameOfNode(node)),
    })),
  );

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a reference that names a document which was not read: the attribute of an import,
 * which is optional, else the whole element. Null where it names nothing, and for the public
 * schemas that every reader knows.
 */
function unresolvedSpan(node: XmlNode, attribute: string, text: string): Span | null {
  const value = attributeSpan(node, attribute);
  if (value === null || isBuiltInNamespace(attributeOf(node, 'namespace') ?? '')) return null;
  if (node.uri === XSD && node.local === 'import') {
    const start = text.lastIndexOf(attribute, value.start);
    return { start: start - 1, end: value.end + 1 };
  }
  return { start: node.start, end: endOf(node, text) };
}

/** The offset behind an element. */
function endOf({ contentStart, contentEnd }: XmlNode, text: string): number {
  const isEmpty = text[contentStart - 2] === '/';
  return isEmpty ? contentStart : text.indexOf('>', contentEnd) + 1;
}

/** The addresses WS-Addressing repeats beside `soap:address`. */
function endpointAddressesOf(port: XmlNode): readonly XmlNode[] {
  return childrenOf(port, WSA_10, 'EndpointReference')
    .flatMap((reference) => childrenOf(reference, WSA_10, 'Address'))
    .filter(
      (address) => address.children.length === 0 && address.contentEnd > address.contentStart,
    );
}
