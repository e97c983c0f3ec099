import { Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

import { createProxyServer } from 'http-proxy';

import { Refusal } from '../base/refusal.js';
import { refusalOfError } from './failure.js';

/**
 * Passes requests that hold no envelope on to one address, unread. Resolves when the answer is out; rejects with a
 * refusal, after which the caller's connection must be cut if the answer had begun.
 */
export type PlainProxy = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Methods whose body has a meaning. On others a body is a way to smuggle a request past one of two servers. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Fields that speak of one connection (RFC 9110 section 7.6.1), and `expect`, which the gateway answers itself. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
] as const;

/**
 * Around the package: it keeps no connection, because its agent would hand an unasked reply to the next caller; it
 * passes hop-by-hop fields and lets a cut reply hang, so both are seen to here.
 */
export function makePlainProxy(url: string, silenceMillis: number): PlainProxy {
  const agent = url.startsWith('https:') ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const proxy = createProxyServer({
    target: url,
    agent,
    changeOrigin: true,
    proxyTimeout: silenceMillis,
    secure: true,
    xfwd: true,
  });
  proxy.on('proxyRes', (reply, _request, response) => {
    stripHopByHop(reply.headers);
    // Left alone the package says `keep-alive`, to a caller that wants to close and to one that has to.
    const mustClose = !response.shouldKeepAlive || response.getHeader('connection') === 'close';
    if (mustClose) reply.headers.connection = 'close';
    // A reply that breaks off must not look like one that ended, and it is not the caller who left.
    reply.once('close', () => {
      if (!reply.complete) response.destroy(new Refusal('UPSTREAM_TRUNCATED'));
    });
  });
  return (request, response) => {
    judgeFraming(request);
    stripHopByHop(request.headers);
    return new Promise((resolve, reject) => {
      response.once('close', () => {
        if (response.writableFinished) resolve();
        else reject(response.errored ?? new Refusal('CLIENT_GONE'));
      });
      proxy.web(request, response, {}, (error) => reject(refusalOfError(error, response.headersSent)));
    });
  };
}

function judgeFraming(request: IncomingMessage): void {
  const { method = '', headers } = request;
  if (method === 'TRACE' || method === 'CONNECT') throw new Refusal('HTTP_METHOD');
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && !WITH_BODY.has(method)) throw new Refusal('HTTP_BAD_REQUEST', 'body on a method that has none');
}

function stripHopByHop(headers: NodeJS.Dict<string | string[]>): void {
  const named = headers['connection'];
  for (const name of typeof named === 'string' ? named.toLowerCase().split(',') : []) {
    // Nominating a field that frames or routes the message would take it away from the next server.
    if (!KEPT.has(name.trim())) delete headers[name.trim()];
  }
  for (const name of HOP_BY_HOP) delete headers[name];
}

const KEPT: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'authorization',
]);
