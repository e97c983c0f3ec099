import { Refusal } from '../core/index.js';
import {
  type Interest,
  PRESENCE,
  type QName,
  SKIP,
  type StartTag,
  TeeHandler,
  type XmlHandler,
} from '../xml/index.js';
import { BodyParts, type ExpectedParts } from './body-parts.js';
import { EnvelopeBridge } from './bridge/envelope-bridge.js';
import {
  BodyValidator,
  checkEnvelopeAttributes,
  declaresEncoding,
  hasId,
  validateEncodingStyle,
} from './content.js';
import { type Dialect, dialectOfUri } from './dialect.js';
import type { Edit } from './edit.js';
import { type DetailObserver, FaultReader, type FaultWants } from './fault/fault.js';
import type { Addressing } from './header/addressing.js';
import {
  type EnvelopeRules,
  elementRefusal,
  envelopesOf,
  structureRefusal,
} from './header/header.js';
import { HeaderPlaceFinder } from './header/header-place.js';
import { HeaderReader } from './header/header-reader.js';
import type { FreshnessClaim } from './header/security-reader.js';
import { observeTags } from './observe-tags.js';

/** Receives the content of a message while it is validated. */
export interface EnvelopeObserver extends DetailObserver {
  /**
   * The head is valid, and nothing of the message has been sent on. Throws a `Refusal` to stop it
   * here.
   */
  onHeadValid(validator: EnvelopeValidator): void;
  /** The handler that reads a header block beside the validator; null, or absent: none does. */
  openHeaderBlock?(tag: StartTag): XmlHandler | null;
  /**
   * The handler for the first child of Body, unless that is a Fault. It reads beside the validator,
   * which reads elements of a request (`BodyValidator`) and none of a reply. Null skips the
   * content.
   */
  openBody(tag: StartTag): XmlHandler | null;
  /** The handler for a further child of Body that is not an expected part: a multi-ref element. */
  openMultiRef?(tag: StartTag): XmlHandler | null;
}

/** An attribute of Envelope, Header or Body. */
interface EnvelopeAttribute {
  readonly uri: string;
  readonly local: string;
  readonly value: string;
}

/**
 * The next element expected. Legal order: envelope, headerOrBody, (header*, bodyOnly)?, body,
 * bodyChild*, end.
 */
type Expected = 'envelope' | 'headerOrBody' | 'header' | 'bodyOnly' | 'body' | 'bodyChild' | 'end';

/**
 * Validates the structure of one envelope from its events, by the rules of all three dialects.
 * Throws a `Refusal` at the first violation. The head is valid at the first child of Body, or at
 * the end of an empty Body.
 */
export class EnvelopeValidator implements XmlHandler {
  /** Known from the Envelope's start tag on. */
  dialect: Dialect | null = null;
  /** The head is valid and the operation is known. */
  isHeadValid = false;
  /** Name of the first child of Body; null for an empty Body, and before `isHeadValid`. */
  operation: QName | null = null;
  /**
   * The start tag of that child, lent within `onHeadValid`; null for an empty Body, and at any
   * other time.
   */
  operationTag: StartTag | null = null;
  /** Reads the Fault when the message is one; its parts are complete once the message is. */
  fault: FaultReader | null = null;
  /** Null until there is a header block. */
  header: HeaderReader | null = null;
  /**
   * The action parameter of the part that holds the envelope; null without one, and for an envelope
   * as it is.
   */
  partAction: string | null = null;
  /**
   * The dialect that a message of this one is put into; null, or absent: it stays in its own. To be
   * set before the first byte.
   */
  bridgeTo: ((from: Dialect) => Dialect | null) | null = null;
  /** Puts the message into another dialect; null where it stays in its own. */
  bridge: EnvelopeBridge | null = null;
  /** Null where the gateway writes no header blocks. */
  readonly place: HeaderPlaceFinder | null;
  readonly #rules: EnvelopeRules;
  readonly #observer: EnvelopeObserver | null;
  readonly #faultWants: FaultWants;
  /**
   * The dialect the Content-Type stands for, by its media type; an envelope of another media type
   * is a mismatch.
   */
  #mediaType: string | null;
  #expected: Expected = 'envelope';
  #encodingSeen = false;
  /** The attributes of Envelope, Header and Body. */
  readonly attributes: EnvelopeAttribute[] = [];
  /** Elements open below the expected one. */
  #depth = 0;
  #inner: XmlHandler | null = null;
  #bodyEdit: Edit | null = null;
  /** Null where Body has one child. */
  #parts: BodyParts | null = null;

  constructor(
    rules: EnvelopeRules,
    mediaType: string | null,
    faultWants: FaultWants,
    observer: EnvelopeObserver | null = null,
  ) {
    this.#rules = rules;
    this.place = rules.header.replaced === undefined ? null : new HeaderPlaceFinder();
    this.#faultWants = faultWants;
    this.#mediaType = mediaType;
    this.#observer = observer;
  }

  /** The WS-Addressing blocks, or null when there are none: complete once the head is valid. */
  get addressing(): Addressing | null {
    return this.header?.addressing ?? null;
  }

  /** Times and nonces of the Security blocks, or null where the rules do not read them. */
  get freshnessClaims(): readonly FreshnessClaim[] | null {
    return this.header?.security?.claims ?? null;
  }

  /**
   * The forwarded message outside of the children of Body holds nothing that could change its
   * answer: no attributes, and no blocks besides `To`, `Action`, `MessageID` and `ReplyTo`.
   */
  get isBare(): boolean {
    return this.attributes.length === 0 && this.header?.isBare !== false;
  }

  /** There is a signature in the Header: the elements it covers must not be changed. */
  get isSigned(): boolean {
    return this.header?.ids?.isSigned === true;
  }

  /** Changes of the head before the message is sent on; null for none. */
  get edits(): readonly Edit[] | null {
    const ofHeader = this.header?.edits ?? null;
    const edits = this.#bodyEdit === null ? ofHeader : [...(ofHeader ?? []), this.#bodyEdit];
    return this.place?.edit ? [...(edits ?? []), this.place.edit] : edits;
  }

  /** Adds a change inside the Header: by `onHeadValid` at the latest. */
  edit(edit: Edit): void {
    this.header?.edit(edit);
  }

  /** Changes the start tag of the first child of Body. Within `onHeadValid`. */
  editOperation(edit: Edit): void {
    this.#bodyEdit = edit;
  }

  /**
   * Allows several children of Body: those of the message that its first one begins. Within
   * `onHeadValid`.
   */
  expectParts(expected: ExpectedParts | null): void {
    if (expected !== null && this.operation !== null) {
      this.bridge?.expectSeveral();
      this.#parts = new BodyParts(expected, this.operation);
    }
  }

  /**
   * Sets the media type and action of an envelope in a package, which are known where the envelope
   * begins.
   */
  expect(mediaType: string, action: string | null): void {
    this.partAction = action;
    if (this.#rules.header.enforce) {
      this.#mediaType = mediaType;
    }
  }

  open(tag: StartTag): Interest {
    // The first dialect needs the encoding namespace in a declaration or encodingStyle up to here.
    if (!this.isHeadValid && this.dialect?.needsEncodingNamespace) {
      this.#encodingSeen ||= declaresEncoding(tag, this.dialect);
    }
    if (this.#inner !== null) {
      this.#depth++;
      return this.#inner.open(tag);
    }
    switch (this.#expected) {
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
        throw structureRefusal('an element after Body', tag);
    }
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#depth > 0) {
      this.#depth--;
      this.#inner?.close(contentEndBytes, endBytes);
      if (this.#depth === 0) {
        this.#inner = null;
        this.bridge?.closeElement(contentEndBytes, endBytes);
      }
      return;
    }
    switch (this.#expected) {
      case 'header':
        this.header?.finish();
        this.place?.closeHeader(contentEndBytes, endBytes);
        this.#expected = 'bodyOnly';
        return;
      case 'body':
        this.#completeHead(null);
        this.#expected = 'end';
        return;
      case 'bodyChild':
        this.#expected = 'end';
        if (this.#parts?.end(contentEndBytes, endBytes) === false) {
          throw new Refusal('SOAP_MULTI_BODY', 'a part is missing');
        }
        return;
      case 'headerOrBody':
      case 'bodyOnly':
        throw structureRefusal('there is no Body');
      case 'end':
        return;
      case 'envelope':
        throw structureRefusal('unbalanced');
    }
  }

  get model(): XmlHandler['model'] {
    return this.#inner?.model;
  }

  get selection(): XmlHandler['selection'] {
    return this.#inner?.selection;
  }

  leaf(place: number, text: string): void {
    this.#inner?.leaf?.(place, text);
  }

  passed(local: string): void {
    this.#inner?.passed?.(local);
  }

  move(levels: number): void {
    this.#depth += levels;
    this.#inner?.move?.(levels);
  }

  get watched(): ReadonlySet<string> | undefined {
    return this.#inner?.watched;
  }

  watch(tag: StartTag): void {
    this.#inner?.watch?.(tag);
  }

  text(piece: string): void {
    if (this.#inner !== null) {
      this.#inner.text(piece);
    } else {
      throw structureRefusal('text between the parts of the envelope');
    }
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#inner?.asciiText?.(bytes, start, end) ?? false;
  }

  #openEnvelope(tag: StartTag): Interest {
    if (tag.local !== 'Envelope') {
      throw elementRefusal('SOAP_NOT_ENVELOPE', tag, envelopesOf(this.#rules));
    }
    const dialect = dialectOfUri(tag.uri);
    if (dialect === null || !this.#rules.dialects.has(dialect.name)) {
      throw elementRefusal('VERSION_MISMATCH', tag, envelopesOf(this.#rules));
    }
    this.dialect = dialect;
    // WS-I Basic Profile R1115: a message of one version under the media type of the other is of no
    // version.
    if (this.#mediaType !== null && this.#mediaType !== dialect.mediaType) {
      throw new Refusal('VERSION_MISMATCH', 'the Content-Type is that of another SOAP version', {
        found: this.#mediaType,
        facts: { expected: [dialect.mediaType] },
      });
    }
    this.#encodingSeen = dialect.needsEncodingNamespace && declaresEncoding(tag, dialect);
    this.#checkAttributes(tag, dialect);
    this.#beginBridge(tag, dialect);
    this.#expected = 'headerOrBody';
    return PRESENCE;
  }

  #beginBridge(tag: StartTag, dialect: Dialect): void {
    const to = this.bridgeTo?.(dialect) ?? null;
    if (to === null || to === dialect) return;
    this.bridge = new EnvelopeBridge(dialect, to);
    this.bridge.openEnvelope(tag);
  }

  #openPart(tag: StartTag): Interest {
    const dialect = this.dialect;
    if (dialect === null || tag.uri !== dialect.envelopeUri) {
      throw structureRefusal('a child of Envelope from another namespace', tag);
    }
    this.#checkAttributes(tag, dialect);
    this.bridge?.openPart(tag);
    if (tag.local === 'Body') {
      this.place?.openBody(tag);
      if (tag.attributeCount > 0) {
        this.header?.ids?.addContentIds(tag);
      }
      this.#expected = 'body';
      return PRESENCE;
    }
    if (tag.local !== 'Header' || this.#expected !== 'headerOrBody') {
      throw structureRefusal('a child of Envelope that has no place here', tag);
    }
    this.place?.openHeader(tag);
    this.#expected = 'header';
    return PRESENCE;
  }

  #openBlock(tag: StartTag): Interest {
    if (this.dialect === null) throw structureRefusal('Header');
    this.header ??= new HeaderReader(this.dialect, this.#rules.header, this.#rules);
    this.bridge?.openBlock(tag);
    const own = this.#observer?.openHeaderBlock?.(tag) ?? null;
    this.#inner = own === null ? this.header : new TeeHandler(this.header, own);
    this.#depth = 1;
    return this.#inner.open(tag);
  }

  #openBodyChild(tag: StartTag): Interest {
    const dialect = this.dialect;
    if (dialect === null) throw structureRefusal('Body');
    const isFault = tag.local === 'Fault' && tag.uri === dialect.envelopeUri;
    if (isFault) {
      this.bridge?.openFault(tag);
    } else {
      this.bridge?.openBodyChild(tag);
    }
    if (this.#expected === 'bodyChild') {
      // A Fault is at most one, and is alone (SOAP 1.2 part 1 section 5.4), but for elements that
      // an encoded one refers to.
      const isReferred = this.#rules.multiRef && hasId(tag, dialect);
      if (isFault || (this.fault !== null && !isReferred)) {
        throw structureRefusal('an element beside a Fault', tag);
      }
      if (this.#parts?.accept(tag) === true) {
        this.#inner = this.#further(tag, dialect, this.#parts);
      } else if (!isReferred) {
        throw elementRefusal('SOAP_MULTI_BODY', tag);
      } else {
        this.#inner =
          this.#observer?.openMultiRef?.(tag) ?? this.#openContentValidator(tag, dialect);
      }
    } else {
      this.#expected = 'bodyChild';
      this.operationTag = tag;
      this.#completeHead({ uri: tag.uri, local: tag.local });
      this.operationTag = null;
      if (isFault) {
        this.#inner = this.fault = new FaultReader(dialect, this.#faultWants, this.#observer);
      } else {
        const content = this.#openContentValidator(tag, dialect);
        const own = this.#observer?.openBody(tag) ?? null;
        this.#inner = observeTags(content, this.#parts === null ? own : this.#parts.begin(own));
      }
    }
    this.#inner = observeTags(this.bridge?.content ?? null, this.#inner);
    this.#depth = 1;
    return this.#inner === null ? SKIP : this.#inner.open(tag);
  }

  #further(tag: StartTag, dialect: Dialect, parts: BodyParts): XmlHandler | null {
    const own = parts.isReadWhole ? parts.handler : (this.#observer?.openMultiRef?.(tag) ?? null);
    return observeTags(this.#openContentValidator(tag, dialect), own);
  }

  /**
   * Validates the attributes of a child of Body; returns a validator for its content where one is
   * needed.
   */
  #openContentValidator(tag: StartTag, dialect: Dialect): XmlHandler | null {
    const { arrayItemsMax, header } = this.#rules;
    if (!header.enforce) return null;
    const ids = this.header?.ids ?? null;
    if (arrayItemsMax !== null || ids?.isSigned === true) {
      return new BodyValidator(dialect, arrayItemsMax, ids);
    }
    if (tag.attributeCount > 0) {
      validateEncodingStyle(tag, dialect);
      ids?.addContentIds(tag);
    }
    return null;
  }

  #completeHead(operation: QName | null): void {
    if (this.dialect?.needsEncodingNamespace === true && !this.#encodingSeen) {
      throw new Refusal('SOAP_ENCODING_NAMESPACE', null, {
        facts: { expected: [this.dialect.encodingUri] },
      });
    }
    this.operation = operation;
    this.bridge?.checkHead(this.header?.isSignaturePassed === true);
    this.#observer?.onHeadValid(this);
    this.bridge?.beginContent(false);
    this.isHeadValid = true;
  }

  /** Checks the attributes of Envelope and its children. Those of replies are not checked. */
  #checkAttributes(tag: StartTag, dialect: Dialect): void {
    if (tag.attributeCount === 0) return;
    for (let at = 0; at < tag.attributeCount; at++) {
      this.attributes.push({
        uri: tag.attributeUri(at),
        local: tag.attributeLocal(at),
        value: tag.attributeValue(at),
      });
    }
    if (dialect.noEncodingUri === null || !this.#rules.header.enforce) return;
    checkEnvelopeAttributes(tag, dialect);
  }
}
