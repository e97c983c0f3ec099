import { connect, type Socket } from 'node:net';

/** What came back on one raw connection. */
export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The connection ended before the answer was complete. */
  readonly isCut: boolean;
}

/**
 * One connection that sends exactly the bytes it is given: for what no HTTP client would send.
 * Reads one answer at a time; an answer without length and without chunks ends with the connection.
 */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    const wake = (): void => this.#wake();
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      wake();
    });
    const end = (): void => {
      this.#ended = true;
      wake();
    };
    socket.on('end', end).on('close', end).on('error', end);
  }

  static async connect(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.setNoDelay(true);
    return new RawClient(socket);
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Sends bytes and waits until the system has taken them. Ignores a connection that is gone. */
  async send(bytes: Uint8Array | string): Promise<void> {
    if (this.socket.destroyed) return;
    await new Promise<void>((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** Waits for the next complete answer, or for the end of the connection. */
  async reply(): Promise<RawReply> {
    for (;;) {
      const parsed = parseReply(this.#received, this.#ended);
      if (parsed !== null) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed.reply;
      }
      await this.#more();
    }
  }

  /** Waits until the other side has closed. */
  async ended(): Promise<void> {
    while (!this.#ended) await this.#more();
  }

  close(): void {
    this.socket.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** One request on a connection of its own. */
export async function sendRaw(url: string, bytes: Uint8Array | string): Promise<RawReply> {
  const client = await RawClient.connect(url);
  try {
    await client.send(bytes);
    return await client.reply();
  } finally {
    client.close();
  }
}

function parseReply(
  bytes: Buffer,
  ended: boolean,
): { readonly reply: RawReply; readonly length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    if (!ended) return null;
    return {
      reply: { status: 0, headers: new Map(), body: '', isCut: true },
      length: bytes.length,
    };
  }
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = headEnd + 4;
  if (status === 100 || status === 101) {
    return { reply: { status, headers, body: '', isCut: false }, length: start };
  }
  const done = (body: string, length: number, isCut = false) => ({
    reply: { status, headers, body, isCut },
    length,
  });
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks = readChunks(bytes, start);
    if (chunks !== null) return done(chunks.body.toString(), chunks.end);
    return ended ? done('', bytes.length, true) : null;
  }
  const length = headers.get('content-length');
  if (length === undefined)
    return ended ? done(bytes.subarray(start).toString(), bytes.length) : null;
  const end = start + Number(length);
  if (bytes.length >= end) return done(bytes.subarray(start, end).toString(), end);
  return ended ? done(bytes.subarray(start).toString(), bytes.length, true) : null;
}

function readChunks(
  bytes: Buffer,
  start: number,
): { readonly body: Buffer; readonly end: number } | null {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

/** A POST as most SOAP clients send it. `headers` replaces or adds fields; null leaves one away. */
export function post(
  path: string,
  contentType: string | null,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string | null>> = {},
): Buffer {
  const bytes = Buffer.from(body);
  const fields: Record<string, string | null> = {
    Host: 'localhost',
    'Content-Type': contentType,
    'Content-Length': String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    bytes,
  ]);
}

/** The same bytes as the chunks of a chunked body, the last one included. */
export function chunked(...pieces: readonly (Uint8Array | string)[]): Buffer {
  const parts = pieces.map((piece) => {
    const bytes = Buffer.from(piece);
    return Buffer.concat([
      Buffer.from(`${bytes.length.toString(16)}\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  });
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
