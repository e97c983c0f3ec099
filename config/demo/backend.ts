import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PACKAGE_FOLDER } from '../../src/core/files/package-folder.js';
import { ARCHIVE, ARCHIVE_OPERATIONS, Archive, type Failure } from './archive.js';
import { Desk } from './desk.js';
import {
  DeskFault,
  DIALECTS,
  type Dialect,
  type Element,
  envelopeAround,
  readDocument,
  readEnvelope,
  Undecodable,
  writeFault,
} from './envelope.js';
import { DESK, OPERATIONS, type Reply, SESSION_TOKEN } from './operations.js';

/** What the backend remembers between calls. */
interface Memory {
  readonly desk: Desk;
  readonly archive: Archive;
}

interface DemoCall {
  readonly memory: Memory;
  readonly element: Element;
  readonly session: Element | null;
  readonly signal: AbortSignal;
}

/** A service of the backend, at a path of its own. */
interface DemoService {
  readonly namespace: string;
  readonly wsdl: string;
  /** The prefixes of its replies. */
  readonly prefix: string;
  readonly declarations: string;
  /** `undefined` for an operation that it does not have. */
  perform(name: string, call: DemoCall): Reply | Promise<Reply> | undefined;
}

const SERVICES: ReadonlyMap<string, DemoService> = new Map<string, DemoService>([
  [
    '/orders',
    {
      namespace: DESK,
      wsdl: 'legacy.wsdl',
      prefix: 'd',
      declarations: `xmlns:d="${DESK}" xmlns:t="${DESK}/types"`,
      perform: (name, { memory: { desk }, element, session, signal }) =>
        OPERATIONS.get(name)?.({ desk, element, session, signal }),
    },
  ],
  [
    '/archive',
    {
      namespace: ARCHIVE,
      wsdl: 'archive.wsdl',
      prefix: 'a',
      declarations: `xmlns:a="${ARCHIVE}"`,
      perform: (name, { memory: { archive }, element }) =>
        ARCHIVE_OPERATIONS.get(name)?.(archive, element),
    },
  ],
]);

/**
 * The legacy SOAP backend of the demonstration: `/orders` and `/archive`, which speak all three
 * dialects and mirror the caller's. `GET ?wsdl` answers the WSDL, `GET ?method=GetOrder&id=7`
 * calls an operation the way old toolkits allowed.
 */
export async function startDemoBackend(
  host: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const documents = new Map<string, string>();
  for (const name of ['legacy.wsdl', 'legacy.xsd', 'archive.wsdl']) {
    documents.set(name, await readDemoFile(name));
  }
  const memory: Memory = { desk: new Desk(), archive: new Archive() };
  let origin = '';
  const server = createServer({ requestTimeout: 120_000 }, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    const query = new URLSearchParams((request.url ?? '').slice((path ?? '').length));
    const document = documents.get(
      path === '/legacy.xsd'
        ? 'legacy.xsd'
        : query.has('wsdl')
          ? (SERVICES.get(path ?? '')?.wsdl ?? '')
          : '',
    );
    if (request.method === 'GET' && document !== undefined)
      return sendXml(response, document.replaceAll('http://127.0.0.1:8081', origin));
    if (path === '/token') return issueToken(request, response);
    answer(memory, request, response, path ?? '', query).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const shown = host.includes(':') ? `[${host}]` : host;
  origin = `http://${shown}:${typeof address === 'object' && address !== null ? address.port : port}`;
  return {
    url: `${origin}/orders`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The desk takes every UsernameToken. */
const WS_SECURITY =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';

const MESSAGE_LIMIT_BYTES = 1024 * 1024;
/** Pieces of a long reply are joined to about this many characters before they are sent. */
const CHUNK_CHARS = 16_384;

/** The documents are not compiled. */
const readDemoFile = (name: string): Promise<string> =>
  readFile(new URL(`config/demo/${name}`, PACKAGE_FOLDER), 'utf8');

function sendXml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' }).end(text);
}

/** An authorization server for clients (RFC 6749 section 4.4), which asks for no credentials. */
function issueToken(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') {
    refuse(response, 405);
    return;
  }
  request.resume();
  const token = { access_token: SESSION_TOKEN, token_type: 'Bearer', expires_in: 3600 };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0, connection: 'close' }).end();
}

async function answer(
  memory: Memory,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  const service = SERVICES.get(path);
  if (service === undefined) return refuse(response, 404);
  if (request.method === 'GET' && query.has('method')) {
    const call = { headers: [], call: elementOf(query, service.namespace) };
    return perform({ memory, service }, dialectOf('1.1'), () => call, response);
  }
  if (request.method !== 'POST') return refuse(response, 405);
  const body = await readBody(request);
  if (body === null) return refuse(response, 413);
  const seen = new Set<string>();
  const guess = guessDialect(
    body.toString('latin1', 0, 1024),
    request.headers['content-type'] ?? '',
  );
  if (guess.version === '2001-12' && request.headers['content-length'] === undefined)
    return refuse(response, 411);
  let root: Element;
  try {
    root = readDocument(new TextDecoder('utf-8', { fatal: true }).decode(body), seen);
  } catch {
    if (guess.version === '2001-12') return refuse(response, 400);
    return sendFault(new DeskFault('Client', 'The message cannot be read'), guess, response);
  }
  const dialect = DIALECTS.find((candidate) => candidate.envelope === root.namespace);
  if (dialect === undefined)
    return sendFault(
      new DeskFault('VersionMismatch', 'The envelope namespace is not known'),
      guess,
      response,
    );
  return perform({ memory, service }, dialect, () => readEnvelope(root, dialect, seen), response);
}

function dialectOf(version: Dialect['version']): Dialect {
  const dialect = DIALECTS.find((candidate) => candidate.version === version);
  if (dialect === undefined) throw new Undecodable('no such dialect');
  return dialect;
}

/** For what cannot be read: the namespace that the first bytes name, else the media type's. */
function guessDialect(head: string, contentType: string): Dialect {
  const named = DIALECTS.find((dialect) => head.includes(dialect.envelope));
  return named ?? dialectOf(contentType.startsWith('application/soap+xml') ? '1.2' : '1.1');
}

/** `?method=GetOrder&id=7` as the element that a message would hold. */
function elementOf(query: URLSearchParams, namespace: string): Element {
  const element = (name: string, text: string): Element => ({
    namespace,
    name,
    text,
    attributes: new Map(),
    children: [],
  });
  const call = element(query.get('method') ?? '', '');
  for (const [name, text] of query) if (name !== 'method') call.children.push(element(name, text));
  return call;
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > MESSAGE_LIMIT_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function perform(
  { memory, service }: { readonly memory: Memory; readonly service: DemoService },
  dialect: Dialect,
  read: () => { readonly headers: readonly Element[]; readonly call: Element },
  response: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  let name: string;
  let reply: Reply;
  try {
    const { headers, call } = read();
    const session =
      headers.find((block) => block.namespace === DESK && block.name === 'Session') ?? null;
    const unknown = headers.filter((block) => block !== session && block.namespace !== WS_SECURITY);
    if (unknown.some((block) => mustBeUnderstood(block, dialect)))
      throw new DeskFault('MustUnderstand', 'A header block is not known here');
    name = call.name;
    const failure = name === 'FailNext' ? null : memory.archive.takeFailure();
    if (failure !== null && failure !== 'fault') return fail(failure, response);
    if (failure === 'fault') throw new Error('as it was asked to');
    const answer =
      call.namespace === service.namespace
        ? service.perform(name, { memory, element: call, session, signal: abort.signal })
        : undefined;
    if (answer === undefined) throw new DeskFault('Client', 'There is no such operation');
    reply = await answer;
  } catch (error) {
    if (abort.signal.aborted) return;
    return sendFault(
      error instanceof DeskFault ? error : new DeskFault('Server', 'The desk is closed'),
      dialect,
      response,
    );
  }
  if (reply === null) {
    response.writeHead(202, { 'content-length': 0 }).end();
    return;
  }
  await send(response, dialect, 200, [
    `<${service.prefix}:${name}Response ${service.declarations}>`,
    reply,
    `</${service.prefix}:${name}Response>`,
  ]);
}

/** Fails as backends and the proxies in front of them do. */
function fail(failure: Exclude<Failure, 'fault'>, response: ServerResponse): void {
  if (failure === 'reset') {
    response.destroy();
    return;
  }
  const page = '<html><body><h1>Temporarily unavailable</h1></body></html>';
  response.writeHead(failure === 'html' ? 200 : 503, { 'content-type': 'text/html' }).end(page);
}

function mustBeUnderstood(block: Element, dialect: Dialect): boolean {
  const value = block.attributes.get(`{${dialect.envelope}}mustUnderstand`);
  return value === '1' || value === 'true';
}

function sendFault(fault: DeskFault, dialect: Dialect, response: ServerResponse): Promise<void> {
  const status = dialect.version === '1.2' && fault.code === 'Client' ? 400 : 500;
  return send(response, dialect, status, [writeFault(fault, dialect)]);
}

/**
 * Sends the Body's content: with its length when all of it is text, else in chunks and in constant
 * memory.
 */
async function send(
  response: ServerResponse,
  dialect: Dialect,
  status: number,
  content: readonly (string | Iterable<string>)[],
): Promise<void> {
  const [before, after] = envelopeAround(dialect);
  const type = { 'content-type': `${dialect.mediaType}; charset=utf-8` };
  if (content.every((piece) => typeof piece === 'string')) {
    const text = before + content.join('') + after;
    response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(text) }).end(text);
    return;
  }
  response.writeHead(status, type);
  await pipeline(
    Readable.from(joined([before, ...content, after]), { highWaterMark: 2 }),
    response,
  );
}

function* joined(content: readonly (string | Iterable<string>)[]): Generator<Buffer> {
  let text = '';
  for (const part of content) {
    for (const piece of typeof part === 'string' ? [part] : part) {
      text += piece;
      if (text.length < CHUNK_CHARS) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text);
}
