import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { httpFields } from '../core/index.js';

/** One request and its answer on a connection. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * Names in lower case and values in turn; they go out as `spellings` and the connection spell
   * them.
   */
  readonly headers: string[];
  /** Spellings of fields that are passed on; absent or null: the usual ones. */
  readonly spellings?: httpFields.FieldSpellings | null;
  readonly body: Buffer | Readable | null;
  /**
   * Milliseconds from the end of the request to the first line of the answer; absent: those of the
   * upstream.
   */
  readonly headersTimeout?: number;
}

/** The low-level handler of undici 7, which makes no objects of its own for each exchange. */
export interface ExchangeHandler {
  /**
   * The connection is being authenticated for the request; `abort` gives that up. An exception does
   * so at once.
   */
  onHandshake?(abort: (error: Error) => void): void;
  /** The request is about to be written. An exception ends the exchange before that. */
  onConnect(abort: (error: Error) => void): void;
  onRequestSent(): void;
  /** Names and values in turn. False pauses until `resume` is called. */
  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: unknown): void;
}
