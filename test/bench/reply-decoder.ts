import type { ReplyPlan } from '../../src/codec/plan/reply/reply-plan.js';
import { ReplyDecoder } from '../../src/codec/read/decode.js';
import type { Compiled } from '../../src/compile.js';
import { EnvelopeValidator } from '../../src/soap/envelope.js';
import type { XmlHandler } from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * Decodes replies in this process, as a gateway of this configuration does for its first service.
 */
export class ReplyDecoding {
  readonly #compiled: Compiled;

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
  }

  get #service() {
    const [service] = this.#compiled.services;
    if (service === undefined) throw new Error('no service');
    return service;
  }

  /** Returns the bytes that nothing has read. */
  read(reply: Buffer, handler: XmlHandler): number {
    const reader = new XmlReader(handler, this.#service.xmlLimits);
    for (let at = 0; at < reply.length; at += CHUNK_BYTES)
      reader.write(reply.subarray(at, at + CHUNK_BYTES));
    reader.end();
    return reader.skippedBytes;
  }

  decode(reply: Buffer, plan: ReplyPlan) {
    const decoder = new ReplyDecoder(plan, this.#compiled.config.limits.codec);
    const observer = { onHeadValid() {}, openBody: () => decoder };
    const { replyRules } = this.#service;
    const validator = new EnvelopeValidator(replyRules, null, 'no detail', observer);
    const skippedBytes = this.read(reply, validator);
    return { answer: decoder.finish().value, skippedBytes };
  }
}
