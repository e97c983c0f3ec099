import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { hostNames, isHostAllowed } from '../base/host-name.js';
import { FOUND_UNITS_MAX } from './json-text.js';
import type { Log } from './log.js';

/** The sources of the operators' pages. */
export interface AdminSources {
  /** The metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
  /** Host names by which operators may reach it, made by `hostNames`; IP addresses and localhost always may. */
  readonly hosts: ReadonlySet<string>;
  /** A request that named another host was refused. */
  readonly refused: (host: string) => void;
  /** Whether new traffic is welcome. */
  readonly isReady: () => boolean;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const PROBES: ReadonlySet<string> = new Set(['/live', '/ready']);

const TEXT = 'text/plain; charset=utf-8';
const text = (status: number, body: string): Answer => ({ status, type: TEXT, body });

/** The host names of the admin address; a refused request is logged with the key to change. */
export function adminHosts(
  { admin, adminHosts }: { readonly admin: string; readonly adminHosts: readonly string[] },
  log: Log,
): Pick<AdminSources, 'hosts' | 'refused'> {
  const own = admin.slice(0, admin.lastIndexOf(':'));
  return {
    hosts: hostNames([own, ...adminHosts]),
    refused: (host) =>
      log.event('warn', 'a request to the admin address was refused: its Host is not known', {
        found: host.slice(0, FOUND_UNITS_MAX),
        key: 'adminHosts',
      }),
  };
}

/**
 * The server for operators: metrics and health, and nothing that changes anything. `/live` and `/ready` answer `ok` or
 * `draining` and never name a backend.
 */
export function makeAdminServer(sources: AdminSources): Server {
  const answer = async (path: string): Promise<Answer> => {
    switch (path) {
      case '/metrics':
        return { status: 200, type: sources.metricsType, body: await sources.metrics() };
      case '/live':
        return text(200, 'ok\n');
      case '/ready':
        return sources.isReady() ? text(200, 'ok\n') : text(503, 'draining\n');
      case '/':
        return text(200, '/metrics\n/live\n/ready\n');
      default:
        return text(404, '');
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0, connection: 'close' }).end();
      return;
    }
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    // Probes may name whatever they like: they learn nothing.
    if (!PROBES.has(path) && !isHostAllowed(request.headers.host, sources.hosts)) {
      sources.refused(request.headers.host ?? '');
      response.writeHead(421, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    const { status, type, body } = await answer(path);
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
