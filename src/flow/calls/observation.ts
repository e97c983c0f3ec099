import type { Buffer } from 'node:buffer';
import { type CodecLimits, type Decoded, ReplyDecoder } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { type eventBus, getOrMake } from '../../core/index.js';
import { subscriptions } from '../../graphql/index.js';
import type { Operation } from '../../wsdl/index.js';
import { type Interest, type StartTag, TeeHandler, type XmlHandler } from '../../xml/index.js';
import { readRequest } from './read-request.js';

export interface ObservationLimits {
  readonly codec: CodecLimits;
  /** The maximum length of the values of one event, as JSON. */
  readonly eventBytes: number;
}

/**
 * Looks at what passes the gateway, by whatever endpoint, for subscriptions to it. Without one,
 * that is one look-up for each message; else its values are read beside the validation, and nothing
 * is kept back for it.
 */
export class Observers {
  readonly #bus: eventBus.EventBus;
  readonly #limits: ObservationLimits;
  readonly #topics = new Map<string, Map<string, subscriptions.EventTopic>>();

  /** `via`: the kind of messages to observe. */
  constructor(
    topics: readonly subscriptions.EventTopic[],
    via: subscriptions.EventTopic['via'],
    bus: eventBus.EventBus,
    limits: ObservationLimits,
  ) {
    this.#bus = bus;
    this.#limits = limits;
    for (const topic of topics) {
      if (topic.via !== via) continue;
      getOrMake(this.#topics, topic.service, () => new Map()).set(topic.operation, topic);
    }
  }

  /** Whether anything of this service can be an event. */
  hasService(service: string): boolean {
    return this.#topics.has(service);
  }

  /** Whether its messages can be events. */
  has(service: string, operation: string): boolean {
    return this.#topics.get(service)?.has(operation) === true;
  }

  /** The observer of one exchange of the operation; null where no subscription wants its values. */
  begin(service: string, operation: string): Observation | null {
    const topic = this.#topics.get(service)?.get(operation);
    if (topic === undefined) return null;
    if (this.#bus.hasSubscribers(topic.name)) {
      return new Observation(topic, this.#bus, this.#limits);
    }
    this.#bus.skip(topic.name);
    return null;
  }
}

/** Reads the values of an event from one exchange. */
export class Observation {
  readonly #topic: subscriptions.EventTopic;
  readonly #bus: eventBus.EventBus;
  readonly #limits: ObservationLimits;
  #request: ValueReader | null = null;
  #reply: ValueReader | null = null;
  #isSent = false;
  #isLost = false;

  constructor(topic: subscriptions.EventTopic, bus: eventBus.EventBus, limits: ObservationLimits) {
    this.#topic = topic;
    this.#bus = bus;
    this.#limits = limits;
  }

  /** The handler of the child of Body of the request; null where no value of it is wanted. */
  request(): XmlHandler | null {
    const { request } = this.#topic;
    if (request === null) return null;
    this.#request = new ValueReader(request, this.#limits.codec);
    return this.#request;
  }

  /** The handler of the child of Body of the reply; null where no value of it is wanted. */
  reply(): XmlHandler | null {
    const { reply } = this.#topic;
    if (reply === null) return null;
    this.#reply = new ValueReader(reply, this.#limits.codec);
    return this.#reply;
  }

  /** The backend has the request, and may act. */
  sent(): void {
    this.#isSent = true;
  }

  /**
   * The exchange ended, and there is no answer that could be read: reports a gap where the backend
   * may have executed the request. `status` is that of the answer; null where none came. Never
   * throws.
   */
  lost(status: number | null): void {
    const isUnclear =
      status === null || (status >= 200 && status <= 299) || INTERMEDIATE.has(status);
    if (!this.#isSent || this.#isLost || !isUnclear) return;
    this.#isLost = true;
    this.#bus.publish(this.#topic.name, null);
  }

  /** The exchange came to a good end: publishes its events. Never throws. */
  publish(): void {
    const { name, request, reply } = this.#topic;
    const values = [...valuesOf(request, this.#request), ...valuesOf(reply, this.#reply)];
    const isUnread = values.includes(null);
    const event = isUnread ? null : Object.fromEntries(values.filter((value) => value !== null));
    const isTooMuch = event !== null && JSON.stringify(event).length > this.#limits.eventBytes;
    this.#bus.publish(name, isTooMuch ? null : event);
  }
}

/** Statuses of an intermediary that has no answer (RFC 9110, 15.6.3 and 15.6.5). */
const INTERMEDIATE: ReadonlySet<number> = new Set([502, 504]);

/** Null in place of values that were not read to their end. */
function valuesOf(
  reading: subscriptions.ValueReading | null,
  reader: ValueReader | null,
): readonly (readonly [string, unknown] | null)[] {
  if (reading === null) return [];
  return reader === null || !reader.isOver
    ? [null]
    : subscriptions.valuesRead(reading, reader.finish());
}

/** A decoder that knows whether all content has been reported to it. */
class ValueReader implements XmlHandler {
  isOver = false;
  readonly #decoder: ReplyDecoder;
  #depth = 0;

  constructor({ plan }: subscriptions.ValueReading, limits: CodecLimits) {
    this.#decoder = new ReplyDecoder(plan, limits);
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    return this.#decoder.open(tag);
  }

  text(piece: string): void {
    this.#decoder.text(piece);
  }

  close(): void {
    this.#decoder.close();
    if (--this.#depth === 0) {
      this.isOver = true;
    }
  }

  finish(): Decoded {
    return this.#decoder.finish();
  }
}

/** Feeds a request that is about to be sent to the observation. */
export function observeRequest(
  observation: Observation,
  service: SoapService,
  operation: Operation,
  message: Buffer,
): void {
  const handler = observation.request();
  if (handler === null) return;
  readRequest(service, operation, message, handler);
}

/** Passes the same content to both of them; null for none. */
export const together = (one: XmlHandler | null, other: XmlHandler | null): XmlHandler | null =>
  one === null || other === null ? (one ?? other) : new TeeHandler(one, other);
