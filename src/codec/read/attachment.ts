import type { Buffer } from 'node:buffer';
import { refuseByLimit } from '../../core/index.js';
import { namespaces } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { trimXml } from '../plan/lexical.js';
import { CODEC_LIMITS } from '../plan/limits.js';
import { bareBase64 } from '../values/base64.js';
import type { ContentReading } from './content-reading.js';
import type { DeferredValue, Reading } from './reading.js';

/** The attachments of a message. */
export interface AttachmentSource {
  /** The one that a reference names; null where there can be none. */
  want(href: string): DeferredValue | null;
  /** As `want`; its bytes are handed out while they come, and its value is empty. */
  stream(href: string, take: (piece: Buffer) => void): DeferredValue | null;
  /** The one that is this part of the WSDL. Its value is null where the message has none. */
  part(name: string): Deferred['source'];
}

/**
 * The binary content of one reply: base64 in the envelope, and parts that it refers to. Both are
 * bounded by `attachmentBytes`.
 */
export class BinaryContent {
  /** Values are known when the message is over. */
  hasDeferred = false;
  readonly #attachments: AttachmentSource | null;
  readonly #content: ContentReading | null;
  readonly #bytesMax: number;
  #charsLeft: number;

  /**
   * `attachments`: null where the message is no package. `content`: all that is read; null: what is
   * asked for.
   */
  constructor(
    attachments: AttachmentSource | null,
    content: ContentReading | null,
    bytesMax: number = CODEC_LIMITS.attachmentBytes.default,
  ) {
    this.#attachments = attachments;
    this.#content = content;
    this.#bytesMax = bytesMax;
    this.#charsLeft = Math.ceil(bytesMax / 3) * 4;
  }

  /** Counts base64 text. Throws `UPSTREAM_RESPONSE_LIMIT`. */
  count(chars: string): void {
    this.#charsLeft -= bareBase64(chars).length;
    if (this.#charsLeft < 0) {
      throw refuseByLimit(
        'UPSTREAM_RESPONSE_LIMIT',
        'limits.codec.attachmentBytes',
        this.#bytesMax,
      );
    }
  }

  /**
   * A child of a simple value, or of an object with binary text: an Include refers to bytes outside
   * of the envelope.
   */
  include(tag: StartTag, owner: Reading): void {
    const isBinary =
      owner.variant === null ? owner.slot?.isBinary === true : owner.variant.isBinary;
    const isAlone = owner.deferred === null && !owner.hasChildren && trimXml(owner.text) === '';
    const isInclude = isBinary && isAlone && tag.local === 'Include' && tag.uri === namespaces.XOP;
    const href = isInclude && this.#attachments !== null ? tag.attribute('', 'href') : null;
    const found = href === null ? null : this.#wanted(href, owner);
    if (found === null) {
      owner.hasChildren = true;
    } else {
      this.hasDeferred = true;
      owner.deferred = found;
    }
  }

  #wanted(href: string, owner: Reading): DeferredValue | null {
    if (this.#attachments === null) return null;
    if (this.#content === null) return this.#attachments.want(href);
    return this.#content.is(owner) ? this.#attachments.stream(href, this.#content.take) : null;
  }

  /**
   * The attachment that a text names (`swaRef`), as a `data:` URL; null where there can be none.
   */
  referred(text: string): Deferred | null {
    const written = trimXml(text);
    const found = this.#attachments?.want(written) ?? null;
    if (found === null) return null;
    this.hasDeferred = true;
    return new Deferred({ value: () => found.dataUrl() ?? written });
  }

  /** The attachment that is a part of the WSDL; null where the message is no package. */
  attached(part: string): Deferred | null {
    if (this.#attachments === null) return null;
    this.hasDeferred = true;
    return new Deferred(this.#attachments.part(part));
  }
}

/** Placeholder in the answer for a deferred value. */
export class Deferred {
  readonly source: { value(): string | null };

  constructor(source: Deferred['source']) {
    this.source = source;
  }
}

/** The answer with every placeholder replaced by its value. */
export function resolveDeferred(answer: unknown): unknown {
  const box: Record<string, unknown> = { answer };
  const stack: Record<string, unknown>[] = [box];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    for (const key of Object.keys(holder)) {
      const held = holder[key];
      if (held instanceof Deferred) {
        holder[key] = held.source.value();
      } else if (isHolder(held)) {
        stack.push(held);
      }
    }
  }
  return box['answer'];
}

/** An object or a list of the answer: made by the decoder, so that it may be written to. */
const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
