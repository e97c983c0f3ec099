import { Refusal } from '../../base/refusals/refusal.js';
import { ALL, ELEMENTS_ONLY, type Interest, type StartTag } from '../../xml/events.js';

/** The WS-Addressing blocks of a message that the gateway or a service may act on. Texts are trimmed. */
export interface Addressing {
  readonly to: string | null;
  /** Where the text of `to` stands in the message; null when there is none, or its block is taken out or for others. */
  readonly toContent: { readonly startBytes: number; readonly endBytes: number } | null;
  readonly action: string | null;
  /** The block with the action is for the service, and reaches it. */
  readonly isActionPassed: boolean;
  readonly messageId: string | null;
  /** The message this one is the reply to: the first RelatesTo without another kind of relationship. */
  readonly relatesTo: string | null;
  /** The address in ReplyTo; null for none. */
  readonly replyTo: string | null;
  /** ReplyTo or FaultTo names an address other than the caller's connection. */
  readonly hasOtherReplyAddress: boolean;
}

/** The member submissions before WS-Addressing 1.0, which old stacks still act on. */
const SUBMISSIONS = ['2003/03', '2004/03', '2004/08'].map((date) => `http://schemas.xmlsoap.org/ws/${date}/addressing`);

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

/** Blocks of which a message has one at most for one receiver (WS-Addressing 1.0, SOAP binding, section 3.2). */
const SINGLE: ReadonlySet<string> = new Set(['To', 'Action', 'MessageID', 'ReplyTo', 'FaultTo', 'From']);

/**
 * Reads the WS-Addressing blocks of one Header. All versions count as one: of two blocks, different readers act on
 * different ones. Throws `SOAP_STRUCTURE` for a block that comes twice, where that is checked, and `SOAP_HEADER_LIMIT`
 * for a text that is too long to be an address.
 */
export class AddressingReader implements Addressing {
  to: string | null = null;
  toContent: { readonly startBytes: number; readonly endBytes: number } | null = null;
  action: string | null = null;
  isActionPassed = false;
  messageId: string | null = null;
  relatesTo: string | null = null;
  replyTo: string | null = null;
  hasOtherReplyAddress = false;
  readonly #refusesRepeated: boolean;
  readonly #seen = new Set<string>();
  #block = '';
  #isForwarded = false;
  #isRepeated = false;
  #isReply = false;
  /** Elements open; the block itself is 1. */
  #depth = 0;
  #isReading = false;
  #hasAddress = false;
  #contentBytes = 0;
  #text = '';

  /** `refusesRepeated`: a block that comes again is refused. Else its text is not known: null. */
  constructor(refusesRepeated: boolean) {
    this.#refusesRepeated = refusesRepeated;
  }

  /** A block begins. `isForwarded`: it is for the service, and stays in the message. */
  begin(tag: StartTag, isForwarded: boolean): Interest {
    this.#block = tag.local;
    this.#isForwarded = isForwarded;
    this.#depth = 1;
    this.#hasAddress = false;
    this.#contentBytes = tag.contentBytes;
    this.#isRepeated = SINGLE.has(tag.local) && this.#seen.has(tag.local);
    if (this.#isRepeated && this.#refusesRepeated)
      throw new Refusal('SOAP_STRUCTURE', 'a block of WS-Addressing twice');
    this.#seen.add(tag.local);
    switch (tag.local) {
      case 'RelatesTo':
        this.#isReply = REPLY.test(tag.attribute('', 'RelationshipType')?.trim() ?? '');
        return this.#read();
      case 'To':
      case 'Action':
      case 'MessageID':
        return this.#read();
      default:
        return ELEMENTS_ONLY;
    }
  }

  open(tag: StartTag): Interest {
    if (this.#isReading) throw new Refusal('SOAP_STRUCTURE', 'an element in a text of WS-Addressing');
    this.#depth++;
    const isAddress = this.#depth === 2 && tag.local === 'Address' && NAMESPACES.has(tag.uri);
    return isAddress && (this.#block === 'ReplyTo' || this.#block === 'FaultTo') ? this.#read() : ELEMENTS_ONLY;
  }

  close(contentEndBytes: number): void {
    const text = this.#isReading ? trimmed(this.#text) : null;
    this.#isReading = false;
    this.#depth--;
    if (this.#depth > 0) {
      if (text === null) return;
      this.#hasAddress = true;
      if (this.#block === 'ReplyTo') this.replyTo = text;
      if (!ANONYMOUS.has(text) && text !== NONE) this.hasOtherReplyAddress = true;
      return;
    }
    this.#endBlock(this.#isRepeated ? null : text, contentEndBytes);
  }

  text(piece: string): void {
    if (!this.#isReading) return;
    this.#text += piece;
    if (this.#text.length > TEXT_UNITS_MAX)
      throw new Refusal('SOAP_HEADER_LIMIT', 'a text of WS-Addressing is too long');
  }

  #read(): Interest {
    this.#isReading = true;
    this.#text = '';
    return ALL;
  }

  #endBlock(text: string | null, contentEndBytes: number): void {
    switch (this.#block) {
      case 'To':
        this.to = text;
        if (this.#isForwarded) this.toContent = { startBytes: this.#contentBytes, endBytes: contentEndBytes };
        return;
      case 'Action':
        this.action = text;
        this.isActionPassed = this.#isForwarded;
        return;
      case 'MessageID':
        this.messageId = text;
        return;
      case 'RelatesTo':
        if (this.#isReply) this.relatesTo ??= text;
        return;
      case 'ReplyTo':
      case 'FaultTo':
        if (!this.#hasAddress) this.hasOtherReplyAddress = true;
        return;
    }
  }
}

/** Without the white space of XML around it: other blanks are part of an address, and make it another one. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE.includes(text[start] ?? '')) start++;
  while (end > start && WHITE.includes(text[end - 1] ?? '')) end--;
  return text.slice(start, end);
}

const WHITE = ' \t\r\n';
