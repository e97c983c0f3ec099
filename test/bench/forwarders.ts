import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { fastProxy } from 'fast-proxy';
import httpProxy from 'http-proxy';
import { createProxyServer } from 'httpxy';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './kit.js';

/**
 * The proxies that Soapstone is compared with: they forward and look at nothing.
 * `node forwarders.js KIND BACKEND`.
 */
const [, , kind = '', backend = ''] = process.argv;

/**
 * Messages up to this length are collected and sent as one; longer ones flow. The same as
 * Soapstone's window.
 */
const COLLECT_BYTES = 64 * 1024;

function throughHttpProxy(agent: Agent | undefined): RequestListener {
  const proxy = httpProxy.createProxyServer({
    target: backend,
    ...(agent === undefined ? {} : { agent }),
  });
  proxy.on('error', (error) => {
    throw error;
  });
  return (request, response) => proxy.web(request, response);
}

/** With a keep-alive agent of its own. */
function throughHttpxy(): RequestListener {
  const proxy = createProxyServer({ target: backend });
  return (request, response) => {
    proxy.web(request, response).catch((error: unknown) => {
      throw error;
    });
  };
}

/** On undici, as its page says it is fastest. */
function throughFastProxy(): RequestListener {
  const { proxy } = fastProxy({ base: backend, undici: { connections: 64, pipelining: 1 } });
  return (request, response) => proxy(request, response, request.url ?? '/', {});
}

/** The leanest honest forwarder on undici: what any gateway on it pays before it does anything. */
function throughUndici(): RequestListener {
  const pool = new Pool(backend, { connections: 64, pipelining: 1 });
  return (request, response) => {
    const length = request.headers['content-length'] ?? '0';
    const send = (body: Buffer | IncomingMessage): void => {
      const headers = [
        'content-type',
        request.headers['content-type'] ?? '',
        'content-length',
        length,
      ];
      const soapAction = request.headers['soapaction'];
      if (typeof soapAction === 'string') headers.push('soapaction', soapAction);
      pool.dispatch(
        { method: 'POST', path: request.url ?? '/', headers, body },
        new Reply(response),
      );
    };
    if (Number(length) > COLLECT_BYTES) return send(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => send(join(chunks)));
  };
}

const join = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);

class Reply implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #chunks: Buffer[] = [];
  #flows = false;
  #fields: string[] = [];
  #status = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.on('drain', () => controller.resume());
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const length = String(headers['content-length']);
    this.#status = status;
    this.#fields = ['content-type', String(headers['content-type']), 'content-length', length];
    this.#flows = Number(length) > COLLECT_BYTES;
    if (this.#flows) this.#response.writeHead(status, this.#fields);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#flows) this.#chunks.push(chunk);
    else if (!this.#response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#flows) this.#response.end();
    else this.#response.writeHead(this.#status, this.#fields).end(join(this.#chunks));
  }

  onResponseError(_: unknown, error: Error): void {
    throw error;
  }
}

const LISTENERS: Readonly<Record<string, () => RequestListener>> = {
  'http-proxy, keep-alive': () => throughHttpProxy(new Agent({ keepAlive: true, maxSockets: 64 })),
  'http-proxy': () => throughHttpProxy(undefined),
  'fast-proxy': throughFastProxy,
  httpxy: throughHttpxy,
  undici: throughUndici,
};

const server = createServer({ requestTimeout: 0 }, LISTENERS[kind]?.());
announce(server);
