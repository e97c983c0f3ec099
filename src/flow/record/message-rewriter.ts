import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { AT_ONCE, getOrMake, type Steps } from '../../core/index.js';
import { headerBlocks, mimeTypes } from '../../soap/index.js';
import type { Operation } from '../../wsdl/index.js';
import { XmlReader } from '../../xml/index.js';
import { type ReplyTypes, replyTypesOf, requestTypesOf } from '../compare/reply-types.js';
import { RecordedMessage } from './recorded-message.js';
import type { ValueReplacer } from './replaced-value.js';

/** Bytes of a message between two steps: their values take about a millisecond. */
const STEP_BYTES = 512;

/** The types of the messages of an operation. */
export interface MessageTypes {
  readonly request: ReplyTypes;
  readonly reply: ReplyTypes;
}

/** Writes messages of a service anew, without secrets, with other values of the same class. */
export class MessageRewriter {
  readonly #service: SoapService;
  readonly #masked: ReadonlySet<string>;
  readonly #secretBlocks: ReadonlySet<string>;
  readonly #types = new WeakMap<Operation, MessageTypes>();

  /** `masked` are names of elements and attributes whose values are always replaced. */
  constructor(service: SoapService, masked: ReadonlySet<string>) {
    this.#service = service;
    this.#masked = masked;
    this.#secretBlocks = new Set([...headerBlocks.SECURITY_NAMES, ...service.ownBlocks]);
  }

  typesOf(operation: Operation): MessageTypes {
    const { wsdl } = this.#service;
    return getOrMake(this.#types, operation, () => ({
      request: requestTypesOf(operation, wsdl),
      reply: replyTypesOf(operation, wsdl),
    }));
  }

  /** As `steps`, at once. */
  rewrite(...parts: Parameters<MessageRewriter['steps']>): Buffer | null {
    return AT_ONCE.finish(this.steps(...parts));
  }

  /**
   * The message anew in UTF-8, in steps; null for one that cannot be read. `contentType` is that of
   * its header field; null for none.
   */
  *steps(
    message: Buffer,
    contentType: string | null,
    types: ReplyTypes,
    replacer: ValueReplacer,
    replacesAll: boolean,
  ): Steps<Buffer | null> {
    const written = new RecordedMessage({
      types,
      replacer,
      replacesAll,
      masked: this.#masked,
      secretBlocks: this.#secretBlocks,
    });
    const reader = new XmlReader(written, this.#service.readers.limitsOfReplies);
    reader.begin(mimeTypes.readMediaType(contentType ?? undefined)?.charset ?? null);
    try {
      for (let at = 0; at < message.length; at += STEP_BYTES) {
        reader.write(message.subarray(at, at + STEP_BYTES));
        yield;
      }
      reader.end();
      return written.finish();
    } catch {
      return null;
    }
  }
}
