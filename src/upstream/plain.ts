import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

import { createProxyServer } from 'http-proxy';

import { httpFields, Refusal, refuseByLimit, tlsCertificates } from '../core/index.js';
import { FixedQuery } from './query.js';
import { refusalOfError } from './upstream-refusals.js';

/**
 * Passes requests that hold no envelope on to one address, unread. `answer` gets the reply when it
 * is one. Resolves when the answer is out; rejects with a refusal, after which the caller's
 * connection must be cut if the answer had begun.
 */
export type PlainProxy = (
  request: IncomingMessage,
  response: ServerResponse,
  own: OwnField,
) => Promise<void>;

/** A header field of the answer that the gateway writes, and no backend. */
type OwnField = readonly [name: string, value: string];

/**
 * Ends an answer that is written, and the connection with it if the request has not been read to
 * its end.
 */
export type EndAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Methods whose body has a meaning. On others a body is a way to smuggle a request past one of two
 * servers.
 */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Fields that speak of one connection (RFC 9110 section 7.6.1), and `expect`, which the gateway
 * answers itself.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
]);

/** The only transfer coding of replies. */
const CHUNKED = 'chunked';

/**
 * Fields of proxies in front, and baggage. None is trusted: the package writes them anew, from the
 * connection.
 */
const OF_PROXIES =
  /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|baggage)$/;

/**
 * Around the package, which does the request upstream and no more: it keeps no connection, because
 * its agent would hand an unasked reply to the next caller, and it would pass hop-by-hop fields and
 * any status, and let a cut reply hang.
 */
export function makePlainProxy(
  url: string,
  silenceMillis: number,
  endAnswer: EndAnswer,
  viaOf: (received: string | undefined) => string,
): PlainProxy {
  const agent = url.startsWith('https:')
    ? new HttpsAgent({ ...tlsCertificates.VERIFIED_SERVER, keepAlive: false })
    : new HttpAgent({ keepAlive: false });
  const query = new FixedQuery(new URL(url).search);
  const passages = new WeakMap<IncomingMessage, Passage>();
  const proxy = createProxyServer({
    target: url,
    agent,
    changeOrigin: true,
    secure: true,
    xfwd: true,
    selfHandleResponse: true,
    // Options of each request upstream, under the only name the package has for them.
    ssl: { insecureHTTPParser: false },
  });
  proxy.on('proxyReq', (upstream, request) =>
    passages.get(request)?.begin(upstream, silenceMillis),
  );
  proxy.on('proxyRes', (reply, request) => passages.get(request)?.answer(reply));
  return (request, response, own) => {
    // The caller may have left before its turn.
    if (response.closed) throw new Refusal('CLIENT_GONE');
    checkFraming(request);
    const via = viaOf(request.headers.via);
    stripRequest(request.headers);
    request.headers.via = via;
    stripQuery(request, query);
    return new Promise((resolve, reject) => {
      const passage = new Passage({ request, response, own, endAnswer, reject });
      passages.set(request, passage);
      response.once('close', () => {
        if (response.writableFinished && response.errored === null) {
          resolve();
        } else {
          passage.fail(new Refusal('CLIENT_GONE'));
        }
      });
      proxy.web(request, response, {}, (error) => passage.broken(error));
    });
  };
}

/** The two sides of a passage. */
interface PassageParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly own: OwnField;
  readonly endAnswer: EndAnswer;
  readonly reject: (refusal: Refusal) => void;
}

/** One request on its way, and its reply back. */
class Passage {
  readonly #parts: PassageParts;
  #upstream: ClientRequest | null = null;
  #isOver = false;

  constructor(parts: PassageParts) {
    this.#parts = parts;
  }

  begin(upstream: ClientRequest, silenceMillis: number): void {
    this.#upstream = upstream;
    if (this.#isOver) {
      upstream.destroy();
    } else {
      spellRequest(upstream, this.#parts.request);
    }
    // Status 101: without a listener Node drops the connection, and reports neither a reply nor an
    // error.
    upstream.once('upgrade', (_reply, socket) => {
      socket.destroy();
      this.fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'status'));
    });
    upstream.setTimeout(silenceMillis, () => {
      // Silence of the backend only: not while the caller does not send, or does not read.
      const { request, response } = this.#parts;
      if (response.writableNeedDrain || (!request.complete && request.readableLength === 0)) return;
      const code = response.headersSent ? 'UPSTREAM_IDLE_TIMEOUT' : 'UPSTREAM_TIMEOUT';
      this.fail(refuseByLimit(code, 'limits.upstream.headersMillis', silenceMillis));
    });
  }

  answer(reply: IncomingMessage): void {
    const { request, response, own, endAnswer } = this.#parts;
    const { statusCode: status = 0 } = reply;
    if (status < 200 || status > 599) {
      this.fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'status'));
      return;
    }
    // Another coding is not undone by the parser, and the caller would not be told of it.
    if ((reply.headers['transfer-encoding']?.toLowerCase() ?? CHUNKED) !== CHUNKED) {
      this.fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'transfer coding'));
      return;
    }
    // A request that is not wanted to its end is its connection's last.
    if (!request.complete) {
      response.shouldKeepAlive = false;
    }
    try {
      httpFields.writePassedHead(response, status, replyFields(reply, own));
    } catch (cause) {
      this.fail(new Refusal('UPSTREAM_INVALID_RESPONSE', 'header', { cause }));
      return;
    }
    reply.on('data', (chunk) => {
      if (!response.write(chunk)) {
        reply.pause();
      }
    });
    response.on('drain', () => reply.resume());
    reply.once('close', () => {
      // A reply that breaks off must not look like one that ended, nor like a caller that left.
      if (!reply.complete) {
        this.fail(new Refusal('UPSTREAM_TRUNCATED'));
      }
    });
    reply.once('end', () => {
      if (!reply.complete || this.#isOver) return;
      this.#isOver = true;
      request.unpipe();
      endAnswer(request, response);
    });
  }

  /**
   * Handles an error of either connection. Once the reply has begun, its end alone decides whether
   * it is whole.
   */
  broken(error: unknown): void {
    if (error instanceof Refusal || !this.#parts.response.headersSent) {
      this.fail(refusalOfError(error, false));
    }
  }

  fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.request.unpipe();
    this.#parts.reject(refusal);
    this.#upstream?.destroy();
  }
}

function checkFraming(request: IncomingMessage): void {
  const { method = '', headers } = request;
  if (method === 'TRACE' || method === 'CONNECT') throw new Refusal('HTTP_METHOD');
  const hasBody =
    headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && !WITH_BODY.has(method)) {
    throw new Refusal('HTTP_BAD_REQUEST', 'body on a method that has none');
  }
}

function stripRequest(headers: NodeJS.Dict<string | string[]>): void {
  const named = namesIn(headers['connection']);
  for (const name of Object.keys(headers)) {
    if (HOP_BY_HOP.has(name) || OF_PROXIES.test(name) || (named.has(name) && !KEPT.has(name))) {
      delete headers[name];
    }
  }
}

/** Fields of the caller go on with their names as they came, and all others with the usual ones. */
function spellRequest(upstream: ClientRequest, { rawHeaders }: IncomingMessage): void {
  for (const name of upstream.getHeaderNames()) {
    const value = upstream.getHeader(name);
    const isOwn = OF_PROXIES.test(name) || HOP_BY_HOP.has(name) || name === 'host';
    const came = isOwn ? undefined : httpFields.spellingIn(rawHeaders, name);
    if (value !== undefined) {
      upstream.setHeader(came ?? httpFields.usualName(name), value);
    }
  }
}

/** The package puts the query of the caller behind that of the address. */
function stripQuery(request: IncomingMessage, query: FixedQuery): void {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  if (mark >= 0) {
    request.url = url.slice(0, mark) + query.others(url.slice(mark));
  }
}

/** The fields of a reply that are for the caller, as often and as written as they came. */
function replyFields({ rawHeaders, headers }: IncomingMessage, own: OwnField): string[] {
  const named = namesIn(headers.connection);
  const fields: string[] = [...own];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    const isOfConnection =
      HOP_BY_HOP.has(key) || key === 'transfer-encoding' || (named.has(key) && !KEPT.has(key));
    if (!isOfConnection && key !== own[0].toLowerCase()) {
      fields.push(name, value);
    }
  }
  return fields;
}

function namesIn(connection: string | string[] | undefined): ReadonlySet<string> {
  if (typeof connection !== 'string') return new Set();
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** Nominating a field that frames or routes the message would take it away from the next server. */
const KEPT: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'authorization',
]);
