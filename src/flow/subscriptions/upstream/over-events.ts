import { Buffer } from 'node:buffer';
import { type observing, Refusal } from '../../../core/index.js';
import type { subschemas } from '../../../graphql/index.js';
import { heads, type Upstream, type UpstreamCall } from '../../../upstream/index.js';
import { subscribeOverEvents } from '../wire/graphql-sse.js';
import { EventFrames } from './event-frames.js';
import type { Feed } from './feed.js';

export interface EventsAsk {
  readonly feed: Feed;
  readonly upstream: Upstream;
  readonly request: subschemas.SubschemaRequest;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly observer: observing.CallObserver | null;
  readonly eventBytes: number;
  readonly bounds: subschemas.SubschemaTextLimits;
}

/** Subscribes over server-sent events, one request for the one operation. */
export function feedOverEvents({
  feed,
  upstream,
  request,
  headers,
  observer,
  eventBytes,
  bounds,
}: EventsAsk): void {
  const { query, variables } = request;
  const frames = new EventFrames(eventBytes, bounds);
  const body = new EventBody(feed);
  let call: UpstreamCall | null = null;
  const stop = subscribeOverEvents({
    query,
    variables,
    send: (text) =>
      new Promise((resolve, reject) => {
        call = upstream.call(
          {
            method: 'POST',
            query: '',
            headers: [
              ...headers,
              'content-type',
              'application/json',
              'accept',
              'text/event-stream',
            ],
            body: Buffer.from(text),
            isIdempotent: false,
            observer,
          },
          {
            head(head) {
              heads.checkEventsHead(head);
              feed.accepted();
              resolve(body);
            },
            data(chunk) {
              for (const { event, bytes } of frames.take(chunk)) {
                body.push(event, bytes);
              }
            },
            end: () => body.end(new Refusal('UPSTREAM_TRUNCATED', 'no complete')),
            failed(refusal) {
              body.end(refusal);
              if (!feed.isAccepted) {
                feed.failed(refusal);
              }
              reject(refusal);
              feed.closed();
            },
          },
        );
      }),
    next: (result) => feed.event(result, body.takeSize()),
    broken: () => feed.failed(new Refusal('UPSTREAM_INVALID_RESPONSE', 'GraphQL over SSE')),
    complete: () => feed.completed(),
  });
  feed.hangUp = () => {
    stop();
    call?.abort(new Refusal('CLIENT_GONE'));
    feed.closed();
  };
}

/**
 * The events on their way to the client of the protocol. It takes a stream that ends between two
 * events for one that goes on for ever: the end is reported here, after the events before it.
 */
class EventBody implements AsyncIterable<Buffer> {
  readonly #feed: Feed;
  readonly #waiting: Buffer[] = [];
  /** The sizes of the events that have not been passed on, the oldest first. */
  readonly #sizes: number[] = [];
  #end: Refusal | null = null;
  #isComplete = false;
  #wake: () => void = () => {};

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  push(event: 'next' | 'complete', bytes: Buffer): void {
    if (this.#isComplete) return;
    if (event === 'complete') {
      this.#isComplete = true;
    } else {
      this.#sizes.push(bytes.length);
    }
    this.#waiting.push(bytes);
    this.#wake();
  }

  end(refusal: Refusal): void {
    this.#end ??= refusal;
    this.#wake();
  }

  /** Takes the next event from the list; the answer is its size. */
  takeSize(): number {
    return this.#sizes.shift() ?? 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      for (let bytes = this.#waiting.shift(); bytes !== undefined; bytes = this.#waiting.shift()) {
        yield bytes;
      }
      if (this.#end !== null) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    // The client of the protocol has passed on all events by then.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#feed.failed(this.#end);
  }
}
