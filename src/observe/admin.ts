import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { asRefusal, type Diagnostic, httpFields, KIB, Refusal, TimeSlices } from '../core/index.js';
import {
  compress,
  compressStream,
  hasAmbientCredentials,
  isCompressible,
  takesGzip,
} from '../gateway/compress.js';
import { hostNames, isHostAllowed } from '../gateway/host-name.js';
import { printInParts } from '../gateway/json-parts.js';
import { wholeBody } from '../gateway/whole-body.js';
import { FOUND_UNITS_MAX } from './log/json-text.js';
import type { Log } from './log/log.js';
import { type ScrapeSources, Scrapes } from './metrics/scrapes.js';

/** The sources of the operators' pages. */
export interface AdminSources extends ScrapeSources {
  /**
   * Host names by which operators may reach it, made by `hostNames`; IP addresses and localhost
   * always may.
   */
  readonly hosts: ReadonlySet<string>;
  /** A request was refused that named another host, or had no good credentials. */
  readonly refused: (reason: 'host' | 'credentials', found: string) => void;
  /** Why new traffic is not welcome, in a word or two; null where it is. */
  readonly unready: () => string | null;
  /** Null where a reload cannot be asked for. */
  readonly reload: Reload | null;
  /** The first that has something at a path answers. */
  readonly pages: readonly AdminPages[];
}

/** Pages for browsers, and what they ask for. */
export interface AdminPages {
  /** Null where there is nothing at the path. `body` is the whole body of a POST. */
  answer(
    request: IncomingMessage,
    path: string,
    body: Buffer | null,
    by: Operator,
  ): Promise<AdminAnswer | null>;
  /** Those that take a POST, and no GET. */
  readonly posts?: ReadonlySet<string>;
  /** Whether a page takes a POST beside GET; absent: none does. */
  readonly takesPost?: (path: string) => boolean;
  /** Those with messages of callers: shown where a POST would be permitted. */
  readonly confidential?: ReadonlySet<string>;
}

/** The requests that one address answers. Probes need no credentials. */
export interface AdminAccess {
  /**
   * The name of the operator, for the log. Throws, or rejects with, a `Refusal` for missing or bad
   * credentials; null where none are needed.
   */
  readonly identify: ((caller: AdminCaller) => string | Promise<string>) | null;
  /**
   * A reload may be asked for, messages sent, and messages of callers shown: the address needs
   * credentials, or other machines do not reach it.
   */
  readonly permitsPosts: boolean;
  /** No client certificate is asked for, which a browser would send by itself. */
  readonly compresses: boolean;
}

/** The parts of a request that identify an operator. */
interface AdminCaller {
  readonly headers: IncomingMessage['headers'];
  readonly address: string;
  readonly socket: Socket;
}

/** The process that serves operators has no answer now, and may have one later. */
export class NotAvailable extends Error {}

/** Loads the configuration anew, and uses it unless something is wrong with it. */
export type Reload = (by: Operator) => Promise<ReloadResult>;

/** An operator who asks for something. */
export interface Operator {
  /** As the credentials name the operator; null where the address needs none. */
  readonly operator: string | null;
  /** The address of the connection. */
  readonly client: string;
}

/** The fields of a log line about an operator. */
export const operatorFields = ({
  operator,
  client,
}: Operator): Readonly<Record<string, string>> => ({
  client,
  ...(operator === null ? {} : { operator }),
});

export interface ReloadResult {
  /** The generation in use now. */
  readonly generation: number;
  /** The errors for which the configuration on disk was refused. */
  readonly problems: readonly Diagnostic[];
}

export interface AdminAnswer {
  readonly status: number;
  readonly type: string;
  /** A text that is long is printed as the client reads it. */
  readonly body: string | Buffer | AsyncIterable<string | Buffer>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A client that reads a long answer for longer is cut off: a scrape takes 10 s by default. */
const STREAM_MILLIS = 60_000;

/** Bytes of the body of a POST. */
const BODY_BYTES_MAX = 256 * KIB;

const PROBES: ReadonlySet<string> = new Set(['/live', '/ready']);

/** The challenge for credentials of any kind (RFC 6750 section 3). */
const CHALLENGE = 'Bearer realm="soapstone"';

const CONFIDENTIAL =
  'Exchanges are not shown here: other machines reach this address of `admin` without ' +
  'credentials. Listen on 127.0.0.1, or give it `basic`, `bearer` or a client certificate.\n';

const TEXT = 'text/plain; charset=utf-8';
const text = (status: number, body: string): AdminAnswer => ({ status, type: TEXT, body });

const readiness = (problem: string | null): AdminAnswer =>
  problem === null ? text(200, 'ok\n') : text(503, `${problem}\n`);

/** JSON that a browser takes for nothing else. */
export const jsonAnswer = (value: unknown): AdminAnswer => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
  fields: { 'x-content-type-options': 'nosniff' },
});

/** JSON of a value that grows with the configuration: printed as the client reads it. */
export const longJsonAnswer = (value: unknown): AdminAnswer => ({
  ...jsonAnswer(null),
  body: printInParts(value, new TimeSlices()),
});

/** The host names of the admin address; a refused request is logged with the key to change. */
export function adminHosts(
  own: readonly string[],
  adminHosts: readonly string[],
  log: Log,
): Pick<AdminSources, 'hosts' | 'refused'> {
  return {
    hosts: hostNames([...own, ...adminHosts]),
    refused(reason, found) {
      const why = reason === 'host' ? 'its Host is not known' : 'its credentials were not accepted';
      log.event('warn', `a request to the admin address was refused: ${why}`, {
        found: found.slice(0, FOUND_UNITS_MAX),
        key: reason === 'host' ? 'adminHosts' : 'admin',
      });
    },
  };
}

/**
 * The server for operators: metrics, health, the reload of the configuration, and pages. `/live`
 * and `/ready` answer `ok` or `draining` and never name a backend. `accessNow` is asked for each
 * request: a reload may change credentials.
 */
export function makeAdminServer(sources: AdminSources, accessNow: () => AdminAccess): Server {
  const { reload, pages } = sources;
  const scrapes = new Scrapes(sources);
  const posts = new Set([
    ...pages.flatMap((each) => [...(each.posts ?? [])]),
    ...(reload === null ? [] : [RELOAD]),
  ]);
  const confidential = new Set(pages.flatMap((each) => [...(each.confidential ?? [])]));
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    by: Operator,
  ): Promise<AdminAnswer> => {
    switch (path) {
      case '/metrics':
        return scrapes.answer(request, response);
      case '/live':
        return text(200, 'ok\n');
      case '/ready':
        return readiness(sources.unready());
      case RELOAD:
        return reload === null ? text(404, '') : reloadAnswer(await reload(by));
      default:
        return answerPage(pages, request, path, by);
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const allowed = allowedMethods(path, posts, pages);
    if (!allowed.includes(request.method ?? '')) {
      refuse(response, 405, { allow: allowed.join(', ') });
      return;
    }
    const isPost = request.method === 'POST';
    // Probes may name whatever they like: they learn nothing.
    if (!PROBES.has(path) && !isHostAllowed(request.headers.host, sources.hosts)) {
      sources.refused('host', request.headers.host ?? '');
      refuse(response, 421);
      return;
    }
    const access = accessNow();
    const operator = PROBES.has(path) ? null : await identifyOperator(access, request);
    if (operator instanceof Refusal) {
      const { code, challenge } = operator;
      const isDenied = code === 'UNAUTHENTICATED';
      if (isDenied) {
        sources.refused('credentials', request.socket.remoteAddress ?? '');
      }
      if (isDenied) {
        refuse(response, 401, { 'www-authenticate': challenge ?? CHALLENGE });
      } else {
        refuse(response, 503);
      }
      return;
    }
    if (isPost && !(access.permitsPosts && isOwnOrigin(request))) {
      refuse(response, 403);
      return;
    }
    const by: Operator = { operator, client: request.socket.remoteAddress ?? '' };
    const isShown = access.permitsPosts || !confidential.has(path);
    const { status, type, body, fields } = await compressedAnswer(
      isShown ? await answer(request, response, path, by) : text(403, CONFIDENTIAL),
      request,
      access,
    );
    // Elsewhere a body has no meaning.
    request.resume();
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(status, {
      'content-type': type,
      ...(isText ? { 'content-length': Buffer.byteLength(body) } : {}),
      'cache-control': 'no-store',
      ...fields,
    });
    if (request.method === 'HEAD') {
      response.end();
    } else if (isText) {
      response.end(body);
    } else {
      await pipeline(body, response, { signal: AbortSignal.timeout(STREAM_MILLIS) });
    }
  };
  return createServer(
    { ServerResponse: httpFields.responseClass(() => 'usual') },
    (request, response) => {
      handle(request, response).catch(() => response.destroy());
    },
  );
}

/**
 * The answer in gzip, where the client takes it and is not known by what a browser sends by itself.
 */
async function compressedAnswer(
  answer: AdminAnswer,
  { headers }: IncomingMessage,
  { compresses }: AdminAccess,
): Promise<AdminAnswer> {
  const { body, fields } = answer;
  if (fields?.['content-encoding'] !== undefined || !mayCompress(body)) return answer;
  const varying = { ...answer, fields: { ...fields, vary: 'accept-encoding' } };
  if (!compresses || !takesGzip(headers['accept-encoding']) || hasAmbientCredentials(headers)) {
    return varying;
  }
  const compressed =
    typeof body === 'string' || Buffer.isBuffer(body)
      ? await compress(Buffer.from(body))
      : compressStream(body);
  if (compressed === null) return varying;
  return {
    ...varying,
    body: compressed,
    fields: { ...varying.fields, 'content-encoding': 'gzip' },
  };
}

const mayCompress = (body: AdminAnswer['body']): boolean =>
  !(typeof body === 'string' || Buffer.isBuffer(body)) || isCompressible(Buffer.byteLength(body));

const READS: readonly string[] = ['GET', 'HEAD'];

function allowedMethods(
  path: string,
  posts: ReadonlySet<string>,
  pages: readonly AdminPages[],
): readonly string[] {
  if (posts.has(path)) return ['POST'];
  return pages.some((each) => each.takesPost?.(path) === true) ? [...READS, 'POST'] : READS;
}

/** Answers with a status and no content, the last on its connection. */
function refuse(
  response: ServerResponse,
  status: number,
  fields: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...fields, 'content-length': 0, connection: 'close' }).end();
}

/** The name of the operator, or the refusal of the credentials; null where none are needed. */
async function identifyOperator(
  { identify }: AdminAccess,
  { headers, socket }: IncomingMessage,
): Promise<string | Refusal | null> {
  if (identify === null) return null;
  try {
    return await identify({ headers, address: socket.remoteAddress ?? '', socket });
  } catch (caught) {
    return asRefusal(caught);
  }
}

const RELOAD = '/reload';

function reloadAnswer(result: ReloadResult): AdminAnswer {
  const status = result.problems.length > 0 ? 409 : 200;
  return {
    status,
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(result, null, 2)}\n`,
  };
}

/**
 * Browsers name it with every POST: a page of any site could ask for one. Tools of operators name
 * none.
 */
function isOwnOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return true;
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

const RETRY = { 'retry-after': '1' };

async function answerPage(
  pages: readonly AdminPages[],
  request: IncomingMessage,
  path: string,
  by: Operator,
): Promise<AdminAnswer> {
  const body = request.method === 'POST' ? await wholeBody(request, BODY_BYTES_MAX) : null;
  if (request.method === 'POST' && body === null) return text(413, 'The body is too long.\n');
  try {
    for (const each of pages) {
      const answer = await each.answer(request, path, body, by);
      if (answer !== null) return answer;
    }
  } catch (caught) {
    if (!(caught instanceof NotAvailable)) throw caught;
    return { ...text(503, `Not available: ${caught.message}. Ask again.\n`), fields: RETRY };
  }
  return text(404, '');
}
