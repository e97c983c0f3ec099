import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from '../../config/listen/http-limits.js';
import { Refusal, refusals, refuseByLimit } from '../../core/index.js';
import { reset } from '../../listen/peer-certificate.js';
import { Ending } from './ending.js';
import { LINGER_MILLIS } from './linger.js';
import { SendProgress } from './send-progress.js';
import { sentenceOf } from './sentence.js';
import { SlicedReading } from './sliced-reading.js';

/** A request and the answer it waits for. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The answer to what is no request to be handled. */
export interface RefusedRequest {
  /** What log lines call it. */
  readonly id: string;
  /** The answer has a sentence. */
  readonly isExplained: boolean;
}

/** The paces that a connection has to keep. */
export type Paces = Pick<HttpLimits, 'stallMillis' | 'bodyRateBytes' | 'bodyGraceMillis'>;

/** One connection of a caller: its requests, one at a time, and how fast it takes part in them. */
export class Connection {
  readonly socket: Socket;
  /** The client's address, kept because a closed socket has none; '' when it was closed at once. */
  readonly client: string;
  /** The request that is being answered; null between requests. */
  current: Turn | null = null;
  /** Requests begun. */
  requests = 0;
  /** The last answer on it was no refusal. */
  isProven = false;
  /** A WebSocket has taken it over. */
  isUpgraded = false;
  #isEnding = false;
  readonly #reading: SlicedReading;
  /** Requests that were sent ahead of their turn. */
  readonly #waiting: Turn[] = [];
  /** The refusal of the last bytes, until it is answered. */
  #broken: Refusal | null = null;
  /** The request whose body is broken although all of it came. */
  #brokenRequest: IncomingMessage | null = null;
  #isRefused = false;
  readonly #sending: SendProgress;
  /** Bytes read when the present stretch of reading began; no moment before its first look. */
  #readBytes = 0;
  #readMillis: number | null = null;
  readonly #answered: () => void;

  /** `answered` is called when the present request is over. */
  constructor(socket: Socket, answered: (connection: Connection) => void) {
    this.socket = socket;
    this.#reading = new SlicedReading(socket);
    this.#sending = new SendProgress(socket);
    this.#answered = () => answered(this);
    this.client = socket.remoteAddress ?? '';
  }

  /** Nothing that comes is answered any more. */
  get isOver(): boolean {
    return this.#isRefused || !this.socket.writable;
  }

  /** It ended with an answer to what was no request. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The last bytes are refused, though the answer is not sent yet. */
  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** It has brought a whole request that is being answered, or the last one was good. */
  get hasBrought(): boolean {
    return this.isProven || this.current?.request.complete === true;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  begin(turn: Turn): Ending {
    this.current = turn;
    this.requests++;
    this.#sending.rest();
    this.#readMillis = null;
    // Node decides that there is a listener before it emits an error: a reader that stops in
    // between must not be missed.
    turn.request.on('error', ignore);
    return new Ending(turn.response, this.#answered);
  }

  /**
   * Keeps a request for later. Node resumes the socket behind each request all the same: those of
   * one packet come at once.
   */
  wait(turn: Turn): void {
    this.#waiting.push(turn);
    this.socket.pause();
  }

  /** The next one that waits, or null. Reading goes on once none does. */
  next(): Turn | null {
    const turn = this.#waiting.shift() ?? null;
    if (turn !== null && this.#waiting.length === 0) {
      this.socket.resume();
    }
    return turn;
  }

  /**
   * The last bytes cannot be read, or not in time. If they are the body of the present request, its
   * reader gets the error in an `error` event and answers; else `refusalDue` has it when its turn
   * comes. `request` is set where its body is not reported to its end, though the parser has seen
   * that.
   */
  break(refusal: Refusal, request: IncomingMessage | null = null): void {
    this.#broken ??= refusal;
    this.#brokenRequest ??= request;
    this.reportToReader();
  }

  /** Gives the reader of the current body its error; again, until there is a reader. */
  reportToReader(): void {
    const request = this.current?.request;
    if (this.#broken === null || request === undefined) return;
    if (request.complete && request !== this.#brokenRequest) return;
    if (request.listenerCount('error') > 1) {
      request.emit('error', this.#broken);
    }
  }

  /** The refusal for a head that was no request, or null. Of use between requests only. */
  get refusalDue(): Refusal | null {
    return this.#broken;
  }

  /** Nothing is answered after the present request. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends it once the present request is answered, at once without one. */
  endWhenAnswered(): void {
    this.#isEnding = true;
    if (this.isUpgraded) return;
    if (this.current === null) {
      this.socket.destroy();
    } else {
      this.current.response.shouldKeepAlive = false;
    }
  }

  /**
   * Answers with a status what is no request to be handled, and ends the connection; once `held` is
   * over.
   */
  async answer(
    refusal: Refusal,
    { id, isExplained }: RefusedRequest,
    held: Promise<void> | null,
  ): Promise<void> {
    this.#isRefused = true;
    const { socket } = this;
    if (held !== null) {
      await held;
    }
    const status = refusals.wireStatus(refusal, 'http');
    const text = isExplained ? sentenceOf(refusal, null) : null;
    const allow = status === 405 ? 'Allow: GET, POST\r\n' : '';
    const later = status === 503 ? 'Retry-After: 1\r\n' : '';
    const type =
      text === null
        ? ''
        : 'Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n';
    const length = `Content-Length: ${text?.length ?? 0}\r\n`;
    const fields = `${allow}${later}X-Request-Id: ${id}\r\n${type}${length}Connection: close\r\n`;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}\r\n${text ?? ''}`);
    // As in `linger`: bytes still on their way must not make the kernel take the answer back.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS);
    socket.once('close', () => clearTimeout(timer));
  }

  /**
   * Called regularly while a request is being answered. A caller that is too slow is refused, or
   * cut.
   */
  look(paces: Paces, nowMillis: number): void {
    if (this.current === null) return;
    this.reportToReader();
    this.#lookAtReading(this.current.request, paces, nowMillis);
    this.#lookAtWriting(paces, nowMillis);
  }

  #lookAtReading(
    request: IncomingMessage,
    { bodyRateBytes, bodyGraceMillis }: Paces,
    nowMillis: number,
  ): void {
    if (request.complete || this.#broken !== null) return;
    const { bytesRead } = this.socket;
    const millis = this.#readMillis === null ? 0 : nowMillis - this.#readMillis;
    if (
      millis >= bodyGraceMillis &&
      (bytesRead - this.#readBytes) * 1000 < bodyRateBytes * millis
    ) {
      this.break(refuseByLimit('HTTP_TIMEOUT', 'limits.http.bodyRateBytes', bodyRateBytes));
    }
    // A held and untaken body is the gateway's doing: the backend is slow then, and the caller has
    // to wait.
    if (
      this.#readMillis === null ||
      millis >= bodyGraceMillis ||
      request.readableLength > 0 ||
      this.#reading.isBehind
    ) {
      this.#readBytes = bytesRead;
      this.#readMillis = nowMillis;
    }
  }

  #lookAtWriting({ stallMillis }: Paces, nowMillis: number): void {
    if (this.socket.writableLength === 0) {
      this.#sending.rest();
    } else if (this.#sending.stalledMillis(nowMillis) >= stallMillis) {
      reset(this.socket);
      // An answer that was all handed over looks finished once its connection is gone.
      this.current?.response.destroy(new Refusal('CLIENT_GONE', 'stalled'));
    }
  }
}

const ignore = (): void => {};
