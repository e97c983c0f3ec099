import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import type { Diagnostic } from '../base/diagnostic.js';
import { hostNames, isHostAllowed } from '../base/host-name.js';
import { asRefusal, type Refusal } from '../base/refusal.js';
import { FOUND_UNITS_MAX } from './json-text.js';
import type { Log } from './log.js';

/** The sources of the operators' pages. */
export interface AdminSources {
  /** The metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
  /** Host names by which operators may reach it, made by `hostNames`; IP addresses and localhost always may. */
  readonly hosts: ReadonlySet<string>;
  /** A request was refused that named another host, or had no good credentials. */
  readonly refused: (reason: 'host' | 'credentials', found: string) => void;
  /** Whether new traffic is welcome. */
  readonly isReady: () => boolean;
  /** Null where a reload cannot be asked for. */
  readonly reload: Reload | null;
}

/** The requests that one address answers. Probes need no credentials. */
export interface AdminAccess {
  /** Throws, or rejects with, a `Refusal` for missing or bad credentials; null where none are needed. */
  readonly identify: ((caller: AdminCaller) => unknown) | null;
  /** A reload may be asked for: the address needs credentials, or other machines do not reach it. */
  readonly permitsReload: boolean;
}

/** The parts of a request that identify an operator. */
interface AdminCaller {
  readonly headers: IncomingMessage['headers'];
  readonly address: string;
}

/** Loads the configuration anew, and uses it unless something is wrong with it. */
export type Reload = () => Promise<ReloadResult>;

export interface ReloadResult {
  /** The generation in use now. */
  readonly generation: number;
  /** The errors for which the configuration on disk was refused. */
  readonly problems: readonly Diagnostic[];
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const PROBES: ReadonlySet<string> = new Set(['/live', '/ready']);

/** The challenge for credentials of any kind (RFC 6750 section 3). */
const CHALLENGE = 'Bearer realm="soapstone"';

const TEXT = 'text/plain; charset=utf-8';
const text = (status: number, body: string): Answer => ({ status, type: TEXT, body });

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
 * The server for operators: metrics, health, and the reload of the configuration. `/live` and `/ready` answer `ok` or
 * `draining` and never name a backend.
 */
export function makeAdminServer(sources: AdminSources, access: AdminAccess): Server {
  const answer = async (path: string): Promise<Answer> => {
    switch (path) {
      case '/metrics':
        return { status: 200, type: sources.metricsType, body: await sources.metrics() };
      case '/live':
        return text(200, 'ok\n');
      case '/ready':
        return sources.isReady() ? text(200, 'ok\n') : text(503, 'draining\n');
      case '/':
        return text(200, '/metrics\n/live\n/ready\nPOST /reload\n');
      default:
        return text(404, '');
    }
  };
  const reload = async (): Promise<Answer> => {
    const result = await sources.reload?.();
    const status = result === undefined ? 404 : result.problems.length > 0 ? 409 : 200;
    return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(result ?? {}, null, 2)}\n` };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const isReload = path === '/reload' && sources.reload !== null;
    if (isReload ? request.method !== 'POST' : request.method !== 'GET' && request.method !== 'HEAD') {
      const allow = isReload ? 'POST' : 'GET, HEAD';
      response.writeHead(405, { allow, 'content-length': 0, connection: 'close' }).end();
      return;
    }
    // Probes may name whatever they like: they learn nothing.
    if (!PROBES.has(path) && !isHostAllowed(request.headers.host, sources.hosts)) {
      sources.refused('host', request.headers.host ?? '');
      response.writeHead(421, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    const refusal = PROBES.has(path) ? null : await credentialRefusal(access, request);
    if (refusal !== null) {
      const { code, challenge } = refusal;
      const isDenied = code === 'UNAUTHENTICATED';
      if (isDenied) sources.refused('credentials', request.socket.remoteAddress ?? '');
      const fields = isDenied ? { 'www-authenticate': challenge ?? CHALLENGE } : {};
      response.writeHead(isDenied ? 401 : 503, { ...fields, 'content-length': 0, connection: 'close' }).end();
      return;
    }
    // Browsers send it with every POST: a page of any site could ask for reloads. Tools of operators send none.
    if (isReload && (request.headers.origin !== undefined || !access.permitsReload)) {
      response.writeHead(403, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    // A body has no meaning here.
    request.resume();
    const { status, type, body } = isReload ? await reload() : await answer(path);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  return createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
}

/** Null where the credentials are good, or none are needed. */
async function credentialRefusal({ identify }: AdminAccess, request: IncomingMessage): Promise<Refusal | null> {
  try {
    await identify?.({ headers: request.headers, address: request.socket.remoteAddress ?? '' });
    return null;
  } catch (caught) {
    return asRefusal(caught);
  }
}
