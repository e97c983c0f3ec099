import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { byteBuffers, jsonValues, Refusal, type RefusalCode } from '../core/index.js';
import type { ConnectionReuse } from './connection-reuse.js';
import { EarlyStatus } from './upstream-refusals.js';

/**
 * Answers of the 100s that may come before the real one: HTTP allows any number, nothing needs more
 * (catalogue U13).
 */
const INTERIM_MAX = 10;
/** Bytes of one interim answer; as long as the head of a real one may be. */
const INTERIM_BYTES_MAX = 16 * 1024;

/** `HTTP/1.x nnn`: up to here it is known what a head is. */
const DECIDED_AT = 12;
const STATUS_AT = 9;
const [ZERO, ONE, FIVE] = [0x30, 0x31, 0x35];
const FIRST_ERROR = 400;
const VERSION = 'HTTP/1.';
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
const EMPTY: Buffer = Buffer.alloc(0);

/** The state of the connection in its exchange. `answer`: its head has begun. */
type At = 'idle' | 'request' | 'answer';

/**
 * Stands between a socket and the parser of its answers, and sees every byte first.
 *
 * It keeps an answer with its request. Bytes that come while no request is open end the connection
 * unread. So does an answer that begins before its request is out on a connection that was used
 * before: it may be the rest of another exchange. Its status is passed on if it is that of an
 * error, which backends do send early, and nothing else of it. On a new connection the whole of an
 * early answer is: no other request was sent there. It is the last answer there: a backend that
 * reads on may answer again, and the next request would get that.
 *
 * One case the connection alone cannot distinguish: an unsolicited answer that arrives after the
 * next request was handed to the system and before that request's own answer. HTTP/1.1 numbers
 * nothing. That is no rare moment: a backend with Nagle's algorithm sends its second answer when
 * our next request confirms the first. Such an answer is known by its content (the name of its Body
 * child, RelatesTo), or by the second answer that follows it in the same packet; where neither is
 * to be had, by using no connection twice (`requestsPerConnection: 1`).
 *
 * Interim answers (100, 102, 103) are taken out: the parser behind takes an unasked `100 Continue`
 * for a broken connection, and some stacks send one for every request.
 */
export class Guard {
  /** Something came behind the complete answer. */
  isDesynced = false;
  /** The parser is paused, because the answer is read more slowly than it comes. */
  isPaused = false;
  readonly #socket: Socket;
  readonly #reuse: ConnectionReuse;
  #at: At = 'idle';
  #requestIsOut = false;
  /** The answer has waited for what TLS says of the request. */
  #hasWaited = false;
  #mayBeStale = false;
  /** The answer began before the request was out. */
  #isEarly = false;
  #interim = 0;
  /** Bytes that are not classified yet. */
  #held = EMPTY;

  /** Tells `reuse` of bytes that belong to no request, or to an earlier one. */
  constructor(socket: Socket, reuse: ConnectionReuse) {
    this.#socket = socket;
    this.#reuse = reuse;
    const read = socket.read.bind(socket);
    const destroy = socket.destroy.bind(socket);
    // At a reset the parser looks whether the answer was complete, and fails an assertion while it
    // is paused.
    socket.destroy = (error?: Error) =>
      destroy(this.isPaused && isReset(error) ? cutOff(error) : error);
    socket.read = (size?: number): unknown => {
      // Node asks for nothing when the other side has closed, to report the end.
      if (size !== undefined) return this.isPaused && hasEnded(socket) ? null : read(size);
      if (this.#at === 'request' && this.#waitsForTls()) return null;
      for (;;) {
        const chunk: unknown = read(lastBytes(socket));
        if (chunk === null) {
          this.#lookBehind();
        } else if (chunk instanceof Buffer) {
          byteBuffers.packetRead(chunk.length);
        }
        if (this.#at === 'answer' || !(chunk instanceof Buffer)) return chunk;
        const passed = this.#pass(chunk);
        if (passed === null || passed.length > 0) return passed;
      }
    };
  }

  /** A request is about to be written; `isReused`: it is not the first on this connection. */
  begin(isReused: boolean): void {
    this.#at = 'request';
    this.#mayBeStale = isReused;
    this.#requestIsOut = false;
    this.#hasWaited = false;
    this.#isEarly = false;
    this.#interim = 0;
    this.#held = EMPTY;
    this.isDesynced = false;
    this.isPaused = false;
  }

  /** The last byte of the request was written to the socket. */
  requestIsOut(): void {
    this.#requestIsOut = true;
  }

  /**
   * The answer is complete. An early one ends the connection: at once, or by the parser while the
   * body is written.
   */
  end(): void {
    this.#at = 'idle';
    if (this.#isEarly) {
      this.#reuse.answeredEarly();
    }
    if (this.#isEarly && this.#requestIsOut) {
      this.#socket.destroy();
    }
  }

  /**
   * Whether an answer has come, the system has taken all of the request, and only TLS does not say
   * so yet: Node reports each write over TLS in the turn after it. The answer is read then.
   */
  #waitsForTls(): boolean {
    const socket = this.#socket;
    if (
      this.#hasWaited ||
      !this.#requestIsOut ||
      socket.writableLength === 0 ||
      socket.readableLength === 0
    ) {
      return false;
    }
    if (!isTakenBySystem(socket)) return false;
    this.#hasWaited = true;
    setImmediate(() => socket.emit('readable'));
    return true;
  }

  /**
   * The bytes for the parser: null and the socket is destroyed, empty where there is nothing for it
   * yet.
   */
  #pass(chunk: Buffer): Buffer | null {
    if (this.#at === 'idle') {
      // No error: a request that waits for this connection shall go to another one.
      this.#desynced();
      this.#socket.destroy();
      return null;
    }
    const isOut = this.#requestIsOut && this.#socket.writableLength === 0;
    if (!isOut) {
      this.#isEarly = true;
    }
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = EMPTY;
    for (;;) {
      if (!beginsAsHttp(bytes)) return this.#refuseAnswer('not HTTP/1');
      if (bytes.length < DECIDED_AT) return this.#hold(bytes);
      const firstDigit = bytes[STATUS_AT] ?? 0;
      if (firstDigit < ONE || firstDigit > FIVE) return this.#refuseAnswer('no status of HTTP');
      if (firstDigit !== ONE) {
        if (this.#isDoubtful) return this.#refuseEarly(statusOf(bytes));
        this.#at = 'answer';
        return bytes;
      }
      if (bytes[STATUS_AT + 1] === ZERO && bytes[STATUS_AT + 2] === ONE) {
        return this.#refuseAnswer('another protocol without a request');
      }
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) {
        if (bytes.length <= INTERIM_BYTES_MAX) return this.#hold(bytes);
        return this.#refuseAnswer('a long interim answer', 'UPSTREAM_RESPONSE_LIMIT');
      }
      if (++this.#interim > INTERIM_MAX) {
        return this.#refuseAnswer('too many interim answers', 'UPSTREAM_RESPONSE_LIMIT');
      }
      bytes = bytes.subarray(end + HEAD_END.length);
      if (bytes.length === 0) {
        // The answer may still wait for the end of the request.
        this.#isEarly = false;
        return bytes;
      }
    }
  }

  /**
   * Nothing more to read, and the answer is complete: has the parser ended the connection because
   * of bytes behind it? The code of its error tells this from an agreed end.
   */
  #lookBehind(): void {
    if (this.#at !== 'idle' || !this.#socket.destroyed) return;
    const error: unknown = this.#socket.errored;
    if (
      typeof error === 'object' &&
      error !== null &&
      'code' in error &&
      error.code !== 'UND_ERR_INFO'
    ) {
      this.#desynced();
    }
  }

  /** The answer may be the rest of another exchange. */
  get #isDoubtful(): boolean {
    return this.#mayBeStale && this.#isEarly;
  }

  #refuseEarly(status: number): null {
    if (status >= FIRST_ERROR) {
      this.#reuse.answeredEarly();
      return this.#refuse(new EarlyStatus(status));
    }
    return this.#refuseAnswer('an answer before its request was sent');
  }

  /**
   * What is no answer, or may not come here: a sign that the connection is out of step where
   * another may have left it.
   */
  #refuseAnswer(detail: string, code: RefusalCode = 'UPSTREAM_INVALID_RESPONSE'): null {
    if (!this.#isDoubtful) return this.#refuse(new Refusal(code, detail));
    this.#desynced();
    return this.#refuse(new Refusal('UPSTREAM_DESYNC', detail));
  }

  #desynced(): void {
    this.isDesynced = true;
    this.#reuse.suspend();
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes;
    return EMPTY;
  }

  #refuse(refusal: Refusal): null {
    this.#socket.destroy(refusal);
    return null;
  }
}

/**
 * The number of bytes that are left of a socket which the other side has closed; undefined for all
 * there are of another. Node reports the end with a read of all, but not of so many: the parser,
 * which may be paused by them, fails an assertion when it hears of the end before it has taken the
 * answer. It reads once more when it has.
 */
const lastBytes = (socket: Socket): number | undefined =>
  socket.readableLength > 0 && hasEnded(socket) ? socket.readableLength : undefined;

/** Whether the other side has closed a socket. What came before may still have to be read. */
const hasEnded = (socket: Socket): boolean =>
  jsonValues.readMember(jsonValues.readMember(socket, '_readableState'), 'ended') === true;

const isReset = (error: Error | undefined): error is Error =>
  error !== undefined && 'code' in error && error.code === 'ECONNRESET';

const cutOff = (cause: Error): Refusal =>
  new Refusal('UPSTREAM_TRUNCATED', 'ECONNRESET', { cause });

/** Whether the system has taken all that TLS has handed to it; false where that is not known. */
function isTakenBySystem(socket: Socket): boolean {
  const encrypted: unknown = jsonValues.readMember(
    jsonValues.readMember(socket, '_handle'),
    '_parent',
  );
  return jsonValues.readMember(encrypted, 'writeQueueSize') === 0;
}

/**
 * The status in a head whose first `DECIDED_AT` bytes are there; not a number where it has other
 * characters.
 */
const statusOf = (head: Buffer): number => Number(head.toString('latin1', STATUS_AT, DECIDED_AT));

function beginsAsHttp(bytes: Buffer): boolean {
  for (let index = 0; index < VERSION.length && index < bytes.length; index++) {
    if (bytes[index] !== VERSION.charCodeAt(index)) return false;
  }
  return true;
}
