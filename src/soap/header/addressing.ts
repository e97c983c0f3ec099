import { Refusal } from '../../core/index.js';
import { ALL, ELEMENTS_ONLY, type Interest, type StartTag } from '../../xml/index.js';

/**
 * The WS-Addressing blocks of a message that the gateway or a service may act on. Texts are
 * trimmed.
 */
export interface Addressing {
  readonly to: string | null;
  /**
   * The range of the text of `to` in the message; null without one that is passed on to the
   * service.
   */
  readonly toContent: { readonly startBytes: number; readonly endBytes: number } | null;
  readonly action: string | null;
  /** The block with the action is for the service, and reaches it. */
  readonly isActionPassed: boolean;
  readonly messageId: string | null;
  /**
   * The message this one is the reply to: the first RelatesTo without another kind of relationship.
   */
  readonly relatesTo: string | null;
  /** The range of the text of `relatesTo` in the message; null without one. */
  readonly relatesToContent: { readonly startBytes: number; readonly endBytes: number } | null;
  /** The address in ReplyTo; null for none. */
  readonly replyTo: string | null;
  /** ReplyTo or FaultTo names an address other than the caller's connection. */
  readonly hasOtherReplyAddress: boolean;
}

/** The member submissions before WS-Addressing 1.0, which old stacks still act on. */
const SUBMISSIONS = ['2003/03', '2004/03', '2004/08'].map(
  (date) => `http://schemas.xmlsoap.org/ws/${date}/addressing`,
);

export const WSA_1_0 = 'http://www.w3.org/2005/08/addressing';
export const WSA_2004_08 = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';

const NAMESPACES: ReadonlySet<string> = new Set([WSA_1_0, ...SUBMISSIONS]);

const ANONYMOUS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2005/08/addressing/anonymous',
  ...SUBMISSIONS.map((uri) => `${uri}/role/anonymous`),
]);
const NONE = 'http://www.w3.org/2005/08/addressing/none';
/** Kinds of relationship of a reply; none at all is one too. */
const REPLY = /^$|^(?:http:\/\/www\.w3\.org\/2005\/08\/addressing\/reply|(?:[^:]*:)?Reply)$/;

/** UTF-16 units of one text: more is no address. */
const TEXT_UNITS_MAX = 1024;

export const isAddressing = (uri: string): boolean => NAMESPACES.has(uri);

/** Whether an address means "the connection the message came by". */
export const isAnonymous = (address: string): boolean => ANONYMOUS.has(address);

/**
 * Blocks of which a message has one at most for one receiver (WS-Addressing 1.0, SOAP binding,
 * section 3.2).
 */
const SINGLE: ReadonlySet<string> = new Set([
  'To',
  'Action',
  'MessageID',
  'ReplyTo',
  'FaultTo',
  'From',
]);

/** Blocks that are a text, and those with an address in them for replies. */
const TEXTS: ReadonlySet<string> = new Set(['To', 'Action', 'MessageID', 'RelatesTo']);
const REPLY_BLOCKS: ReadonlySet<string> = new Set(['ReplyTo', 'FaultTo']);

interface OpenBlock {
  readonly name: string;
  readonly isForwarded: boolean;
  /**
   * The text counts: it is no repetition, and relates to the request where it relates to another
   * message.
   */
  readonly isUsed: boolean;
  readonly contentBytes: number;
}

/** The position in a block: in its text, among its elements, in its address, or behind that. */
type At = 'text' | 'elements' | 'address' | 'addressed';

/**
 * Reads the WS-Addressing blocks of one Header. All versions count as one: of two blocks, different
 * readers act on different ones. Throws `SOAP_STRUCTURE` for a block that comes twice, where that
 * is checked, and `SOAP_HEADER_LIMIT` for a text that is too long to be an address.
 */
export class AddressingReader implements Addressing {
  to: string | null = null;
  toContent: { readonly startBytes: number; readonly endBytes: number } | null = null;
  action: string | null = null;
  isActionPassed = false;
  messageId: string | null = null;
  relatesTo: string | null = null;
  relatesToContent: { readonly startBytes: number; readonly endBytes: number } | null = null;
  replyTo: string | null = null;
  hasOtherReplyAddress = false;
  readonly #refusesRepeated: boolean;
  readonly #seen = new Set<string>();
  #block: OpenBlock = { name: '', isForwarded: false, isUsed: false, contentBytes: 0 };
  #at: At = 'elements';
  /** Elements open; the block itself is 1. */
  #depth = 0;
  #text = '';

  /** `refusesRepeated`: a block that comes again is refused. Else its text is not known: null. */
  constructor(refusesRepeated: boolean) {
    this.#refusesRepeated = refusesRepeated;
  }

  /** A block begins. `isForwarded`: it is for the service, and stays in the message. */
  begin(tag: StartTag, isForwarded: boolean): Interest {
    const { local: name, contentBytes } = tag;
    const isRepeated = SINGLE.has(name) && this.#seen.has(name);
    if (isRepeated && this.#refusesRepeated) {
      throw new Refusal('SOAP_STRUCTURE', 'a block of WS-Addressing twice');
    }
    this.#seen.add(name);
    this.#block = {
      name,
      isForwarded,
      isUsed: name === 'RelatesTo' ? isOfReply(tag) : !isRepeated,
      contentBytes,
    };
    this.#depth = 1;
    return this.#move(TEXTS.has(name) ? 'text' : 'elements');
  }

  open(tag: StartTag): Interest {
    if (this.#isReading) {
      throw new Refusal('SOAP_STRUCTURE', 'an element in a text of WS-Addressing');
    }
    this.#depth++;
    const isAddress = this.#depth === 2 && tag.local === 'Address' && NAMESPACES.has(tag.uri);
    return isAddress && REPLY_BLOCKS.has(this.#block.name) ? this.#move('address') : ELEMENTS_ONLY;
  }

  close(contentEndBytes: number): void {
    this.#depth--;
    if (this.#depth === 0) {
      this.#endBlock(contentEndBytes);
    } else if (this.#at === 'address') {
      this.#endAddress(trimmed(this.#text));
    }
  }

  text(piece: string): void {
    if (!this.#isReading) return;
    this.#text += piece;
    if (this.#text.length > TEXT_UNITS_MAX) {
      throw new Refusal('SOAP_HEADER_LIMIT', 'a text of WS-Addressing is too long');
    }
  }

  get #isReading(): boolean {
    return this.#at === 'text' || this.#at === 'address';
  }

  #move(at: At): Interest {
    this.#at = at;
    this.#text = '';
    return this.#isReading ? ALL : ELEMENTS_ONLY;
  }

  #endAddress(address: string): void {
    if (this.#block.name === 'ReplyTo') {
      this.replyTo = address;
    }
    if (!ANONYMOUS.has(address) && address !== NONE) {
      this.hasOtherReplyAddress = true;
    }
    this.#move('addressed');
  }

  #endBlock(endBytes: number): void {
    const { name, isForwarded, isUsed, contentBytes: startBytes } = this.#block;
    const text = isUsed && this.#at === 'text' ? trimmed(this.#text) : null;
    const hasAddress = this.#at === 'addressed';
    this.#move('elements');
    switch (name) {
      case 'To':
        this.to = text;
        if (isForwarded) {
          this.toContent = { startBytes, endBytes };
        }
        return;
      case 'Action':
        this.action = text;
        this.isActionPassed = isForwarded;
        return;
      case 'MessageID':
        this.messageId = text;
        return;
      case 'RelatesTo':
        if (this.relatesTo !== null || text === null) return;
        this.relatesTo = text;
        this.relatesToContent = { startBytes, endBytes };
        return;
      case 'ReplyTo':
      case 'FaultTo':
        if (!hasAddress) {
          this.hasOtherReplyAddress = true;
        }
        return;
    }
  }
}

const isOfReply = (tag: StartTag): boolean =>
  REPLY.test(tag.attribute('', 'RelationshipType')?.trim() ?? '');

/**
 * Without the white space of XML around it: other blanks are part of an address, and make it
 * another one.
 */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE.includes(text[start] ?? '')) {
    start++;
  }
  while (end > start && WHITE.includes(text[end - 1] ?? '')) {
    end--;
  }
  return text.slice(start, end);
}

const WHITE = ' \t\r\n';
