import { Buffer } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { errorCode, httpFields, tlsCertificates } from '../core/index.js';
import { makeConnector, type Route } from './dial/dial.js';
import type { TlsConnectionOptions } from './dial/tls.js';

/** A document fetched at start-up or by `import`. */
export interface FetchedFile {
  /** The address that answered in the end: of the same host as the one asked. */
  readonly url: string;
  readonly contentType: string | null;
  readonly body: Buffer;
}

export interface FetchOptions {
  readonly maxBytes: number;
  /** For one document, with its redirects. */
  readonly timeoutMillis: number;
  /**
   * Header fields for requests to this address, not for others that it redirects to. Default: none.
   */
  readonly headersFor?: (url: URL) => Readonly<Record<string, string>>;
  /**
   * Why a document of this address may not come from this IP address, or null when it may. Asked
   * after the name is resolved; the connection is made to the addresses that were checked and to no
   * others. Default: any may.
   */
  readonly checkAddress?: (ip: string, url: URL) => string | null;
  /** Resolves names; that of the system by default. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
  /**
   * Authorities and certificate for an address; those of Node, and none, by default. Not asked
   * where `routeTo` is.
   */
  readonly tlsFor?: (url: URL) => TlsConnectionOptions;
  /**
   * How the connection to an address is made; null: directly. `checkAddress` and `resolve` are not
   * asked otherwise.
   */
  readonly routeTo?: (url: URL) => Route | null;
  /**
   * Keep connections open between documents. Only for calls with the same `checkAddress`. Default:
   * one for each document.
   */
  readonly agents?: FetchAgents;
}

/**
 * Connections that several documents share.
 *
 * @public read of the client when it is loaded
 */
export interface FetchAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

/**
 * For many documents of one host. Idle connections do not keep the process.
 *
 * @public read of the client when it is loaded
 */
export const keepConnections = (): FetchAgents => ({
  http: new http.Agent({ keepAlive: true, maxFreeSockets: 4 }),
  https: new https.Agent({ keepAlive: true, maxFreeSockets: 4 }),
});

const REDIRECTS = 5;

/**
 * Fetches a WSDL or a schema. Redirects are followed on the same host only: no other host was
 * allowed. Throws an `Error` whose message an operator can act on.
 */
export async function fetchDocument(url: string, options: FetchOptions): Promise<FetchedFile> {
  const signal = AbortSignal.timeout(options.timeoutMillis);
  const { at, answer } = await followRedirects(url, async (to) => {
    const response = await ask(to, options, signal);
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 299) {
      response.destroy();
    }
    return { status, location: headers.location ?? null, answer: response };
  });
  return read(answer, at, options.maxBytes, signal);
}

/** An answer that may be a redirect. */
interface MaybeRedirect<T> {
  readonly status: number;
  readonly location: string | null;
  readonly answer: T;
}

/**
 * Resolves to the first answer with a status of success, and its address. Throws as
 * `fetchDocument`.
 */
export async function followRedirects<T>(
  url: string,
  get: (at: URL) => Promise<MaybeRedirect<T>>,
): Promise<{ readonly at: URL; readonly answer: T }> {
  let at = new URL(url);
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const { status, location, answer } = await get(at);
    const target = redirectOf(status, location);
    if (target !== null) {
      at = redirected(at, target);
    } else if (status >= 200 && status <= 299) {
      return { at, answer };
    } else {
      throw new Error(`cannot be fetched (the server answered ${status})`);
    }
  }
  throw new Error(`cannot be fetched (more than ${REDIRECTS} redirects)`);
}

/**
 * The Location of a redirect, as it is written; '' where it has none. Null for an answer that does
 * not redirect.
 */
const redirectOf = (status: number, location: string | null): string | null =>
  [301, 302, 303, 307, 308].includes(status) ? (location ?? '') : null;

/** The address that a redirect leads to, of the same host. Throws an `Error` for another. */
function redirected(from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (next === null || location === '') {
    throw new Error('cannot be fetched (it redirects to no valid address)');
  }
  // The default ports of both schemes are the same host; the way back out of TLS is not taken.
  const isUpgrade = from.protocol === 'http:' && next.protocol === 'https:';
  if (next.host !== from.host || (next.protocol !== from.protocol && !isUpgrade)) {
    throw new Error(`cannot be fetched (it redirects to ${next.origin}, which is not followed)`);
  }
  next.username = '';
  next.password = '';
  return next;
}

async function ask(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { agents, ...once } = options;
  try {
    return await askOnce(url, options, signal);
  } catch (error) {
    // The server may close a connection just when it is used again: then the request was not read.
    if (agents === undefined || !(error instanceof StaleConnection)) throw error;
    return askOnce(url, once, signal);
  }
}

const withoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

class StaleConnection extends Error {}

function askOnce(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const host = withoutBrackets(url.hostname);
  const refusal = isIP(host) === 0 ? null : (options.checkAddress?.(host, url) ?? null);
  if (refusal !== null) return Promise.reject(new Error(`cannot be fetched (${refusal})`));
  const headers = {
    Accept: 'text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1',
    'User-Agent': 'soapstone',
    ...withUsualNames(options.headersFor?.(url) ?? {}),
  };
  const route = options.routeTo?.(url) ?? null;
  const proxied = route === null ? null : throughRoute(url, route);
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const request = (isTls ? https : http).request(
      url,
      {
        headers: { ...headers, ...proxied?.headers },
        signal,
        // An agent would make its connections itself.
        ...(proxied === null && {
          agent: (isTls ? options.agents?.https : options.agents?.http) ?? false,
        }),
        lookup: checkedLookup(url, options),
        ...(isTls ? { ...tlsCertificates.VERIFIED_SERVER, ...options.tlsFor?.(url) } : undefined),
        ...proxied?.request,
        maxHeaderSize: 64 * 1024,
      },
      resolve,
    );
    request.on('error', (error) => {
      const why = `cannot be fetched (${reasonOf(error)})`;
      reject(request.reusedSocket && !signal.aborted ? new StaleConnection(why) : new Error(why));
    });
    request.end();
  });
}

/** The options of a request that does not go straight to its address. */
function throughRoute(
  url: URL,
  route: Route,
): { readonly request: RequestOptions; readonly headers: Headers } {
  const { forwarder } = route;
  const connect = makeConnector(DIAL, route);
  const at = forwarder === null ? url : forwarder.url;
  const createConnection: RequestOptions['createConnection'] = (_options, done) => {
    const { protocol, hostname, port, host } = at;
    connect({ protocol, hostname: withoutBrackets(hostname), port, host }, (...[error, socket]) => {
      // The type wants a socket beside the error; Node looks at the error first.
      if (error === null) {
        done(null, socket);
      } else {
        done(error, new Socket());
      }
    });
    return undefined;
  };
  if (forwarder === null) return { request: { createConnection }, headers: {} };
  const { authorization } = forwarder;
  return {
    request: { createConnection, path: url.href },
    headers: {
      Host: url.host,
      ...(authorization !== null && { 'Proxy-Authorization': authorization }),
    },
  };
}

/** Fields that replace others must have their spelling. */
const withUsualNames = (fields: Headers): Headers =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [httpFields.usualName(name), value]),
  );

type Headers = Readonly<Record<string, string>>;

const DIAL = { connectMillis: 10_000 };

/**
 * Resolves a name once, checks every address it has, and connects to those: one that is not allowed
 * refuses all.
 */
function checkedLookup(url: URL, { checkAddress, resolve }: FetchOptions): LookupFunction {
  return (name, { all }, callback) => {
    (resolve?.(name) ?? resolveName(name, { all: true })).then(
      (addresses) => {
        for (const { address } of addresses) {
          const refusal = checkAddress?.(address, url) ?? null;
          if (refusal !== null) return callback(new Error(refusal), '', 0);
        }
        const [first] = addresses;
        if (first === undefined) {
          callback(new Error('the name has no address'), '', 0);
        } else if (all === true) {
          callback(null, [...addresses]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

async function read(
  response: IncomingMessage,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const tooLong = (): Error => new Error(`is longer than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) continue;
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Error(`cannot be fetched (${reasonOf(signal.aborted ? signal.reason : error)})`);
  }
  if (bytes > maxBytes) throw tooLong();
  const contentType = response.headers['content-type'] ?? null;
  const body = inflated(
    Buffer.concat(chunks),
    response.headers['content-encoding'] ?? 'identity',
    maxBytes,
  );
  if (body === null) throw tooLong();
  return { url: url.href, contentType, body };
}

/** Decompresses a body: some servers compress without being asked. Null beyond the limit. */
export function inflated(body: Buffer, encoding: string, maxOutputLength: number): Buffer | null {
  const ways: Readonly<
    Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>
  > = {
    gzip: gunzipSync,
    'x-gzip': gunzipSync,
    deflate: inflateSync,
    br: brotliDecompressSync,
  };
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const inflate = Object.hasOwn(ways, name) ? ways[name] : undefined;
  if (inflate === undefined) {
    throw new Error('cannot be read (it is compressed in a way that is not known)');
  }
  try {
    return inflate(body, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw new Error('cannot be read (its compression is broken)');
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return 'no complete answer in time';
  }
  return errorCode(error) ?? error.message;
}
