import { KIB } from '../../base/limit.js';
import type { CodecLimits } from '../../codec/plan/limits.js';
import type { Decoded, FaultPlan } from '../../codec/plan/plan.js';
import { ReplyDecoder } from '../../codec/read/decode.js';
import { EncodedReply } from '../../codec/read/encoded.js';
import { ELEMENTS, type Interest, SKIP, type StartTag, type XmlHandler } from '../../xml/events.js';

/** Elements of a detail that an error reports: a larger one is reported as one whose type is not known. */
const ELEMENTS_MAX = 1000;
const CHARS_MAX = 64 * KIB;

/**
 * One entry of a detail on its way into its decoder. Under the name of its Fault stands the entry itself, or, as rpc
 * wraps its parts, one element with the name of the part, which is it then.
 */
export class FaultEntry implements XmlHandler {
  readonly #declared: FaultPlan;
  readonly #limits: CodecLimits;
  readonly #isEncoded: boolean;
  readonly #isBounded: boolean;
  #decoder: ReplyDecoder | EncodedReply;
  #elements = 0;
  #chars = 0;
  #isOver = false;
  #depth = 0;
  /** Where the element stands that the decoder reads: 2 inside of a wrapper. */
  #rootDepth = 1;
  #mayBeWrapped = false;
  /** The decoder wants nothing of what is in the entry, or has had all of it. */
  #isDeaf = false;

  constructor(
    declared: FaultPlan,
    limits: CodecLimits,
    { isEncoded, isBounded }: { readonly isEncoded: boolean; readonly isBounded: boolean },
  ) {
    this.#declared = declared;
    this.#limits = limits;
    this.#isEncoded = isEncoded;
    this.#isBounded = isBounded;
    this.#decoder = this.#newDecoder();
  }

  /** Null where it was too large to be reported. To be called when the message is over. */
  get decoded(): Decoded | null {
    return this.#isOver ? null : this.#decoder.finish();
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (!this.#takeElement()) return SKIP;
    if (this.#depth === 1) return this.#openEntry(tag);
    if (this.#mayBeWrapped && this.#depth === 2) {
      this.#mayBeWrapped = false;
      if (tag.local === this.#declared.element.local) this.#unwrap();
    }
    return this.#isDeaf ? SKIP : this.#decoder.open(tag);
  }

  close(): void {
    const depth = this.#depth--;
    const isOwn = depth === this.#rootDepth;
    if (this.#isOver || depth < this.#rootDepth || (this.#isDeaf && (!isOwn || depth === 2))) return;
    this.#decoder.close();
    if (isOwn && depth === 2) this.#isDeaf = true;
  }

  text(piece: string): void {
    if (this.#takeText(piece) && !this.#isDeaf && this.#depth >= this.#rootDepth) this.#decoder.text(piece);
  }

  /** An element beside the Fault, which this entry may refer to. */
  openFurther(tag: StartTag): void {
    if (this.#takeElement()) this.#decoder.open(tag);
  }

  textFurther(piece: string): void {
    if (this.#takeText(piece)) this.#decoder.text(piece);
  }

  closeFurther(): void {
    if (!this.#isOver) this.#decoder.close();
  }

  #openEntry(tag: StartTag): Interest {
    const interest = this.#decoder.open(tag);
    this.#mayBeWrapped = tag.local !== this.#declared.element.local;
    this.#isDeaf = interest === SKIP;
    return this.#isDeaf && this.#mayBeWrapped ? ELEMENTS : interest;
  }

  #unwrap(): void {
    this.#decoder = this.#newDecoder();
    this.#rootDepth = 2;
    this.#isDeaf = false;
  }

  #newDecoder(): ReplyDecoder | EncodedReply {
    const decoder = new ReplyDecoder(this.#declared.plan, this.#limits);
    return this.#isEncoded ? new EncodedReply(decoder, this.#limits) : decoder;
  }

  #takeElement(): boolean {
    if (++this.#elements > ELEMENTS_MAX && this.#isBounded) this.#isOver = true;
    return !this.#isOver;
  }

  #takeText(piece: string): boolean {
    this.#chars += piece.length;
    if (this.#chars > CHARS_MAX && this.#isBounded) this.#isOver = true;
    return !this.#isOver;
  }
}
