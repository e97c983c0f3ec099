import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What operators may ask. */
export interface AdminSources {
  /** The metrics, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
  /** Whether new traffic is welcome. */
  readonly isReady: () => boolean;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';
const text = (status: number, body: string): Answer => ({ status, type: TEXT, body });

/**
 * The server for operators: metrics and health, and nothing that changes anything. `/live` and `/ready` say `ok` or
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
    const { status, type, body } = await answer((request.url ?? '').split('?', 1)[0] ?? '');
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
