import { Refusal } from '../base/refusal.js';
import { type Interest, PRESENCE, type QName, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';
import { accompanied } from './accompanied.js';
import type { Addressing } from './addressing.js';
import { BodyParts, type ExpectedParts } from './body-parts.js';
import { ContentJudge, checkEnvelopeAttributes, hasId, judgeEncodingStyle, namesEncoding } from './content.js';
import { type Dialect, type DialectName, dialectOfUri } from './dialect.js';
import type { Edit } from './edit.js';
import { type DetailWatcher, FaultReader, type FaultWants } from './fault.js';
import { type HeaderBounds, type HeaderRules, misplaced, refuseElement } from './header.js';
import { HeaderReader } from './header-reader.js';
import type { Stamp } from './security-reader.js';

/** What is expected of the messages of one direction of one service. Made at start-up. */
export interface EnvelopeRules extends HeaderBounds {
  readonly dialects: ReadonlySet<DialectName>;
  readonly header: HeaderRules;
  /**
   * Further children of Body are tolerated when they carry an `id`: multi-ref elements of encoded services, SOAP 1.1
   * section 5. Literal services allow one child (WS-I Basic Profile R2201), unless an operation declares several.
   */
  readonly multiRef: boolean;
  /** Members an array may announce; null where arrays of the encodings are not looked for. */
  readonly arrayItemsMax: number | null;
}

/** Who follows a message while it is judged. */
export interface EnvelopeWatcher extends DetailWatcher {
  /** The head is in order, and nothing of the message has been let through. Throws a `Refusal` to stop it here. */
  judged(judge: EnvelopeJudge): void;
  /**
   * Takes over inside the first child of Body, unless that is a Fault, beside the judge, which reads of a request what it
   * must (`ContentJudge`) and of a reply nothing. Null wants nothing of the content.
   */
  body(tag: StartTag): XmlHandler | null;
  /** Takes over inside a further child of Body that is not one of those expected: a multi-ref element. */
  further?(tag: StartTag): XmlHandler | null;
}

/** What the judge awaits. Legal order: envelope, headerOrBody, (header*, bodyOnly)?, body, bodyChild*, end. */
type Awaits = 'envelope' | 'headerOrBody' | 'header' | 'bodyOnly' | 'body' | 'bodyChild' | 'end';

/**
 * Judges one envelope as its events come by: the structure rules of all three dialects. Throws a `Refusal` at the
 * first violation. It is decided (`judged`) at the first child of Body, or at the end of an empty Body.
 */
export class EnvelopeJudge implements XmlHandler {
  /** Known from the Envelope's start tag on. */
  dialect: Dialect | null = null;
  /** The head is in order and the operation is known. */
  judged = false;
  /** Name of the first child of Body; null for an empty Body, and before `judged`. */
  operation: QName | null = null;
  /** Reads the Fault when the message is one; its parts are complete once the message is. */
  fault: FaultReader | null = null;
  /** Null until there is a header block. */
  header: HeaderReader | null = null;
  /** The action parameter of the part that holds the envelope; null without one, and for an envelope as it is. */
  partAction: string | null = null;

  readonly #rules: EnvelopeRules;
  readonly #watcher: EnvelopeWatcher | null;
  readonly #faultWants: FaultWants;
  /** The dialect the Content-Type stands for, by its media type; an envelope of another media type is a mismatch. */
  #mediaType: string | null;
  #awaits: Awaits = 'envelope';
  #encodingSeen = false;
  /** Envelope, Header or Body has attributes. */
  #hasAttributes = false;
  /** Elements open below the one that `#awaits` speaks of. */
  #depth = 0;
  #inner: XmlHandler | null = null;
  /** Null where Body has one child. */
  #parts: BodyParts | null = null;

  constructor(
    rules: EnvelopeRules,
    mediaType: string | null,
    faultWants: FaultWants,
    watcher: EnvelopeWatcher | null = null,
  ) {
    this.#rules = rules;
    this.#faultWants = faultWants;
    this.#mediaType = mediaType;
    this.#watcher = watcher;
  }

  /** What the WS-Addressing blocks say, or null when there are none: complete once the head is judged. */
  get addressing(): Addressing | null {
    return this.header?.addressing ?? null;
  }

  /** What the Security headers say of time, or null: only where the rules want it read. */
  get stamps(): readonly Stamp[] | null {
    return this.header?.security?.stamps ?? null;
  }

  /**
   * What goes on of the message outside of the children of Body says nothing but what is asked for, where, and how it
   * is called: it has no attributes, and no blocks besides `To`, `Action`, `MessageID` and `ReplyTo`.
   */
  get isBare(): boolean {
    return !this.#hasAttributes && this.header?.isBare !== false;
  }

  /** There is a signature in the Header: what it covers must not be changed. */
  get isSigned(): boolean {
    return this.header?.ids?.isSigned === true;
  }

  /** What is to be changed in the head before the message goes on; null for nothing. */
  get edits(): readonly Edit[] | null {
    return this.header?.edits ?? null;
  }

  /** Adds a change inside the Header: until the head is `judged`, by who watches. */
  edit(edit: Edit): void {
    this.header?.edit(edit);
  }

  /** Body may have several children: those of the message that its first one begins. While it is judged, by who watches. */
  expectParts(expected: ExpectedParts | null): void {
    if (expected !== null && this.operation !== null) this.#parts = new BodyParts(expected, this.operation);
  }

  /** The envelope comes under this media type and action after all: a package says it where the envelope begins. */
  expect(mediaType: string, action: string | null): void {
    this.partAction = action;
    if (this.#rules.header.enforce) this.#mediaType = mediaType;
  }

  open(tag: StartTag): Interest {
    if (!this.judged && this.dialect !== null) this.#noteEncoding(tag, this.dialect);
    if (this.#inner !== null) {
      this.#depth++;
      return this.#inner.open(tag);
    }
    switch (this.#awaits) {
      case 'envelope':
        return this.#openEnvelope(tag);
      case 'headerOrBody':
      case 'bodyOnly':
        return this.#openPart(tag);
      case 'header':
        return this.#openBlock(tag);
      case 'body':
      case 'bodyChild':
        return this.#openBodyChild(tag);
      case 'end':
        throw misplaced('element after Body');
    }
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#depth > 0) {
      this.#depth--;
      if (this.#inner !== null) {
        this.#inner.close(contentEndBytes, endBytes);
        if (this.#depth === 0) this.#inner = null;
      }
      return;
    }
    switch (this.#awaits) {
      case 'header':
        this.header?.finish();
        this.#awaits = 'bodyOnly';
        return;
      case 'body':
        this.#judge(null);
        this.#awaits = 'end';
        return;
      case 'bodyChild':
        this.#awaits = 'end';
        if (this.#parts?.end(contentEndBytes, endBytes) === false) throw new Refusal('SOAP_MULTI_BODY', 'missing part');
        return;
      case 'headerOrBody':
      case 'bodyOnly':
        throw misplaced('no Body');
      case 'end':
        return;
      case 'envelope':
        throw misplaced('unbalanced');
    }
  }

  text(piece: string): void {
    if (this.#inner !== null) this.#inner.text(piece);
    else throw misplaced('text between the parts of the envelope');
  }

  plain(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#inner?.plain?.(bytes, start, end) ?? false;
  }

  #openEnvelope(tag: StartTag): Interest {
    if (tag.local !== 'Envelope') throw refuseElement('SOAP_NOT_ENVELOPE', tag);
    const dialect = dialectOfUri(tag.uri);
    if (dialect === null || !this.#rules.dialects.has(dialect.name)) throw refuseElement('VERSION_MISMATCH', tag);
    this.dialect = dialect;
    // WS-I Basic Profile R1115: a message of one version under the media type of the other is of no version.
    if (this.#mediaType !== null && this.#mediaType !== dialect.mediaType) {
      throw new Refusal('VERSION_MISMATCH', 'media type', { found: this.#mediaType });
    }
    this.#noteEncoding(tag, dialect);
    this.#checkAttributes(tag, dialect);
    this.#awaits = 'headerOrBody';
    return PRESENCE;
  }

  #openPart(tag: StartTag): Interest {
    const dialect = this.dialect;
    if (dialect === null || tag.uri !== dialect.envelopeUri) throw misplaced('foreign child of Envelope');
    this.#checkAttributes(tag, dialect);
    if (tag.local === 'Body') {
      if (tag.attributeCount > 0) this.header?.ids?.noteContent(tag);
      this.#awaits = 'body';
      return PRESENCE;
    }
    if (tag.local !== 'Header' || this.#awaits !== 'headerOrBody') throw misplaced('child of Envelope');
    this.#awaits = 'header';
    return PRESENCE;
  }

  #openBlock(tag: StartTag): Interest {
    if (this.dialect === null) throw misplaced('Header');
    this.header ??= new HeaderReader(this.dialect, this.#rules.header, this.#rules);
    this.#inner = this.header;
    this.#depth = 1;
    return this.header.open(tag);
  }

  #openBodyChild(tag: StartTag): Interest {
    const dialect = this.dialect;
    if (dialect === null) throw misplaced('Body');
    const isFault = tag.local === 'Fault' && tag.uri === dialect.envelopeUri;
    if (this.#awaits === 'bodyChild') {
      // A Fault is at most one, and is alone (SOAP 1.2 part 1 section 5.4), but for what an encoded one refers to.
      const isReferred = this.#rules.multiRef && hasId(tag, dialect);
      if (isFault || (this.fault !== null && !isReferred)) throw misplaced('element beside Fault');
      if (this.#parts?.takes(tag) === true) this.#inner = this.#further(tag, dialect, this.#parts);
      else if (!isReferred) throw refuseElement('SOAP_MULTI_BODY', tag);
      else this.#inner = this.#watcher?.further?.(tag) ?? this.#judgeContent(tag, dialect);
    } else {
      this.#awaits = 'bodyChild';
      this.#judge({ uri: tag.uri, local: tag.local });
      if (isFault) this.#inner = this.fault = new FaultReader(dialect, this.#faultWants, this.#watcher);
      else {
        const content = this.#judgeContent(tag, dialect);
        const own = this.#watcher?.body(tag) ?? null;
        this.#inner = accompanied(content, this.#parts === null ? own : this.#parts.begin(own));
      }
    }
    this.#depth = 1;
    return this.#inner === null ? SKIP : this.#inner.open(tag);
  }

  #further(tag: StartTag, dialect: Dialect, parts: BodyParts): XmlHandler | null {
    const own = parts.isHeardWhole ? parts.heard : (this.#watcher?.further?.(tag) ?? null);
    return accompanied(this.#judgeContent(tag, dialect), own);
  }

  /** The attributes of a child of Body are judged here; what is in it only where that matters. */
  #judgeContent(tag: StartTag, dialect: Dialect): XmlHandler | null {
    const { arrayItemsMax, header } = this.#rules;
    if (!header.enforce) return null;
    const ids = this.header?.ids ?? null;
    if (arrayItemsMax !== null || ids?.isSigned === true) return new ContentJudge(dialect, arrayItemsMax, ids);
    if (tag.attributeCount > 0) {
      judgeEncodingStyle(tag, dialect);
      ids?.noteContent(tag);
    }
    return null;
  }

  #judge(operation: QName | null): void {
    if (this.dialect?.needsEncodingNamespace === true && !this.#encodingSeen) {
      throw new Refusal('SOAP_ENCODING_NAMESPACE');
    }
    this.operation = operation;
    this.#watcher?.judged(this);
    this.judged = true;
  }

  /** Of Envelope and its children. Replies put there what they like. */
  #checkAttributes(tag: StartTag, dialect: Dialect): void {
    if (tag.attributeCount === 0) return;
    this.#hasAttributes = true;
    if (dialect.noEncodingUri === null || !this.#rules.header.enforce) return;
    checkEnvelopeAttributes(tag, dialect);
  }

  /** The first dialect wants the encoding namespace named, by a declaration or by encodingStyle, up to here. */
  #noteEncoding(tag: StartTag, dialect: Dialect): void {
    if (dialect.needsEncodingNamespace && !this.#encodingSeen) this.#encodingSeen = namesEncoding(tag, dialect);
  }
}
