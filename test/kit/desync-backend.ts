import { createServer, type Socket } from 'node:net';

import { behaviourOf, callOf, LATE_MILLIS, pauseMillisOf, replyOf } from './desync-calls.js';

const HEAD_END = '\r\n\r\n';
const CHUNKS_END = Buffer.from('0\r\n\r\n');

/**
 * A backend that answers early, late, twice and on connections of others. Resolves to its address.
 */
export function startDesyncBackend(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const exchanges = new Set<Exchanges>();
  const server = createServer({ noDelay: true }, (socket) => {
    const own = new Exchanges(socket, exchanges);
    exchanges.add(own);
    socket
      .on('data', (chunk) => own.read(chunk))
      .on('close', () => exchanges.delete(own))
      .on('error', () => {});
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: async () => {
          for (const { socket } of exchanges) socket.destroy();
          await new Promise((closed) => server.close(closed));
        },
      });
    });
  });
}

/** The exchanges of one connection. */
class Exchanges {
  readonly socket: Socket;
  readonly #all: ReadonlySet<Exchanges>;
  /** Requests that were answered, and those that wait for their answer. */
  #answered = 0;
  #waiting = 0;
  /** The head, until it is whole, with what came of the body in the same packets. */
  #head = Buffer.alloc(0);
  #call: number | null = null;
  /** Bytes of the body; null for chunks. */
  #length: number | null = 0;
  #bytes = 0;
  /** The last bytes of a body in chunks. */
  #tail = Buffer.alloc(0);
  #answers = 0;

  constructor(socket: Socket, all: ReadonlySet<Exchanges>) {
    this.socket = socket;
    this.#all = all;
  }

  /** All requests that came were answered. */
  get isIdle(): boolean {
    return (
      this.#answered > 0 && this.#waiting === 0 && this.#head.length === 0 && this.socket.writable
    );
  }

  read(chunk: Buffer): void {
    if (this.#call !== null) this.#readBody(chunk);
    else {
      this.#head = Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      const call = callOf(this.#head.subarray(end));
      if (call === null) return;
      const [, length] =
        /content-length: *(\d+)/i.exec(this.#head.toString('latin1', 0, end)) ?? [];
      this.#call = call;
      this.#length = length === undefined ? null : Number(length);
      this.#readBody(this.#head.subarray(end + HEAD_END.length));
    }
  }

  #readBody(bytes: Buffer): void {
    this.#bytes += bytes.length;
    this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-CHUNKS_END.length);
    const isWhole =
      this.#length === null ? this.#tail.equals(CHUNKS_END) : this.#bytes >= this.#length;
    const call = this.#call ?? 0;
    if (isWhole) this.#answerWhole(call);
    else this.#answerPart(call);
    if (!isWhole) return;
    this.#head = Buffer.alloc(0);
    this.#call = null;
    this.#bytes = 0;
    this.#tail = Buffer.alloc(0);
    this.#answers = 0;
  }

  /** A part of the request was read. */
  #answerPart(call: number): void {
    const behaviour = behaviourOf(call);
    const isEarly = behaviour === 'early' || behaviour === 'early and again';
    const share = this.#bytes / (this.#length ?? Number.POSITIVE_INFINITY);
    if (isEarly && this.#answers === 0) this.#answer(call);
    if (behaviour !== 'early, and again before the end') return;
    if ((this.#answers === 0 && share > 0.25) || (this.#answers === 1 && share > 0.9))
      this.#answer(call);
  }

  #answerWhole(call: number): void {
    const behaviour = behaviourOf(call);
    this.#waiting++;
    if (behaviour === 'late') setTimeout(() => this.#answerOnce(call), LATE_MILLIS);
    else this.#answerOnce(call);
  }

  #answerOnce(call: number): void {
    const behaviour = behaviourOf(call);
    this.#answered++;
    this.#waiting--;
    if (behaviour === 'early' && this.#answers > 0) return;
    if (behaviour === 'twice in one packet')
      this.#write(Buffer.concat([answerOf(call), answerOf(call)]));
    else if (behaviour === 'in halves') this.#answerInHalves(call);
    else this.#answer(call);
    if (behaviour === 'twice') setImmediate(() => this.#answer(call));
    if (behaviour === 'twice, later') setTimeout(() => this.#answer(call), pauseMillisOf(call));
    if (behaviour === 'on another connection') this.#answerAnother(call);
  }

  #answerInHalves(call: number): void {
    const answer = answerOf(call);
    const half = answer.length >> 1;
    this.#write(answer.subarray(0, half));
    setImmediate(() => this.#write(answer.subarray(half)));
  }

  #answerAnother(call: number): void {
    const idle = [...this.#all].filter((other) => other !== this && other.isIdle);
    const other = idle[call % idle.length];
    if (other !== undefined) other.#answer(call);
  }

  #answer(call: number): void {
    this.#answers++;
    this.#write(answerOf(call));
  }

  #write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }
}

function answerOf(call: number): Buffer {
  const reply = replyOf(call);
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: text/xml; charset=utf-8\r\n' +
    `content-length: ${reply.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), reply]);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { url } = await startDesyncBackend();
  process.stdout.write(`${JSON.stringify({ msg: 'ready', listen: url })}\n`);
}
