import { Buffer } from 'node:buffer';
import { connect, createServer, type Socket } from 'node:net';
import type { Closing } from './use.js';

/** One HTTP message as it went over the wire. */
export interface WireMessage {
  /** Null for a response. */
  readonly method: string | null;
  /** Null for a request. */
  readonly status: number | null;
  readonly version: string;
  /** Names and values as they were written, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Without the framing of chunks. */
  readonly body: Buffer;
}

/** What went through one point of the wire. */
export interface WireLog {
  readonly url: string;
  readonly requests: WireMessage[];
  readonly responses: WireMessage[];
}

/** Stands before the server at `target()`, passes all bytes on, and keeps each HTTP message. */
export async function startWireLog(t: Closing, target: () => string): Promise<WireLog> {
  const requests: WireMessage[] = [];
  const responses: WireMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    pass(client, upstream, messageReader(requests));
    pass(upstream, client, messageReader(responses));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests, responses };
}

function pass(from: Socket, to: Socket, read: (chunk: Buffer, isEnd: boolean) => void): void {
  from.on('data', (chunk: Buffer) => {
    read(chunk, false);
    to.write(chunk);
  });
  from.on('end', () => {
    read(Buffer.alloc(0), true);
    to.end();
  });
}

/** Reads the messages of one direction of one connection. */
function messageReader(found: WireMessage[]): (chunk: Buffer, isEnd: boolean) => void {
  let held: Buffer = Buffer.alloc(0);
  return (chunk, isEnd) => {
    held = Buffer.concat([held, chunk]);
    for (let next = readMessage(held, isEnd); next !== null; next = readMessage(held, isEnd)) {
      if (next.message.status === null || next.message.status >= 200) found.push(next.message);
      held = held.subarray(next.length);
    }
  };
}

function readMessage(
  bytes: Buffer,
  isEnd: boolean,
): { readonly message: WireMessage; readonly length: number } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const fieldOf = (wanted: string): string | null =>
    fields.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
  const isResponse = first.startsWith('HTTP/');
  const [one = '', two = '', three = ''] = first.split(' ');
  const length = fieldOf('content-length');
  const isChunked = fieldOf('transfer-encoding') !== null;
  const content = isChunked
    ? unchunked(bytes, end + 4)
    : withLength(bytes, end + 4, length === null ? (isResponse ? null : 0) : Number(length), isEnd);
  if (content === null) return null;
  return {
    message: {
      method: isResponse ? null : one,
      status: isResponse ? Number(two) : null,
      version: isResponse ? one : three,
      fields,
      body: content.body,
    },
    length: content.end,
  };
}

interface Content {
  readonly body: Buffer;
  readonly end: number;
}

function withLength(
  bytes: Buffer,
  start: number,
  length: number | null,
  isEnd: boolean,
): Content | null {
  if (length === null) return isEnd ? { body: bytes.subarray(start), end: bytes.length } : null;
  const end = start + length;
  return bytes.length < end ? null : { body: Buffer.from(bytes.subarray(start, end)), end };
}

function unchunked(bytes: Buffer, start: number): Content | null {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(Buffer.from(bytes.subarray(line + 2, end - 2)));
    at = end;
  }
}
