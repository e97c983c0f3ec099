import type { XmlHandler } from './events.js';
import { limitsOfReplies, type XmlLimits } from './limits.js';
import { XmlReader } from './reader.js';

/** Readers kept for the next message. More in flight than this are made anew and dropped. */
const IDLE_MAX = 64;

/**
 * Readers of one set of limits, kept for reuse: the tables of a reader cost more than a small
 * message.
 */
export class ReaderPool {
  readonly #limits: XmlLimits;
  /** The limits of messages of backends. */
  readonly limitsOfReplies: XmlLimits;
  readonly #idle: XmlReader[] = [];

  constructor(limits: XmlLimits) {
    this.#limits = limits;
    this.limitsOfReplies = limitsOfReplies(limits);
  }

  /**
   * A reader at its start. `charset` is that of the Content-Type, or null. Give it back when its
   * message is over.
   */
  take(handler: XmlHandler, charset: string | null): XmlReader {
    const reader = this.#idle.pop() ?? new XmlReader(handler, this.#limits);
    reader.reset(handler, charset);
    return reader;
  }

  /** As `take`, for a message of a backend. */
  takeForReply(handler: XmlHandler, charset: string | null): XmlReader {
    const reader = this.take(handler, charset);
    reader.mostAttributes = this.limitsOfReplies.attributes;
    return reader;
  }

  give(reader: XmlReader): void {
    if (this.#idle.length === IDLE_MAX) return;
    // A handler holds its message, and an idle reader may wait for hours.
    reader.release();
    this.#idle.push(reader);
  }
}
