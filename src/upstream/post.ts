import { Buffer } from 'node:buffer';
import {
  type CancelSignal,
  type httpFields,
  type observing,
  type Refusal,
  refuseByLimit,
} from '../core/index.js';
import type { Affinity } from './balancer.js';
import type { ReplyHead, UpstreamCall } from './reply.js';
import type { Upstream } from './upstream.js';

export interface PostOptions {
  /** Names in lower case and values in turn. */
  readonly headers: string[];
  /** Those of a caller's fields; absent or null: the usual ones. */
  readonly spellings?: httpFields.FieldSpellings | null;
  readonly body: Buffer;
  /** Doing it twice does no harm. */
  readonly isIdempotent: boolean;
  readonly affinity?: Affinity | null;
  readonly className?: string;
  readonly caller?: string;
  /** Null or absent where it is not observed. */
  readonly observer?: observing.CallObserver | null;
  readonly maxBytes: number;
  /** The key of that limit in the configuration. */
  readonly maxBytesKey: string;
  /** Aborts the call; `aborted` is what it then rejects with. */
  readonly signal: CancelSignal;
  readonly aborted: () => Refusal;
  /** Checks the head of the answer before the body is read: an exception ends the call. */
  readonly checkHead: (head: ReplyHead) => void;
}

/** Sends a request and resolves to the whole body of the answer. Rejects with a `Refusal`. */
export function postWhole(upstream: Upstream, options: PostOptions): Promise<Buffer> {
  const {
    headers,
    spellings = null,
    body,
    isIdempotent,
    affinity = null,
    className = '',
    caller = '',
    observer = null,
    maxBytes,
    maxBytesKey,
    signal,
    aborted,
    checkHead,
  } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    const chunks: Buffer[] = [];
    let bytes = 0;
    let call: UpstreamCall | null = null;
    const onAbort = (): void => call?.abort(aborted());
    const tooLong = (): Refusal => refuseByLimit('UPSTREAM_RESPONSE_LIMIT', maxBytesKey, maxBytes);
    call = upstream.call(
      {
        method: 'POST',
        query: '',
        headers,
        spellings,
        body,
        isIdempotent,
        affinity,
        className,
        caller,
        observer,
      },
      {
        head(head) {
          checkHead(head);
          if (Number(head.header('content-length') ?? 0) > maxBytes) throw tooLong();
        },
        data(chunk) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw tooLong();
          chunks.push(chunk);
        },
        end() {
          signal.removeEventListener('abort', onAbort);
          resolve(Buffer.concat(chunks));
        },
        failed(refusal) {
          signal.removeEventListener('abort', onAbort);
          reject(refusal);
        },
      },
    );
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
