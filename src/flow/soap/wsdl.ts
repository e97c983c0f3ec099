import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import type { Compiled } from '../../compile.js';
import { collections, MIB, Refusal } from '../../core/index.js';
import { compress, isCompressible } from '../../gateway/compress.js';
import {
  portKey,
  type ServedDocument,
  servedDocument,
  withBridgedPorts,
} from '../../wsdl/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { isKnownTag } from '../http/known-tag.js';
import { REQUEST_ID } from '../http/linger.js';
import { mayCompress } from '../http/may-compress.js';
import { ServedAddress } from './served-address.js';

/** The documents of all services that show theirs. */
export interface WsdlEndpoint {
  /**
   * The services that show theirs, with the paths of ports that other services of the same WSDL
   * have, by `portKey`.
   */
  readonly otherPorts: ReadonlyMap<SoapService, ReadonlyMap<string, string>>;
  /** The ports of these services that no service of the gateway can be called by. */
  readonly hiddenPorts: ReadonlyMap<SoapService, ReadonlySet<string>>;
  /** The documents of these services, with the ports that they are bridged to. */
  readonly documents: ReadonlyMap<SoapService, () => Documents>;
  readonly address: ServedAddress;
  /** Documents in gzip by entity tag: clients ask for the same few again. */
  readonly compressed: collections.BoundedCache<Buffer>;
}

type Documents = ReturnType<typeof withBridgedPorts>;
type BridgedPorts = Parameters<typeof withBridgedPorts>[1];

const COMPRESSED_BYTES_MAX = 8 * MIB;

export function makeWsdlEndpoint(compiled: Compiled): WsdlEndpoint {
  const { services } = compiled;
  const showing = services.filter(({ wsdl, servesWsdl }) => wsdl !== null && servesWsdl);
  const otherPorts = new Map(showing.map((service) => [service, otherPortsOf(service, services)]));
  const hiddenPorts = new Map(
    showing.map((service) => [service, hiddenPortsOf(service, otherPorts.get(service))]),
  );
  const documents = new Map(showing.map((service) => [service, documentsOf(service)]));
  const compressed = new collections.BoundedCache<Buffer>({
    size: COMPRESSED_BYTES_MAX,
    sizeOf: ({ length }) => length,
  });
  return { otherPorts, hiddenPorts, documents, address: new ServedAddress(compiled), compressed };
}

/**
 * The documents of a service. A port is offered once more in each version that callers may speak
 * and that no port of its port type has. They are made when they are first asked for.
 */
function documentsOf(service: SoapService): () => Documents {
  let made: Documents | null = null;
  return () => {
    made ??= withBridgedPorts(service.wsdl?.documents ?? [], bridgedPortsOf(service));
    return made;
  };
}

function bridgedPortsOf({ wsdl, ports, bridged }: SoapService): BridgedPorts {
  const all = wsdl?.services.flatMap((described) => described.ports) ?? [];
  return [...bridged].flatMap(({ name: to }) =>
    ports.flatMap((port): BridgedPorts[number][] => {
      const { dialect: from, portType } = port;
      const isOffered = all.some(
        (other) => other.dialect === to && other.portType === portType && portType !== undefined,
      );
      if (isOffered || to === '2001-12' || from === '2001-12' || from === to) return [];
      return portKeysOf({ wsdl, ports: [port] }).map((key) => ({ port: key, from, to }));
    }),
  );
}

/**
 * The ports that are not chosen, that no other service has, and of a version that this one does not
 * speak: a caller who chose one would be refused.
 */
function hiddenPortsOf(
  { wsdl, ports, dialects }: SoapService,
  others: ReadonlyMap<string, string> = new Map(),
): ReadonlySet<string> {
  const spoken = new Set(dialects.map(({ name }) => name));
  const all = wsdl?.services.flatMap((described) => described.ports) ?? [];
  const unspoken = all.filter((port) => !spoken.has(port.dialect) && !ports.includes(port));
  const keys = portKeysOf({ wsdl, ports: unspoken });
  return new Set(keys.filter((key) => !others.has(key)));
}

/** The first service that has a port is the one that callers of the port are led to. */
function otherPortsOf(
  own: SoapService,
  services: readonly SoapService[],
): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const ownKeys = new Set(portKeysOf(own));
  for (const other of services) {
    if (other === own || other.wsdl?.documents !== own.wsdl?.documents) continue;
    for (const key of portKeysOf(other)) {
      if (!ownKeys.has(key) && !paths.has(key)) {
        paths.set(key, other.path);
      }
    }
  }
  return paths;
}

/** A port whose name another service of the WSDL has too is `Service.Port` in the model. */
const portKeysOf = ({ wsdl, ports }: Pick<SoapService, 'wsdl' | 'ports'>): readonly string[] =>
  (wsdl?.services ?? []).flatMap((described) => {
    const { local } = described.name;
    const chosen = described.ports.filter(({ name }) => ports.some((port) => port.name === name));
    return chosen.map(({ name }) =>
      portKey(local, name.startsWith(`${local}.`) ? name.slice(local.length + 1) : name),
    );
  });

/**
 * `?wsdl`, `?wsdl=1`, `?xsd=2`, and what some stacks call all of it in one: in either case of
 * letters.
 */
const QUERY = /^\?(?:wsdl|xsd|singlewsdl)(?:[=&]|$)/i;

/**
 * Whether the target asks for a document and not for a message. Backends are never asked for
 * theirs.
 */
export const asksForDocument = (method: string, query: string): boolean =>
  (method === 'GET' || method === 'HEAD') && QUERY.test(query);

/** Documents are asked for by number: a path or an address here is an attempt at something else. */
const NUMBERED = /^\?(?:(?:wsdl|xsd)(?:=[0-9]+)?|singlewsdl)$/i;

/**
 * Serves the WSDL of a service or one of its schemas, with the gateway's address in it. Throws
 * `HTTP_NOT_FOUND` for a document that does not exist or is not shown, and `HTTP_BAD_REQUEST` for a
 * query that names none.
 */
export async function serveWsdl(
  endpoint: WsdlEndpoint,
  { caller, exchange, request, response }: HttpExchange,
  service: SoapService,
  query: string,
): Promise<void> {
  exchange.operation = 'wsdl';
  if (!NUMBERED.test(query)) throw new Refusal('HTTP_BAD_REQUEST', 'document');
  const otherPorts = endpoint.otherPorts.get(service);
  if (service.wsdl === null || otherPorts === undefined) throw new Refusal('HTTP_NOT_FOUND');
  const address = endpoint.address.of(request, exchange.peer);
  const others = new Map([...otherPorts].map(([port, path]) => [port, address + path]));
  const base = address + service.path;
  const hidden = endpoint.hiddenPorts.get(service);
  const documents = endpoint.documents.get(service)?.() ?? service.wsdl.documents;
  const document = servedDocument(documents, query, base, others, hidden);
  if (document === null) throw new Refusal('HTTP_NOT_FOUND');
  const compressed = mayCompress(request, caller.client)
    ? await compressedForm(endpoint, document)
    : null;
  // A strong tag names the bytes of one coding.
  const etag = compressed === null ? document.etag : `W/${document.etag}`;
  // A cache revalidates each time: another address gets another document.
  const vary = `accept-encoding${endpoint.address.varies}`;
  const validators = [
    REQUEST_ID,
    exchange.id,
    'etag',
    etag,
    'cache-control',
    'no-cache',
    'vary',
    vary,
  ];
  if (isKnownTag(request.headers['if-none-match'], document.etag)) {
    exchange.status = 304;
    response.writeHead(304, validators).end();
    return;
  }
  exchange.status = 200;
  const bytes = compressed?.length ?? document.bytes;
  const type = ['content-type', 'text/xml; charset=utf-8', 'content-length', String(bytes)];
  if (compressed !== null) {
    type.push('content-encoding', 'gzip');
  }
  response.writeHead(200, [...type, ...validators]);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  exchange.bytesOut = bytes;
  if (compressed === null) {
    send(document, response);
  } else {
    response.end(compressed);
  }
}

/** The document in gzip; null where it goes out as it is. */
async function compressedForm(
  endpoint: WsdlEndpoint,
  { parts, bytes, etag }: ServedDocument,
): Promise<Buffer | null> {
  if (!isCompressible(bytes)) return null;
  const kept = endpoint.compressed.get(etag);
  if (kept !== undefined) return kept;
  const compressed = await compress(Buffer.concat(parts));
  if (compressed !== null) {
    endpoint.compressed.set(etag, compressed);
  }
  return compressed;
}

/** Longer ones go out in parts, which are shared: joining them would be a copy for each caller. */
const JOIN_BYTES = 64 * 1024;

function send({ parts, bytes }: ServedDocument, response: ServerResponse): void {
  if (bytes <= JOIN_BYTES) {
    response.end(Buffer.concat(parts));
    return;
  }
  response.cork();
  for (const part of parts) {
    response.write(part);
  }
  response.end();
  response.uncork();
}
