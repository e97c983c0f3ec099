import { Refusal } from '../base/refusal.js';
import { ALL, ELEMENTS, type Interest, type StartTag } from '../xml/events.js';

/** What the WS-Addressing blocks of a message say to the gateway, or may be heeded by a service. Texts are trimmed. */
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
  /** ReplyTo or FaultTo asks for an answer elsewhere than to the caller. */
  readonly answersElsewhere: boolean;
}

/** The member submissions before WS-Addressing 1.0, which old stacks still act on. */
const SUBMISSIONS = ['2003/03', '2004/03', '2004/08'].map((date) => `http://schemas.xmlsoap.org/ws/${date}/addressing`);

const NAMESPACES: ReadonlySet<string> = new Set(['http://www.w3.org/2005/08/addressing', ...SUBMISSIONS]);

const ANONYMOUS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2005/08/addressing/anonymous',
  ...SUBMISSIONS.map((uri) => `${uri}/role/anonymous`),
]);
const NONE = 'http://www.w3.org/2005/08/addressing/none';
/** Kinds of relationship that mean "the reply to", besides none at all. */
const REPLY = /^$|^(?:http:\/\/www\.w3\.org\/2005\/08\/addressing\/reply|(?:[^:]*:)?Reply)$/;

/** UTF-16 units of one text: more is no address. */
const TEXT_UNITS_MAX = 1024;

export const isAddressing = (uri: string): boolean => NAMESPACES.has(uri);

/** Whether an address means "the connection the message came by". */
export const isAnonymous = (address: string): boolean => ANONYMOUS.has(address);

/** Blocks of which a message has one at most for one receiver (WS-Addressing 1.0, SOAP binding, section 3.2). */
const SINGLE: ReadonlySet<string> = new Set(['To', 'Action', 'MessageID', 'ReplyTo', 'FaultTo', 'From']);

/**
 * Reads the WS-Addressing blocks of one Header. All versions count as one: a message that says something twice is read
 * in one way here and in another there. Throws `SOAP_STRUCTURE` for what comes twice, where that is checked, and
 * `SOAP_HEADER_LIMIT` for a text that is too long to be an address.
 */
export class AddressingReader implements Addressing {
  to: string | null = null;
  toContent: { readonly startBytes: number; readonly endBytes: number } | null = null;
  action: string | null = null;
  isActionPassed = false;
  messageId: string | null = null;
  relatesTo: string | null = null;
  answersElsewhere = false;
  readonly #refusesRepeated: boolean;
  readonly #seen = new Set<string>();
  #block = '';
  #passes = false;
  #isRepeated = false;
  #isReply = false;
  /** Elements open; the block itself is 1. */
  #depth = 0;
  #reads = false;
  #addressed = false;
  #contentBytes = 0;
  #text = '';

  /** `refusesRepeated`: a block that comes again is refused. Else its text is not known: null. */
  constructor(refusesRepeated: boolean) {
    this.#refusesRepeated = refusesRepeated;
  }

  /** A block begins. `passes`: it is for the service, and not taken out of the message. */
  begin(tag: StartTag, passes: boolean): Interest {
    this.#block = tag.local;
    this.#passes = passes;
    this.#depth = 1;
    this.#addressed = false;
    this.#contentBytes = tag.contentBytes;
    this.#isRepeated = SINGLE.has(tag.local) && this.#seen.has(tag.local);
    if (this.#isRepeated && this.#refusesRepeated) throw new Refusal('SOAP_STRUCTURE', 'addressing block twice');
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
        return ELEMENTS;
    }
  }

  open(tag: StartTag): Interest {
    if (this.#reads) throw new Refusal('SOAP_STRUCTURE', 'element in a text of addressing');
    this.#depth++;
    const isAddress = this.#depth === 2 && tag.local === 'Address' && NAMESPACES.has(tag.uri);
    return isAddress && (this.#block === 'ReplyTo' || this.#block === 'FaultTo') ? this.#read() : ELEMENTS;
  }

  close(contentEndBytes: number): void {
    const text = this.#reads ? trimmed(this.#text) : null;
    this.#reads = false;
    this.#depth--;
    if (this.#depth > 0) {
      if (text === null) return;
      this.#addressed = true;
      if (!ANONYMOUS.has(text) && text !== NONE) this.answersElsewhere = true;
      return;
    }
    this.#endBlock(this.#isRepeated ? null : text, contentEndBytes);
  }

  text(piece: string): void {
    if (!this.#reads) return;
    this.#text += piece;
    if (this.#text.length > TEXT_UNITS_MAX) throw new Refusal('SOAP_HEADER_LIMIT', 'text of addressing');
  }

  #read(): Interest {
    this.#reads = true;
    this.#text = '';
    return ALL;
  }

  #endBlock(text: string | null, contentEndBytes: number): void {
    switch (this.#block) {
      case 'To':
        this.to = text;
        if (this.#passes) this.toContent = { startBytes: this.#contentBytes, endBytes: contentEndBytes };
        return;
      case 'Action':
        this.action = text;
        this.isActionPassed = this.#passes;
        return;
      case 'MessageID':
        this.messageId = text;
        return;
      case 'RelatesTo':
        if (this.#isReply) this.relatesTo ??= text;
        return;
      case 'ReplyTo':
      case 'FaultTo':
        if (!this.#addressed) this.answersElsewhere = true;
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
