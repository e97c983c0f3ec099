import type { Buffer } from 'node:buffer';
import { collections, KIB, Refusal } from '../core/index.js';
import { dialectOfUri, mime } from '../soap/index.js';
import {
  ALL,
  canonical,
  ELEMENTS_ONLY,
  type Interest,
  InterestFilter,
  PRESENCE,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../xml/index.js';
import { CommentsInText } from './comments-in-text.js';
import { eachId, referableId } from './element-ids.js';
import { EnvelopeFrame } from './envelope-frame.js';
import {
  refusesEncrypted,
  type VerificationRules,
  type VerifiedHeader,
  type VerifiedSignature,
  verifyHeader,
} from './header-verification.js';
import { IncludedContent, isXopInclude, KeptContent } from './included-content.js';
import { KeptRefusal } from './kept-refusal.js';
import { ReferenceDigest } from './reference-digest.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from './security-refusals.js';
import type { ReferenceForm } from './signature-form.js';
import { SignedAttachments } from './signed-attachments.js';
import { SignedContent, type SignedRun } from './signed-content.js';
import { isEncryptedElement } from './strict-elements.js';

/** Elements, texts and comments of a Header that are kept. */
export const HEADER_NODES_MAX = 8192;
/** Bytes of all parts that a Header includes: certificates and values of signatures. */
const HEADER_PARTS_BYTES_MAX = 256 * KIB;

/** What a verified message says of its sender. */
export interface VerifiedMessage
  extends Pick<VerifiedHeader, 'user' | 'assertion' | 'goodUntilMillis'> {
  /** The signature that covers what is required; null where none is demanded. */
  readonly signature: VerifiedSignature | null;
}

/**
 * Verifies one message by WS-Security while it streams, before another handler sees its events: the
 * Header is kept and verified at its end, what is signed behind it is digested as it flows, and
 * compared at its end tag. So the bytes that are verified are those that go on, and a message that
 * does not match never ends.
 */
export class MessageVerifier implements XmlHandler {
  /** Null until Body begins; final once the message ends without a refusal. */
  verified: VerifiedMessage | null = null;
  /** Compares the attachments; null for a message that is no package. */
  readonly attachments: SignedAttachments | null;
  /**
   * Collects a package whose signature covers parts of it; null for a message that is no package.
   */
  readonly held: mime.HeldPackage | null;
  readonly #rules: VerificationRules;
  #inner: InterestFilter;
  #handler: XmlHandler;
  readonly #nowMillis: number;
  readonly #sentValues: readonly Buffer[] | null;
  #depth = 0;
  /** The depth of the Include that is open; 0: none. */
  #includeDepth = 0;
  /** The signature that counts covers Body, which is open. */
  #isBodySigned = false;
  /** The verifier of the message as it came, where that has verified it; else null. */
  #earlier: MessageVerifier | null = null;
  /** The envelope has ended, and all that is signed of it is verified. */
  #isOver = false;
  #envelope: canonical.ElementNode | null = null;
  #header: canonical.ElementNode | null = null;
  #head: VerifiedHeader | null = null;
  /** Builds the header block that is open; null elsewhere. */
  #block: canonical.TreeBuilder | null = null;
  #nodes = 0;
  /** The parts that the Header includes. */
  #headerPartBytes = 0;
  readonly #headerParts: { readonly id: string; readonly bytes: Buffer }[] = [];
  /** References behind the Header that no element has met. */
  readonly #pending = new Map<string, ReferenceForm[]>();
  /** Ids of signed elements behind the Header that came by. */
  readonly #met = new Set<string>();
  /** The digests of the signed elements that are open. */
  readonly #digests: ReferenceDigest[] = [];
  readonly #comments = new CommentsInText();
  /** The content of the only signed element that is open; null before the first. */
  #content: SignedContent | null = null;

  /**
   * `sentValues`: values of the signatures that a reply has to confirm; null where they are not
   * known.
   */
  constructor(
    handler: XmlHandler,
    rules: VerificationRules,
    nowMillis: number,
    isPackage = false,
    sentValues: readonly Buffer[] | null = null,
    heldBytes: number | null = null,
  ) {
    this.held =
      isPackage && heldBytes !== null && rules.signature !== null
        ? new mime.HeldPackage(heldBytes)
        : null;
    this.#sentValues = sentValues;
    this.attachments = isPackage ? new SignedAttachments() : null;
    this.#handler = handler;
    this.#inner = new InterestFilter(handler);
    this.#rules = rules;
    this.#nowMillis = nowMillis;
  }

  /** Whether the signature that counts covers Body, which has begun. */
  get isBodySigned(): boolean {
    return this.#isBodySigned;
  }

  /** Whether that signature covers the element of the Header at this offset: its digest matched. */
  covers(offsetBytes: number): boolean {
    const elements = this.verified?.signature?.elements ?? [];
    return Array.from(elements).some(
      (signed) => offsetBytes >= signed.offsetBytes && offsetBytes < signed.endBytes,
    );
  }

  /** A verifier of the same message as it came, with what is encrypted of it. */
  ofEncrypted(isPackage: boolean): MessageVerifier {
    const rules: VerificationRules = { ...this.#rules, encrypted: 'pass' };
    return new MessageVerifier(
      new EnvelopeFrame(),
      rules,
      this.#nowMillis,
      isPackage,
      this.#sentValues,
    );
  }

  /** The message was verified by another one, with what is encrypted of it. */
  standIn(other: MessageVerifier): void {
    this.#earlier = other;
    this.verified = other.verified;
  }

  /** Whether all of the envelope is verified. */
  get isVerified(): boolean {
    return this.#earlier?.isVerified ?? this.#isOver;
  }

  /** Refusals of the handler wait until the envelope is verified. Called before the first event. */
  keepRefusals(): void {
    this.#handler = new KeptRefusal(this.#handler);
    this.#inner = new InterestFilter(this.#handler);
  }

  open(tag: StartTag): Interest {
    if (this.#earlier !== null) return this.#inner.open(tag);
    this.held?.writeIncluded();
    this.#depth++;
    const own = this.#isIncluded(tag) ? this.#openIncluded(tag) : this.#openOwn(tag);
    return wider(own, this.#inner.open(tag));
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#earlier !== null) {
      this.#inner.close(contentEndBytes, endBytes);
      return;
    }
    this.#closeOwn(contentEndBytes, endBytes);
    this.#depth--;
    this.#inner.close(contentEndBytes, endBytes);
  }

  text(chars: string): void {
    this.held?.writeIncluded();
    if (this.#earlier !== null) {
      this.#inner.text(chars);
      return;
    }
    if (this.#block !== null) {
      this.#block.text(chars);
    } else if (this.#digests.length > 0) {
      if (chars !== '' && !this.#comments.hasTextAt(this.#depth) && /[^ \t\r\n]/.test(chars)) {
        this.#comments.addText(this.#depth);
      }
      for (const { writer } of this.#digests) {
        writer.text(chars);
      }
    }
    this.#inner.text(chars);
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    this.held?.writeIncluded();
    const { interest } = this.#inner;
    const digest = this.#digests[0];
    if (digest === undefined || this.#digests.length > 1 || interest === PRESENCE) return false;
    // Whether a text is white matters beside a comment.
    if (interest === ALL || interest === STREAM || this.#comments.hasCommentAt(this.#depth)) {
      return false;
    }
    if (!digest.writer.asciiText(bytes, start, end)) return false;
    this.#comments.addText(this.#depth);
    return true;
  }

  /** Content of the one signed element that is open, where the handler skips it. */
  get canonicalContent(): SignedContent | null {
    const isReported =
      this.#digests.length !== 1 || this.#inner.skipped === 0 || this.#comments.hasComments;
    return isReported || this.#includeDepth > 0 ? null : this.#content;
  }

  #pass(run: SignedRun): void {
    this.held?.writeIncluded();
    const before = this.#depth;
    this.#depth = run.lowest + run.opened.length;
    this.#digests[0]?.writer.content(run, before - run.lowest);
    this.#inner.move(this.#depth - before);
    for (let depth = run.lowest + 1; depth <= this.#depth; depth++) {
      this.#comments.open(depth);
    }
    for (const depth of run.textDepths) {
      this.#comments.addText(depth);
    }
  }

  comment(chars: string): void {
    this.held?.writeIncluded();
    this.#block?.comment(chars);
    if (this.#digests.length > 0) {
      this.#comments.addComment(this.#depth);
      for (const { writer } of this.#digests) {
        writer.comment(chars);
      }
    }
    this.#handler.comment?.(chars);
  }

  /**
   * An Include in a header block or in what is signed stands for the base64 of its part (XOP 1.0
   * section 3.2).
   */
  #isIncluded(tag: StartTag): boolean {
    return isXopInclude(tag) && (this.#block !== null || this.#digests.length > 0);
  }

  #openIncluded(tag: StartTag): Interest {
    const spellings = mime.referenceIn(tag.attribute('', 'href') ?? '');
    const part = spellings === null ? null : (this.held?.partOf(spellings) ?? null);
    if (part === null) {
      throw unsupportedAlgorithm(
        'an Include in what is signed, or in the Security block, of a part ' +
          'that is missing or encoded',
      );
    }
    this.#includeDepth = this.#depth;
    if (this.#block !== null) {
      this.#headerParts.push(part);
      this.#headerPartBytes += part.bytes.length;
      if (this.#headerPartBytes > HEADER_PARTS_BYTES_MAX) {
        throw new Refusal('SOAP_HEADER_LIMIT', 'parts that a verified Header includes');
      }
      const kept = new KeptContent(part.bytes, this.#block);
      while (kept.writeSlice());
    } else {
      if (this.#comments.hasTextAt(this.#depth - 1)) {
        throw failedCheck('an Include beside text in what is signed');
      }
      this.#comments.addText(this.#depth - 1);
      if (this.#isBodySigned) {
        this.attachments?.cover(part.id);
      }
      const writers = this.#digests.map(({ writer }) => writer);
      this.held?.include(new IncludedContent(part.bytes, writers));
    }
    return ELEMENTS_ONLY;
  }

  #openOwn(tag: StartTag): Interest {
    if (this.#depth === 1) {
      this.#envelope = new canonical.ElementNode(tag, null);
      return ELEMENTS_ONLY;
    }
    if (this.#head !== null) return this.#openSigned(tag);
    if (this.#depth === 2) {
      if (tag.local === 'Body') return this.#openSigned(tag);
      // The order of the parts is checked behind; a second Header would be refused there.
      this.#header ??= new canonical.ElementNode(tag, this.#envelope);
      return ELEMENTS_ONLY;
    }
    this.#block ??= new canonical.TreeBuilder(this.#header, ALL, () => this.#countNode());
    return this.#block.open(tag);
  }

  #countNode(): void {
    if (++this.#nodes > HEADER_NODES_MAX) {
      throw new Refusal('SOAP_HEADER_LIMIT', 'elements of a Header that is verified');
    }
  }

  #closeOwn(contentEndBytes: number, endBytes: number): void {
    if (this.#includeDepth === this.#depth) {
      this.#includeDepth = 0;
      return;
    }
    this.held?.writeIncluded();
    if (this.#block !== null) {
      this.#block.close(contentEndBytes, endBytes);
      if (!this.#block.isComplete) return;
      if (this.#block.root !== null) {
        this.#header?.children.push(this.#block.root);
      }
      this.#block = null;
      return;
    }
    if (this.#head !== null) {
      this.#closeSigned();
    } else if (this.#depth === 2) {
      this.#verifyHead();
    }
    if (this.#depth > 1) return;
    if (this.#pending.size > 0) {
      throw invalidSecurity('a Reference names an Id that no element has');
    }
    this.#isOver = true;
  }

  #verifyHead(): VerifiedHeader {
    const dialect = dialectOfUri(this.#envelope?.uri ?? '');
    if (dialect === null) throw new Refusal('SOAP_NOT_ENVELOPE');
    const head = verifyHeader(
      this.#header,
      dialect,
      this.#rules,
      this.#nowMillis,
      this.#sentValues,
    );
    this.#head = head;
    if (this.#envelope !== null) {
      eachId(this.#envelope, (id) => {
        if (head.referredIds.has(id)) throw new Refusal('WSSE_DUPLICATE_ID', 'Envelope');
      });
    }
    for (const reference of head.pending) {
      collections.addToGroup(this.#pending, reference.id, reference);
    }
    return head;
  }

  /** An element behind the Header begins. */
  #openSigned(tag: StartTag): Interest {
    const head = this.#head ?? this.#verifyHead();
    if (this.#depth === 2) {
      this.#requireBody(tag, head);
    } else if (this.#depth === 3 && isEncryptedElement(tag) && refusesEncrypted(this.#rules)) {
      throw unsupportedAlgorithm('encryption');
    }
    if (tag.attributeCount > 0 && head.referredIds.size > 0) {
      this.#matchIds(tag, head.referredIds);
    }
    if (this.#digests.length === 0) return ELEMENTS_ONLY;
    this.#comments.open(this.#depth);
    const digests = this.#digests;
    for (let index = 0; index < digests.length; index++) {
      digests[index]?.writer.open(tag);
    }
    return STREAM;
  }

  /** The element at the place of Body is the one that must be signed. */
  #requireBody(tag: StartTag, head: VerifiedHeader): void {
    const { user, assertion, goodUntilMillis } = head;
    let signature: VerifiedSignature | null = null;
    if (this.#rules.signature !== null) {
      const isNeeded = this.#rules.signature().required.includes('Body');
      const id = referableId(tag);
      signature =
        head.signatures.find(({ pending }) => !isNeeded || (id !== null && pending.has(id))) ??
        null;
      this.#isBodySigned = id !== null && signature?.pending.has(id) === true;
      if (signature === null) {
        throw invalidSecurity('Body is not signed together with what else must be');
      }
    }
    this.#expectAttachments(head, signature);
    this.verified = { signature, user, assertion, goodUntilMillis };
  }

  #expectAttachments(head: VerifiedHeader, signature: VerifiedSignature | null): void {
    const { attachments: references } = head;
    if (this.attachments === null) {
      if (references.length > 0) throw invalidSecurity('an attachment that is signed is missing');
      return;
    }
    const isNeeded = this.#rules.signature?.().required.includes('attachments') === true;
    const covered = isNeeded ? new Set(signature?.attachments.map(({ id }) => id)) : null;
    if (covered !== null) {
      for (const id of this.#certificateParts(head)) {
        covered.add(id);
      }
    }
    this.attachments.expect({ references, covered });
  }

  /**
   * The parts that are the certificate of a signer. Its own signature need not cover it: it is
   * known by its bytes.
   */
  #certificateParts({ signatures }: VerifiedHeader): readonly string[] {
    const certificates = signatures.map(({ signer }) => signer.certificate.raw);
    return this.#headerParts.flatMap(({ id, bytes }) =>
      certificates.some((certificate) => certificate.equals(bytes)) ? [id] : [],
    );
  }

  #matchIds(tag: StartTag, referred: ReadonlySet<string>): void {
    const own = new Set<string>();
    eachId(tag, (id) => own.add(id));
    for (const id of own) {
      if (!referred.has(id)) continue;
      const references = this.#pending.get(id);
      // It has come already: in the Header or behind it.
      if (references === undefined || this.#met.has(id)) throw new Refusal('WSSE_DUPLICATE_ID');
      if (referableId(tag) !== id) {
        throw invalidSecurity('a reference to an element by an attribute that is not its Id');
      }
      this.#pending.delete(id);
      this.#met.add(id);
      for (const reference of references) {
        // The attributes of elements around are known for Body alone.
        if (reference.method.kind !== 'exclusive' && this.#depth !== 2) {
          throw unsupportedAlgorithm('inclusive canonicalization of an element in Body');
        }
        const digest = new ReferenceDigest(reference, this.#envelope);
        this.#digests.push(digest);
        if (this.#digests.length === 1) {
          this.#content = this.#contentOf(digest);
        }
      }
    }
  }

  #contentOf({ writer }: ReferenceDigest): SignedContent {
    return new SignedContent({
      writer,
      inner: this.#inner,
      depth: () => this.#depth,
      onPass: (run) => this.#pass(run),
    });
  }

  #closeSigned(): void {
    for (let index = this.#digests.length - 1; index >= 0; index--) {
      const digest = this.#digests[index];
      digest?.writer.close();
      if (digest?.writer.depth !== 0) continue;
      digest.compare();
      this.#digests.splice(index, 1);
    }
  }
}

/** The least interest that has all of both. A handler that bounds texts has them bounded. */
function wider(own: Interest, inner: Interest): Interest {
  if (own === inner || inner === SKIP) return own;
  for (const interest of [ALL, STREAM, PRESENCE, ELEMENTS_ONLY] as const) {
    if (own === interest || inner === interest) return interest;
  }
  return SKIP;
}
