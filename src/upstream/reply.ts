import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { httpFields, observing, Refusal, Steps, SubjectToken } from '../core/index.js';
import type { Affinity } from './balancer.js';
import type { CallRules } from './call-rules.js';

/** Bytes that are written into the body of a request. */
export interface Insertion {
  /** Offset in the body. */
  readonly offsetBytes: number;
  /**
   * Makes the bytes. Called for each try: they may hold a nonce, which no two messages have in
   * common.
   */
  readonly make: () => Buffer;
  /**
   * Changes the whole body once they are in it; absent: nothing is. A body that is streamed has
   * `change` for it, or must be whole. A long one takes many steps.
   */
  readonly seal?: (body: Buffer) => Steps<Buffer>;
  /** Changes a body that is streamed, with the bytes in it, as it goes by; absent: nothing does. */
  readonly change?: () => BodyChange;
}

/** Changes the bytes of one body as they go by. */
export interface BodyChange {
  write(bytes: Buffer): Buffer;
  end(): Buffer;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to the path of the upstream's address: '' or a query with its question mark. */
  readonly query: string;
  /** Names in lower case and values in turn. */
  readonly headers: string[];
  /**
   * How names of a caller's fields go on, where not in the usual spelling; absent or null: all do.
   */
  readonly spellings?: httpFields.FieldSpellings | null;
  readonly body: Buffer | Readable | null;
  /** Bytes that each try of the call has of its own. */
  readonly insertion?: Insertion;
  /** The name of the operation that it calls; absent or null where that is not known. */
  readonly operation?: string | null;
  /**
   * Doing it twice does no harm: it may be sent again when the connection broke before any answer.
   */
  readonly isIdempotent?: boolean;
  /** The address that it should go to; absent or null: any. */
  readonly affinity?: Affinity | null;
  /** The class of the client, for turns in a queue; absent for calls of the gateway itself. */
  readonly className?: string;
  /** Tells the callers of a service apart; absent for calls of the gateway itself. */
  readonly caller?: string;
  /** The rules of the operation; absent or null: those of the service. */
  readonly rules?: CallRules | null;
  /**
   * The token of the caller, where the backend gets one that is exchanged for it; else absent or
   * null.
   */
  readonly subject?: SubjectToken | null;
  /** Follows each attempt; absent or null where the call is not observed. */
  readonly observer?: observing.CallObserver | null;
}

/**
 * The position of a header field among names and values, from a position on; -1 where there is
 * none.
 */
export function findField(fields: readonly Buffer[], name: string, from: number): number {
  for (let at = from; at < fields.length; at += 2) {
    const key = fields[at];
    if (key?.length === name.length && key.toString('latin1').toLowerCase() === name) return at;
  }
  return -1;
}

/**
 * A body that is sent while it comes in: it cannot be sent twice, and an answer may come before its
 * end.
 */
export const isStreamed = (body: UpstreamRequest['body']): body is Readable =>
  body !== null && 'pipe' in body;

/** The values of a header field among names and values. */
export function fieldValues(fields: readonly Buffer[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = findField(fields, name, 0); at !== -1; at = findField(fields, name, at + 2)) {
    values.push(fields[at + 1]?.toString('latin1') ?? '');
  }
  return values;
}

export interface ReplyHead {
  readonly status: number;
  /**
   * The value of a header by its lower-case name; several values are joined by a comma and a space.
   */
  header(name: string): string | null;
  /** The values of a header that cannot be joined, such as `set-cookie`. */
  headers(name: string): readonly string[];
  /** Names in lower case and values in turn; absent where it was stored. */
  fields?(): readonly string[];
  /** The `id` of the address that it comes from; absent where it was stored. */
  readonly addressId?: string;
  /**
   * The reader found that the answer belongs to another request, even if it passes. Absent where it
   * was stored.
   */
  suspect?(): void;
  /**
   * Host, port and path of that address, by which its answers are suspected; absent or '' where
   * that is not known.
   */
  readonly source?: string;
}

/**
 * Receives one reply: `head`, any number of `data`, `end`; or `failed` at any point. An exception
 * ends the call.
 */
export interface UpstreamReceiver {
  /**
   * The whole request is written: from here on the backend may act. Called again after a retry.
   * Does not throw.
   */
  sent?(): void;
  head(head: ReplyHead): void;
  data(chunk: Buffer): void;
  end(): void;
  /** The last word: the call is over, and nothing more of its answer comes. */
  failed(refusal: Refusal): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /**
   * Ends the call and its connection; the receiver gets `failed(refusal)` unless it is over
   * already.
   */
  abort(refusal: Refusal): void;
}
