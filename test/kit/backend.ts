import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';

import { envelope, operationIn } from './envelope.js';

/** A message that arrived whole. */
export interface RecordedMessage {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A backend that remembers every complete message, and how many began. */
export interface RecordingBackend {
  readonly url: string;
  /** Complete messages: what a refusal must leave empty. */
  readonly complete: RecordedMessage[];
  /** Requests whose head arrived, complete or not. */
  begun: number;
  /** Requests that were cut before their end. */
  aborted: number;
  /** What it answers; replace it at will. */
  answer: (message: RecordedMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** Answers 200 with this body. */
export const answerWith =
  (body: string | Buffer, contentType = 'text/xml; charset=utf-8', status = 200) =>
  (_message: RecordedMessage, response: ServerResponse): void => {
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };

/** Answers with this status and a text of another type than SOAP has. */
export const answerStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = '') =>
  (_message: RecordedMessage, response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };

/** Answers 200 with this value as JSON. */
export const answerJson = (value: unknown): RecordingBackend['answer'] =>
  answerWith(JSON.stringify(value), 'application/json');

/**
 * Answers with an envelope of SOAP 1.1 around the content that a message is given, a Fault with
 * status 500.
 */
export const answerBy =
  (contentOf: (text: string, message: RecordedMessage) => string): RecordingBackend['answer'] =>
  (message, response) => {
    const content = contentOf(String(message.body), message);
    answerWith(
      envelope(content),
      undefined,
      content.includes('Fault>') ? 500 : 200,
    )(message, response);
  };

/**
 * Answers each operation of a namespace with this content of the element `<its name>Response`, or
 * with a Fault.
 */
export const answerOperations = (
  uri: string,
  contentOf: (operation: string, text: string, message: RecordedMessage) => string,
): RecordingBackend['answer'] =>
  answerBy((text, message) => {
    const name = operationIn(text);
    const content = contentOf(name, text, message);
    return content.startsWith('<s:Fault')
      ? content
      : `<${name}Response xmlns="${uri}">${content}</${name}Response>`;
  });

export async function startRecordingBackend(
  answer: RecordingBackend['answer'],
): Promise<RecordingBackend> {
  const backend: RecordingBackend = {
    url: '',
    complete: [],
    begun: 0,
    aborted: 0,
    answer,
    close: async () => {},
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    backend.begun++;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const message = { method, target: url, headers, body: Buffer.concat(chunks) };
      backend.complete.push(message);
      backend.answer(message, response);
    });
    request.on('close', () => {
      if (!request.complete) backend.aborted++;
    });
    request.on('error', () => {});
  });
  return Object.assign(backend, { url: await listening(server), close: () => closing(server) });
}

/**
 * A backend that does with its connections whatever the script says: for what no HTTP server would
 * answer.
 */
export interface ScriptedBackend {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/**
 * `script` is called with each connection's first request, as far as it came in the first packet
 * with its body.
 */
export async function startScriptedBackend(
  script: (socket: Socket, request: string) => void,
): Promise<ScriptedBackend> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = /content-length: *(\d+)/i.exec(received)?.[1] ?? '0';
      if (received.length < headEnd + 4 + Number(length)) return;
      const request = received;
      received = '';
      script(socket, request);
    });
  });
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await closing(server);
  };
  return { url: await listening(server), sockets, close };
}

function listening(server: Server | TcpServer): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function closing(server: Server | TcpServer): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
