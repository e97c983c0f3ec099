import { Buffer } from 'node:buffer';
import { KIB } from '../../base/limit.js';
import { asRefusal, Refusal } from '../../base/refusal.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver, UpstreamRequest } from '../reply.js';
import { type CallToAuthorize, type Credentials, type Fields, withFields } from './credentials.js';

/** Of an answer with status 401 that is read before the call is repeated; beyond, its connection is closed. */
const DISCARDED_BYTES_MAX = 64 * KIB;

type SendRequest = (request: UpstreamRequest, receiver: UpstreamReceiver) => UpstreamCall;

/** One call with the credentials of the service, repeated once where the service wants others. */
export class AuthorizedCall implements UpstreamCall, UpstreamReceiver {
  readonly #credentials: Credentials;
  readonly #request: UpstreamRequest;
  readonly #receiver: UpstreamReceiver;
  readonly #send: SendRequest;
  #call: UpstreamCall | null = null;
  #fields: Fields = [];
  #refused: CallToAuthorize['refused'] = null;
  #isOver = false;
  /** Bytes read of an answer that is not passed on; null while none is discarded. */
  #discardedBytes: number | null = null;

  constructor(credentials: Credentials, request: UpstreamRequest, receiver: UpstreamReceiver, send: SendRequest) {
    this.#credentials = credentials;
    this.#request = request;
    this.#receiver = receiver;
    this.#send = send;
  }

  begin(): this {
    try {
      const fields = this.#credentials.fields(this.#asked());
      if (fields instanceof Promise) {
        fields.then(
          (obtained) => this.#start(obtained),
          (caught: unknown) => this.#fail(asRefusal(caught)),
        );
      } else this.#start(fields);
    } catch (caught) {
      // Later: the caller must hold the call before it can end.
      queueMicrotask(() => this.#fail(asRefusal(caught)));
    }
    return this;
  }

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#discardedBytes = null;
    if (this.#call !== null) this.#call.abort(refusal);
    else this.#fail(refusal);
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    if (head.status === 401 && this.#refused === null) {
      this.#refused = { head, fields: this.#fields };
      if (!this.#isUpload) {
        this.#discardedBytes = 0;
        return;
      }
      void this.#renew();
    }
    this.#receiver.head(head);
  }

  data(chunk: Buffer): void {
    if (this.#discardedBytes === null) {
      this.#receiver.data(chunk);
      return;
    }
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > DISCARDED_BYTES_MAX) throw new Refusal('UPSTREAM_AUTH', 'a long answer');
  }

  end(): void {
    if (this.#discardedBytes === null) {
      // It may throw, as it does for a Fault; `failed` follows then.
      this.#receiver.end();
      this.#isOver = true;
    } else this.#repeat();
  }

  failed(refusal: Refusal): void {
    if (this.#discardedBytes === null) this.#fail(refusal);
    else this.#repeat();
  }

  get #isUpload(): boolean {
    const { body } = this.#request;
    return body !== null && 'pipe' in body;
  }

  #asked(): CallToAuthorize {
    const { method, query } = this.#request;
    return { method, query, isUpload: this.#isUpload, refused: this.#refused, probe: this.#probe };
  }

  readonly #probe = (): Promise<ReplyHead> =>
    new Promise((resolve, reject) => {
      const { method, query, headers } = this.#request;
      const fields = headers.filter((_, index) => headers[index - (index % 2)] !== 'content-length');
      let found: ReplyHead | null = null;
      let bytes = 0;
      this.#send(
        { method, query, headers: fields, body: method === 'GET' ? null : Buffer.alloc(0), isIdempotent: true },
        {
          head(head) {
            found = head;
          },
          data(chunk) {
            bytes += chunk.length;
            if (bytes > DISCARDED_BYTES_MAX) throw new Refusal('UPSTREAM_AUTH', 'a long answer');
          },
          end: () => found !== null && resolve(found),
          failed: (refusal) => (found === null ? reject(refusal) : resolve(found)),
        },
      );
    });

  #repeat(): void {
    this.#discardedBytes = null;
    this.#call = null;
    // Later: the connection is free again then.
    queueMicrotask(() => {
      if (!this.#isOver) this.begin();
    });
  }

  /** A body that was sent while it came in cannot be sent again; the next call has other credentials. */
  async #renew(): Promise<void> {
    try {
      await this.#credentials.fields(this.#asked());
    } catch {
      // This call is answered with the 401 that it got.
    }
  }

  #start(fields: Fields): void {
    if (this.#isOver) return;
    this.#fields = fields;
    this.#call = this.#send({ ...this.#request, headers: withFields(this.#request.headers, fields) }, this);
  }

  #fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { body } = this.#request;
    if (body !== null && 'destroy' in body) body.destroy();
    this.#receiver.failed(refusal);
  }
}
