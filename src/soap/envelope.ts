import { Refusal } from '../base/refusal.js';
import { ELEMENTS, type Interest, PRESENCE, type QName, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';
import { type Dialect, type DialectName, dialectOfUri } from './dialect.js';
import { FaultReader, type FaultWants } from './fault.js';
import type { HeaderRules } from './header.js';
import { judgeHeaderBlock } from './header.js';

/** What is expected of the messages of one direction of one service. Made at start-up. */
export interface EnvelopeRules {
  readonly dialects: ReadonlySet<DialectName>;
  readonly header: HeaderRules;
  readonly headerBlocksMax: number;
  /**
   * Further children of Body are tolerated when they carry an `id`: multi-ref elements of encoded services, SOAP 1.1
   * section 5. Literal services allow one child (WS-I Basic Profile R2201).
   */
  readonly multiRef: boolean;
}

/** Who follows a message while it is judged. */
export interface EnvelopeWatcher {
  /** The head is in order, and nothing of the message has been let through. Throws a `Refusal` to stop it here. */
  judged(judge: EnvelopeJudge): void;
  /** Takes over inside the first child of Body, unless that is a Fault. Null leaves the content unread. */
  body(tag: StartTag): XmlHandler | null;
}

/** What the judge awaits. Legal order: envelope, headerOrBody, (header, block*)?, bodyOnly, body, bodyChild*, end. */
type Awaits = 'envelope' | 'headerOrBody' | 'header' | 'block' | 'bodyOnly' | 'body' | 'bodyChild' | 'end';

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

  readonly #rules: EnvelopeRules;
  readonly #watcher: EnvelopeWatcher | null;
  readonly #faultWants: FaultWants;
  /** The dialect the Content-Type stands for, by its media type; an envelope of another media type is a mismatch. */
  readonly #mediaType: string | null;
  #awaits: Awaits = 'envelope';
  #headerBlocks = 0;
  #encodingSeen = false;
  /** Elements open below the one that `#awaits` speaks of. */
  #depth = 0;
  #inner: XmlHandler | null = null;

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

  open(tag: StartTag): Interest {
    if (this.#inner !== null) {
      this.#depth++;
      return this.#inner.open(tag);
    }
    if (!this.judged && this.dialect !== null) this.#noteEncoding(tag, this.dialect);
    switch (this.#awaits) {
      case 'envelope':
        return this.#openEnvelope(tag);
      case 'headerOrBody':
      case 'bodyOnly':
        return this.#openPart(tag);
      case 'header':
        return this.#openBlock(tag);
      case 'block':
        // "Fault at most once and only in Body" holds for the content of header blocks too.
        if (tag.local === 'Fault' && tag.uri === this.dialect?.envelopeUri) throw misplaced('Fault outside Body');
        this.#depth++;
        return ELEMENTS;
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
      case 'block':
        this.#awaits = 'header';
        return;
      case 'header':
        this.#awaits = 'bodyOnly';
        return;
      case 'body':
        this.#judge(null);
        this.#awaits = 'end';
        return;
      case 'bodyChild':
        this.#awaits = 'end';
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

  #openEnvelope(tag: StartTag): Interest {
    if (tag.local !== 'Envelope') throw new Refusal('SOAP_NOT_ENVELOPE');
    const dialect = dialectOfUri(tag.uri);
    if (dialect === null || !this.#rules.dialects.has(dialect.name)) throw new Refusal('VERSION_MISMATCH', 'namespace');
    this.dialect = dialect;
    // WS-I Basic Profile R1115: a message of one version under the media type of the other is of no version.
    if (this.#mediaType !== null && this.#mediaType !== dialect.mediaType) {
      throw new Refusal('VERSION_MISMATCH', 'media type');
    }
    this.#noteEncoding(tag, dialect);
    this.#awaits = 'headerOrBody';
    return PRESENCE;
  }

  #openPart(tag: StartTag): Interest {
    if (tag.uri !== this.dialect?.envelopeUri) throw misplaced('foreign child of Envelope');
    if (tag.local === 'Body') {
      this.#awaits = 'body';
      return PRESENCE;
    }
    if (tag.local !== 'Header' || this.#awaits !== 'headerOrBody') throw misplaced('child of Envelope');
    this.#awaits = 'header';
    return PRESENCE;
  }

  #openBlock(tag: StartTag): Interest {
    const dialect = this.dialect;
    if (tag.uri === '') throw misplaced('unqualified header block');
    if (dialect === null || (tag.uri === dialect.envelopeUri && !dialect.ownHeaderBlocks.includes(tag.local))) {
      throw misplaced('envelope element in Header');
    }
    if (++this.#headerBlocks > this.#rules.headerBlocksMax) throw new Refusal('SOAP_HEADER_LIMIT', 'blocks');
    judgeHeaderBlock(tag, dialect, this.#rules.header);
    this.#awaits = 'block';
    return ELEMENTS;
  }

  #openBodyChild(tag: StartTag): Interest {
    const dialect = this.dialect;
    const isFault = tag.local === 'Fault' && tag.uri === dialect?.envelopeUri;
    if (this.#awaits === 'bodyChild') {
      // A Fault is at most one, and is alone: SOAP 1.2 part 1 section 5.4.
      if (isFault || this.fault !== null) throw misplaced('element beside Fault');
      if (!this.#rules.multiRef || tag.attribute('', 'id') === null) throw new Refusal('SOAP_MULTI_BODY');
    } else {
      this.#awaits = 'bodyChild';
      this.#judge({ uri: tag.uri, local: tag.local });
      if (isFault && dialect !== null) this.#inner = this.fault = new FaultReader(dialect, this.#faultWants);
      else this.#inner = this.#watcher?.body(tag) ?? null;
    }
    this.#depth = 1;
    return this.#inner === null ? SKIP : this.#inner.open(tag);
  }

  #judge(operation: QName | null): void {
    if (this.dialect?.needsEncodingNamespace === true && !this.#encodingSeen) {
      throw new Refusal('SOAP_ENCODING_NAMESPACE');
    }
    this.operation = operation;
    this.#watcher?.judged(this);
    this.judged = true;
  }

  /** The first dialect wants the encoding namespace named, by a declaration or by encodingStyle, up to here. */
  #noteEncoding(tag: StartTag, dialect: Dialect): void {
    if (dialect.needsEncodingNamespace && !this.#encodingSeen) this.#encodingSeen = namesEncoding(tag, dialect);
  }
}

function namesEncoding(tag: StartTag, dialect: Dialect): boolean {
  if (tag.declares(dialect.encodingUri)) return true;
  const style = tag.attribute(dialect.envelopeUri, 'encodingStyle');
  return style?.split(' ').includes(dialect.encodingUri) ?? false;
}

const misplaced = (rule: string): Refusal => new Refusal('SOAP_STRUCTURE', rule);
