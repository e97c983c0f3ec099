import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';

import { byteBuffers, Refusal } from '../../core/index.js';
import type { Gate, GateOutput, InflateLimits } from '../../soap/index.js';
import { Collected } from './collected.js';
import { type ConnectionRecord, recordOf } from './connection-record.js';
import {
  fairScheduler,
  type SlicedTask,
  TIME_SLICE_MILLIS,
  waitForTimeSlice,
} from './fair-scheduler.js';
import { type BodyTaker, Incoming } from './incoming-request.js';
import { Inflater } from './inflate.js';

/** A request that passed the gate as far as it had to before anything is sent on. */
export type Received =
  | { readonly kind: 'whole'; readonly message: Buffer }
  /**
   * The head of the message is in order and the rest flows. The gate destroys `body` when it does
   * not stay so.
   */
  | {
      readonly kind: 'flowing';
      readonly body: Readable;
      /**
       * How much longer it is than what the caller announced, because of what was changed in its
       * head.
       */
      readonly growthBytes: number;
    };

/**
 * How much of a long message is validated at a time: as much as takes a time slice, between these.
 */
const PIECE_BYTES_MIN = 2 * 1024;
const PIECE_BYTES_FIRST = 16 * 1024;
const PIECE_BYTES_MAX = 64 * 1024;

/**
 * A body up to here need not go through the stream of its request, which can be paused but costs
 * more than to validate it.
 */
const GIVEN_BYTES_MAX = 64 * 1024;

/** The uses of a request's bytes besides their validation. */
export interface BodyIntake {
  /**
   * It comes as gzip, and is validated and sent on decoded, within these limits; null: it comes as
   * it is.
   */
  readonly inflate: InflateLimits | null;
  /**
   * A request longer than the window is collected up to so many bytes, so that its length is known;
   * null: it flows.
   */
  readonly bufferBytes: number | null;
}

/** The gate of a message, or a stage before it. */
export interface MessageGate extends Pick<Gate, 'write' | 'end' | 'work' | 'hasWork'> {
  /** Whether it reads on where the body of a message that flows is no longer wanted. */
  readonly readsOn?: boolean;
  /** Nothing more of the message comes. */
  over?(): void;
}

/** Adds up the time that the validation of a request takes. */
export interface Account {
  readonly startedMillis: number;
  workMillis: number;
}

/**
 * Reads a request through the gate. Resolves when it is validated whole, or when it begins to flow.
 * Rejects with the refusal before that; after that the refusal destroys the body, which ends the
 * upstream request before its end.
 */
export function receive(
  request: IncomingMessage,
  intake: BodyIntake,
  account: Account,
  makeGate: (output: GateOutput) => MessageGate,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const receiving = new Receiving(request, intake, account, resolve, reject);
    receiving.start(makeGate(receiving));
  });
}

/** One request on its way through the gate in. */
class Receiving implements GateOutput, SlicedTask, BodyTaker {
  readonly beganMillis: number;
  readonly #request: IncomingMessage;
  readonly #owner: ConnectionRecord;
  readonly #bufferBytes: number | null;
  readonly #inflater: Inflater | null;
  readonly #account: Account;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (caught: unknown) => void;
  #gate: MessageGate | null = null;
  #unlisten: (() => void) | null = null;
  /** Made for long messages only: a stream costs more than validating a short message does. */
  #body: RequestBody | null = null;
  #collected: Collected | null = null;
  #bytes = 0;
  /** Valid bytes of one packet: a write for each piece of them costs more than to validate it. */
  #unsent: Buffer | null = null;
  /** Bytes that wait for their turn, and whether there is one to come. */
  readonly #waiting: Buffer[] = [];
  #isQueued = false;
  #pieceBytes = PIECE_BYTES_FIRST;
  /** The body comes as it is read, and cannot be paused. */
  #isGiven = false;
  /** The backend takes no more for now. */
  #isHeld = false;
  /** The body is not wanted, and the gate reads on. */
  #isDropped = false;
  #isEnded = false;
  #isOver = false;

  constructor(
    request: IncomingMessage,
    { inflate, bufferBytes }: BodyIntake,
    account: Account,
    resolve: (received: Received) => void,
    reject: (caught: unknown) => void,
  ) {
    this.beganMillis = account.startedMillis;
    this.#request = request;
    this.#owner = recordOf(request.socket);
    this.#bufferBytes = bufferBytes;
    this.#inflater = inflate === null ? null : this.#inflate(inflate);
    this.#account = account;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(gate: MessageGate): void {
    this.#gate = gate;
    const bytes = Number(this.#request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    const isShort = bytes <= byteBuffers.SHORT_MESSAGE_BYTES;
    const mayBeGiven = bytes <= GIVEN_BYTES_MAX && this.#inflater === null;
    if (isShort || !this.#owner.isPenalised) {
      this.#read(mayBeGiven);
    } else {
      void waitForTimeSlice(this.#owner).then(() => this.#read(false));
    }
  }

  #read(mayBeGiven: boolean): void {
    const request = this.#request;
    request.on('error', this.#onError);
    this.#isGiven = mayBeGiven && request instanceof Incoming && request.giveBody(this);
    if (!this.#isGiven) {
      this.#listen();
    }
    // It may have left before its turn came.
    if (request.destroyed) {
      this.#stop(new Refusal('CLIENT_GONE'));
    }
  }

  #listen(): void {
    const piece = (bytes: Buffer): void => this.piece(bytes);
    const ended = (): void => this.ended();
    this.#request.on('data', piece).on('end', ended);
    this.#unlisten = () => this.#request.off('data', piece).off('end', ended);
  }

  whole(message: Buffer): void {
    this.#resolve({ kind: 'whole', message });
  }

  begin(growthBytes: number): void {
    if (this.#bufferBytes !== null) {
      this.#collected = new Collected(this.#bufferBytes);
      return;
    }
    this.#body = new RequestBody(
      () => this.#resume(),
      () => this.#leaveBody(),
    );
    this.#resolve({ kind: 'flowing', body: this.#body, growthBytes });
  }

  data(chunk: Buffer): void {
    if (this.#collected !== null) {
      this.#collected.add(chunk);
    } else if (this.#unsent === null) {
      this.#unsent = chunk;
    } else {
      const joined = byteBuffers.joinAdjacent(this.#unsent, chunk);
      if (joined === null) {
        this.#send();
      }
      this.#unsent = joined ?? chunk;
    }
  }

  /** Sends what became valid in this turn. */
  #send(): void {
    const bytes = this.#unsent;
    this.#unsent = null;
    if (this.#isDropped) {
      this.#leaveIfRead();
      return;
    }
    if (bytes !== null && this.#body?.push(bytes) === false) {
      this.#isHeld = true;
    }
  }

  end(): void {
    this.#send();
    if (this.#collected !== null) {
      this.#resolve({ kind: 'whole', message: this.#collected.message() });
    } else if (!this.#isDropped) {
      this.#body?.push(null);
    }
  }

  /** The backend takes more. */
  #resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#goOn();
  }

  step(): 'more' | 'waits' {
    this.#isQueued = false;
    if (this.#isOver || this.#isHeld) return 'waits';
    if (this.#hasNext) {
      this.#takeNext();
    }
    this.#send();
    if (this.#isOver || this.#isHeld) return 'waits';
    if (this.#hasNext) {
      this.#isQueued = true;
      return 'more';
    }
    this.#goOn();
    return 'waits';
  }

  /** Whether a piece waits, or the gate has collected bytes that it can read. */
  get #hasNext(): boolean {
    return this.#waiting.length > 0 || this.#gate?.hasWork === true;
  }

  /** Has collected bytes read, else takes a piece. Returns how many milliseconds that took. */
  #takeNext(): number {
    return this.#gate?.hasWork === true ? this.#measured((gate) => gate.work()) : this.#takePiece();
  }

  /** Takes one piece of what waits. Returns how many milliseconds that took. */
  #takePiece(): number {
    const piece = takePiece(this.#waiting, this.#pieceBytes);
    const millis = this.#take(piece);
    // Some messages are read twenty times as slowly as others, so that pieces are measured in time.
    if (millis > TIME_SLICE_MILLIS) {
      this.#shrinkPieces(piece.length, millis);
    } else if (millis < TIME_SLICE_MILLIS / 2) {
      this.#pieceBytes = Math.min(PIECE_BYTES_MAX, this.#pieceBytes * 2);
    }
    return millis;
  }

  #shrinkPieces(bytes: number, millis: number): void {
    const sliceBytes = Math.floor((bytes / millis) * TIME_SLICE_MILLIS);
    this.#pieceBytes = Math.max(PIECE_BYTES_MIN, Math.min(this.#pieceBytes, sliceBytes));
  }

  /** Does what is next: the turn of what waits, the end, or reading. */
  #goOn(): void {
    if (this.#isOver || this.#isQueued) return;
    if (this.#hasNext) {
      this.#isQueued = true;
      fairScheduler.enqueue(this, this.#owner);
    } else if (this.#isEnded) {
      this.#finish();
    } else {
      this.#source?.resume();
    }
  }

  piece(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#inflater !== null) {
      this.#inflater.write(bytes);
    } else if (this.#bytes > byteBuffers.SHORT_MESSAGE_BYTES) {
      this.#arrive(bytes);
    } else {
      const millis = this.#take(bytes);
      if (millis > TIME_SLICE_MILLIS) {
        this.#shrinkPieces(bytes.length, millis);
      }
      this.#send();
    }
  }

  ended(): void {
    if (this.#inflater === null) {
      this.#arriveEnd();
    } else {
      this.#inflater.end();
    }
  }

  /**
   * Bytes of the message itself, which are validated in time slices: at once while nothing waits
   * for one.
   */
  #arrive(chunk: Buffer): void {
    this.#waiting.push(chunk);
    while (this.#mayTakeNow) {
      fairScheduler.spend(this.#takeNext());
    }
    this.#send();
    if (this.#isOver || !(this.#hasNext || this.#isHeld)) return;
    this.#source?.pause();
    if (!this.#isHeld) {
      this.#goOn();
    }
  }

  /** What the bytes come from, where it can be paused. */
  get #source(): Inflater | IncomingMessage | null {
    return this.#isGiven ? null : (this.#inflater ?? this.#request);
  }

  get #mayTakeNow(): boolean {
    if (!this.#hasNext || this.#isQueued || this.#isHeld || this.#isOver) return false;
    return fairScheduler.admits(this.#owner);
  }

  #arriveEnd(): void {
    this.#isEnded = true;
    if (!this.#hasNext && !this.#isQueued) {
      this.#finish();
    }
  }

  /** Called by the server: the error of the rest of the request; else the caller has left. */
  readonly #onError = (error: Error): void => {
    this.#stop(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
  };

  /** How long that took. */
  #take(chunk: Buffer): number {
    return this.#measured((gate) => gate.write(chunk));
  }

  #measured(step: (gate: MessageGate) => void): number {
    const fromMillis = performance.now();
    try {
      if (this.#gate !== null) {
        step(this.#gate);
      }
    } catch (caught) {
      this.#stop(caught);
    }
    const millis = performance.now() - fromMillis;
    this.#account.workMillis += millis;
    return millis;
  }

  #finish(): void {
    if (this.#bytes <= byteBuffers.SHORT_MESSAGE_BYTES) {
      fairScheduler.addShortMessage();
    }
    try {
      this.#gate?.end();
    } catch (caught) {
      this.#stop(caught);
    }
  }

  #stop(caught: unknown): void {
    this.#leave();
    // The promise rejects before the head is valid; after that the body is destroyed.
    this.#reject(caught);
    this.#body?.destroy(caught instanceof Error ? caught : new Error('stopped'));
  }

  /** The body is not wanted any more. */
  #leaveBody(): void {
    if (this.#isOver || this.#gate?.readsOn !== true) {
      this.#leave();
      return;
    }
    this.#isDropped = true;
    this.#isHeld = false;
    this.#unsent = null;
    this.#goOn();
  }

  #leaveIfRead(): void {
    if (!this.#isOver && this.#gate?.readsOn !== true) {
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gate?.over?.();
    this.#waiting.length = 0;
    this.#unsent = null;
    const request = this.#request;
    if (request instanceof Incoming) {
      request.leaveBody();
    }
    this.#unlisten?.();
    request.off('error', this.#onError);
    this.#inflater?.destroy();
  }

  /** Decodes the request; the caller waits while its bytes do. */
  #inflate(limits: InflateLimits): Inflater {
    return new Inflater(limits, {
      data: (chunk) => this.#arrive(chunk),
      end: () => this.#arriveEnd(),
      failed: (refusal) => this.#stop(refusal),
      enough: () => this.#request.pause(),
      more: () => this.#request.resume(),
    });
  }
}

/** The validated part of a request that is still coming in. */
class RequestBody extends Readable {
  readonly #resume: () => void;

  /** `resume` is called when more is wanted, `leave` when no more of it is wanted. */
  constructor(resume: () => void, leave: () => void) {
    super();
    this.#resume = resume;
    this.once('close', leave);
    // The upstream call gets the refusal that destroys the body, and ends with it; there is no
    // other listener.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#resume();
  }
}

/** Takes the next bytes, not more than one piece of them; tiny chunks are put together. */
function takePiece(waiting: Buffer[], pieceBytes: number): Buffer {
  const first = waiting[0] ?? Buffer.alloc(0);
  if (first.length > pieceBytes) {
    waiting[0] = first.subarray(pieceBytes);
    return first.subarray(0, pieceBytes);
  }
  let count = 1;
  let bytes = first.length;
  for (; count < waiting.length; count++) {
    bytes += waiting[count]?.length ?? 0;
    if (bytes > pieceBytes) break;
  }
  const taken = waiting.splice(0, count);
  return count === 1 ? first : Buffer.concat(taken);
}
