import { Buffer } from 'node:buffer';
import { KIB, Refusal } from '../../core/index.js';
import type { CallRules } from '../call-rules.js';
import { RepeatableCall } from '../repeatable-call.js';
import {
  isStreamed,
  type ReplyHead,
  type UpstreamCall,
  type UpstreamReceiver,
  type UpstreamRequest,
} from '../reply.js';
import { type CallToAuthorize, type Credentials, type Fields, withFields } from './credentials.js';

/**
 * The most bytes that are read of an answer with status 401 before the call is repeated. Beyond,
 * its connection is closed.
 */
const DISCARDED_BYTES_MAX = 64 * KIB;

type SendRequest = (request: UpstreamRequest, receiver: UpstreamReceiver) => UpstreamCall;

/** One call with the credentials of the service, repeated once where the service wants others. */
export class AuthorizedCall extends RepeatableCall<Fields> {
  readonly #credentials: Credentials;
  readonly #send: SendRequest;
  readonly #target: string;
  #fields: Fields = [];
  #refused: CallToAuthorize['refused'] = null;
  /** Bytes read of an answer that is not passed on; null while none is discarded. */
  #discardedBytes: number | null = null;

  /** `target`: path and query of the request. `rules`: those of the call. */
  constructor(
    credentials: Credentials,
    request: UpstreamRequest,
    receiver: UpstreamReceiver,
    send: SendRequest,
    target: string,
    rules: CallRules,
  ) {
    super(request, receiver, rules);
    this.#credentials = credentials;
    this.#send = send;
    this.#target = target;
  }

  head(head: ReplyHead): void {
    const credentials = this.#credentials;
    if (head.status >= 200 && head.status <= 299) {
      credentials.accepted?.(this.#fields, this.operation, this.#refused !== null, head);
    } else if (
      head.status === 401 &&
      this.#refused === null &&
      credentials.canRenew?.(this.#fields, this.operation, head) !== false
    ) {
      this.#refused = { head, fields: this.#fields };
      if (!this.#isUpload) {
        this.#discardedBytes = 0;
        return;
      }
      void this.#renew();
    }
    this.receiver.head(head);
  }

  data(chunk: Buffer): void {
    if (this.#discardedBytes === null) {
      this.receiver.data(chunk);
      return;
    }
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > DISCARDED_BYTES_MAX) {
      throw new Refusal('UPSTREAM_AUTH', 'a long answer');
    }
  }

  end(): void {
    if (this.#discardedBytes === null) {
      this.finish();
    } else {
      this.repeat();
    }
  }

  failed(refusal: Refusal): void {
    if (this.#discardedBytes === null) {
      this.fail(refusal);
    } else {
      this.repeat();
    }
  }

  protected obtain(): Fields | Promise<Fields> {
    return this.#credentials.fields(this.#asked());
  }

  protected send(fields: Fields): UpstreamCall {
    this.#fields = fields;
    return this.#send({ ...this.request, headers: withFields(this.request.headers, fields) }, this);
  }

  protected drop(): void {
    this.#discardedBytes = null;
  }

  get #isUpload(): boolean {
    return isStreamed(this.request.body);
  }

  #asked(): CallToAuthorize {
    const { method, observer } = this.request;
    return {
      method,
      target: this.#target,
      operation: this.operation,
      isUpload: this.#isUpload,
      refused: this.#refused,
      observer: observer?.request ?? null,
      probe: this.#probe,
    };
  }

  readonly #probe = (): Promise<ReplyHead> =>
    new Promise((resolve, reject) => {
      const { method, query, headers, observer = null } = this.request;
      const fields = headers.filter(
        (_, index) => headers[index - (index % 2)] !== 'content-length',
      );
      let found: ReplyHead | null = null;
      let bytes = 0;
      this.#send(
        {
          method,
          query,
          headers: fields,
          body: method === 'GET' ? null : Buffer.alloc(0),
          isIdempotent: true,
          observer,
        },
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

  /**
   * A body that was sent while it came in cannot be sent again; the next call has other
   * credentials.
   */
  async #renew(): Promise<void> {
    try {
      await this.#credentials.fields(this.#asked());
    } catch {
      // This call is answered with the 401 that it got.
    }
  }
}
