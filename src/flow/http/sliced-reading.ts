import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

import { byteBuffers, KIB } from '../../core/index.js';
import { recordOf } from './connection-record.js';
import { fairScheduler, type SlicedTask, type TaskOwner } from './fair-scheduler.js';

/**
 * Bytes that the parser gets at a time: with chunks of one byte it takes half a millisecond for
 * them.
 */
const SLICE_BYTES = 4 * KIB;

/** Chunks of a slice beyond which the next slice waits for its turn. */
const CHUNKS_MAX = 64;

const READINGS = new WeakMap<Socket, SlicedReading>();

/**
 * Feeds the bytes of a connection to its parser in slices. Node's parser takes all of a packet at
 * once: 10,000 chunks of one byte in 64 KiB are 10 to 20 ms in which nothing else runs, and
 * requests that are sent ahead are parsed although the connection is paused. After a slice of many
 * chunks the next one waits for its time slice, so that their cost is the connection's own, and new
 * connections of the same address are read like any others.
 */
export class SlicedReading implements SlicedTask {
  beganMillis = 0;
  /** Chunks that the parser found in the present slice. */
  chunks = 0;
  /** Bytes to come of a body whose length is known: they hold no chunks, and are one slice. */
  plainBytes = 0;
  /** The head of a request has been parsed, and not yet all of its body. */
  #isInRequest = false;
  readonly #socket: Socket;
  readonly #owner: TaskOwner;
  readonly #push: (bytes: Buffer | null) => boolean;
  /** Bytes that were read and not parsed yet: of one packet, for nothing is read meanwhile. */
  #rest: Buffer | null = null;
  #isQueued = false;

  /** From the `connection` event of an HTTP server on. */
  constructor(socket: Socket) {
    this.#socket = socket;
    this.#owner = recordOf(socket);
    this.#push = socket.push.bind(socket);
    const read = socket._read.bind(socket);
    // The native parser reads from the socket itself until there is a listener.
    socket.on('data', ignore).off('data', ignore);
    socket.push = (bytes: Buffer | null) => this.#take(bytes);
    socket._read = (size) => {
      if (this.#rest === null) {
        read(size);
      }
    };
    socket.on('resume', () => this.#goOn());
    READINGS.set(socket, this);
  }

  /** Null where a connection is not read in slices. */
  static of(socket: Socket): SlicedReading | null {
    return READINGS.get(socket) ?? null;
  }

  /** Bytes wait to be parsed: its client is not the slow one. */
  get isBehind(): boolean {
    return this.#rest !== null;
  }

  /** The head of a request has been parsed. */
  begin(): void {
    this.#isInRequest = true;
    this.plainBytes = 0;
  }

  /** All of the request has been parsed. */
  end(): void {
    this.#isInRequest = false;
    this.plainBytes = 0;
  }

  step(): 'more' | 'waits' {
    this.#isQueued = false;
    if (this.#rest === null || this.#socket.destroyed || this.#socket.isPaused()) return 'waits';
    this.#slice(this.#rest);
    if (this.#rest === null) return 'waits';
    this.#isQueued = true;
    return 'more';
  }

  #take(bytes: Buffer | null): boolean {
    if (bytes !== null) {
      byteBuffers.packetRead(bytes.length);
    }
    if (bytes === null || (this.#rest === null && bytes.length <= SLICE_BYTES)) {
      return this.#push(bytes);
    }
    this.#rest = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    return this.#goOn();
  }

  /** Whether more is to be read. */
  #goOn(): boolean {
    let takesMore = false;
    while (this.#rest !== null) {
      if (this.#isQueued || this.#socket.destroyed || this.#socket.isPaused()) return false;
      takesMore = this.#slice(this.#rest);
      if (this.#rest !== null && this.chunks > CHUNKS_MAX) {
        this.#isQueued = true;
        this.beganMillis = performance.now();
        fairScheduler.enqueue(this, this.#owner);
      }
    }
    return takesMore;
  }

  #slice(rest: Buffer): boolean {
    const end = Math.max(
      SLICE_BYTES,
      this.#isInRequest ? this.plainBytes : plainRequestBytes(rest),
    );
    this.#rest = end < rest.length ? rest.subarray(end) : null;
    this.chunks = 0;
    return this.#push(rest.subarray(0, end));
  }
}

/**
 * The length of the request that begins with these bytes: one slice, for it holds no chunks. 0
 * where its head is not whole or long, names a transfer coding, or does not say how long its body
 * is. Where an earlier slice held the beginning of the head, a transfer coding may be there: Node's
 * parser refuses it beside a length. And where that was all but the end of the last line, the lines
 * here would be those of a chunk.
 */
function plainRequestBytes(bytes: Buffer): number {
  if (bytes[0] === 0x0d || bytes[0] === 0x0a) return 0;
  const headEnd = bytes.subarray(0, SLICE_BYTES).indexOf('\r\n\r\n');
  if (headEnd === -1) return 0;
  const head = bytes.latin1Slice(0, headEnd + 2).toLowerCase();
  const at = head.indexOf(LENGTH);
  if (at === -1 || head.includes('transfer-encoding')) return 0;
  const length = Number(head.slice(at + LENGTH.length, head.indexOf('\r\n', at + 2)));
  return Number.isSafeInteger(length) ? headEnd + 4 + length : 0;
}

const LENGTH = '\r\ncontent-length:';

const ignore = (): void => {};
