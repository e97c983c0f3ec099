import { escapeQuoted } from '../xml/index.js';
import type { DocumentLink, WsdlDocument } from './document.js';

/** The versions of SOAP that WSDL has a binding for. */
type BoundVersion = '1.1' | '1.2';

/** A port that is offered in a further version. */
export interface BridgedPort {
  /** The `portKey` of the port. */
  readonly port: string;
  readonly from: BoundVersion;
  readonly to: BoundVersion;
}

const BINDING_URI: Readonly<Record<BoundVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};
const ENCODING_URI: Readonly<Record<BoundVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/encoding/',
  '1.2': 'http://www.w3.org/2003/05/soap-encoding',
};
const SUFFIX: Readonly<Record<BoundVersion, string>> = { '1.1': 'Soap11', '1.2': 'Soap12' };

type Segments = WsdlDocument['segments'];

/**
 * The documents with a further port for each of these: a copy of the port and of its binding, in
 * the other version, behind it. Their names have the version at the end.
 */
export function withBridgedPorts(
  documents: readonly WsdlDocument[],
  ports: readonly BridgedPort[],
): readonly WsdlDocument[] {
  if (ports.length === 0) return documents;
  // Keys are local names of bindings.
  const bindings = new Map<string, BridgedPort>();
  const withPorts = documents.map((document) => ({
    ...document,
    segments: ports.reduce((segments: Segments, port) => {
      return withPort(segments, port, bindings);
    }, document.segments),
  }));
  return withPorts.map((document) => ({
    ...document,
    segments: document.segments.map((segment) =>
      typeof segment === 'string' ? withBindings(segment, bindings) : segment,
    ),
  }));
}

function withPort(
  segments: Segments,
  bridged: BridgedPort,
  bindings: Map<string, BridgedPort>,
): Segments {
  const start = segments.findIndex((segment) => isEdge(segment, bridged.port, 'start'));
  const end = segments.findIndex((segment) => isEdge(segment, bridged.port, 'end'));
  if (start < 0 || end < start) return segments;
  const inside = segments.slice(start + 1, end);
  const [first] = inside;
  const binding =
    typeof first === 'string' ? /\sbinding\s*=\s*["'](?:[^:"']*:)?([^"']+)["']/.exec(first) : null;
  if (typeof first !== 'string' || binding?.[1] === undefined) return segments;
  bindings.set(binding[1], bridged);
  const renamed = first
    .replace(/(\sname\s*=\s*["'][^"']*)/, `$1${SUFFIX[bridged.to]}`)
    .replace(/(\sbinding\s*=\s*["'][^"']*)/, `$1${SUFFIX[bridged.to]}`);
  const prefix = /<([\w.-]+):address\b/.exec(
    inside.filter((each) => typeof each === 'string').join(''),
  );
  const copy = [rebound(renamed, prefix?.[1] ?? null, bridged), ...inside.slice(1)].map(
    (segment) => (typeof segment === 'string' ? inVersion(segment, bridged) : segment),
  );
  return [...segments.slice(0, end + 1), ...copy, ...segments.slice(end + 1)];
}

const isEdge = (segment: string | DocumentLink, port: string, edge: 'start' | 'end'): boolean =>
  typeof segment !== 'string' &&
  segment.kind === 'port' &&
  segment.port === port &&
  segment.edge === edge;

/** A start tag, and what follows it, with the prefix of the binding's elements bound anew. */
function rebound(text: string, prefix: string | null, { to }: BridgedPort): string {
  if (prefix === null) return text;
  const own = new RegExp(`\\sxmlns:${prefix.replaceAll('.', '\\.')}\\s*=\\s*(?:"[^"]*"|'[^']*')`);
  const end = text.search(/[\s/>]/);
  const tagEnd = text.indexOf('>');
  const tag = text.slice(0, tagEnd).replace(own, '');
  const declaration = ` xmlns:${prefix}="${escapeQuoted(BINDING_URI[to])}"`;
  return `${tag.slice(0, end)}${declaration}${tag.slice(end)}${text.slice(tagEnd)}`;
}

/** The text with the namespaces of the other version where it names those of this one. */
const inVersion = (text: string, { from, to }: BridgedPort): string =>
  [BINDING_URI, ENCODING_URI].reduce(
    (changed, uris) =>
      changed
        .replaceAll(`"${uris[from]}"`, `"${uris[to]}"`)
        .replaceAll(`'${uris[from]}'`, `'${uris[to]}'`),
    text,
  );

/** A binding's start tag that is not empty. */
const BINDING = /<((?:[A-Za-z_][\w.-]*:)?)binding((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*>/g;

/** The text with a copy behind each of these bindings. */
function withBindings(text: string, bindings: ReadonlyMap<string, BridgedPort>): string {
  let made = '';
  let from = 0;
  for (const found of text.matchAll(BINDING)) {
    const [, prefix = '', attributes = ''] = found;
    const name = /\sname\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? '';
    const bridged = bindings.get(name);
    const close = text.indexOf(`</${prefix}binding`, found.index);
    const end = close < 0 ? -1 : text.indexOf('>', close) + 1;
    if (bridged === undefined || end <= 0 || found.index < from) continue;
    made += text.slice(from, end) + bridgedBinding(text.slice(found.index, end), bridged);
    from = end;
  }
  return made + text.slice(from);
}

function bridgedBinding(binding: string, bridged: BridgedPort): string {
  const renamed = binding.replace(/(\sname\s*=\s*["'][^"']*)/, `$1${SUFFIX[bridged.to]}`);
  const prefix = /<([\w.-]+):binding\b[^>]*\stransport\s*=/.exec(renamed)?.[1] ?? null;
  return inVersion(rebound(renamed, prefix, bridged), bridged);
}
