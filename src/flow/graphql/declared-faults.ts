import {
  type CodecLimits,
  type Decoded,
  ReplyDecoder,
  replyDecoding,
  type replyPlans,
} from '../../codec/index.js';
import { collections, KIB } from '../../core/index.js';
import { soapFaults } from '../../soap/index.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';

/** Reads the entries of a Fault's detail that the operation declares, by their types. */
export class DeclaredFaults implements soapFaults.DetailObserver {
  readonly #plans: replyPlans.FaultPlans;
  readonly #limits: CodecLimits;
  readonly #isEncoded: boolean;
  readonly #read: { readonly local: string; readonly entry: FaultEntry }[] = [];

  /**
   * `isEncoded`: by the rules of SOAP encoding, so that entries may refer to what stands beside the
   * Fault.
   */
  constructor(plans: replyPlans.FaultPlans, limits: CodecLimits, isEncoded: boolean) {
    this.#plans = plans;
    this.#limits = limits;
    this.#isEncoded = isEncoded;
  }

  /** The first entry is the Fault; an error reports every declared one. */
  openDetailEntry(tag: StartTag): XmlHandler | null {
    const { as, entries } = this.#plans;
    const isFull = this.#read.length === (as === 'data' ? 1 : entries.length);
    const declared = isFull ? null : declaredFor(tag, entries);
    if (declared === null) return null;
    const entry = new FaultEntry(declared, this.#limits, {
      isEncoded: this.#isEncoded,
      isBounded: as === 'error',
    });
    this.#read.push({ local: tag.local, entry });
    return entry;
  }

  /** Takes over inside an element beside the Fault; null where nothing can refer to it. */
  openMultiRef(): XmlHandler | null {
    return this.#isEncoded && this.#read.length > 0
      ? new Further(this.#read.map(({ entry }) => entry))
      : null;
  }

  /**
   * The Fault as the answer; null where it is not one that is declared, or comes to nothing by its
   * type.
   */
  get answer(): Decoded | null {
    const [first] = this.#read;
    if (this.#plans.as === 'error' || first === undefined) return null;
    const decoded = first.entry.decoded;
    return decoded === null || decoded.value === null ? null : decoded;
  }

  /** The Fault as an error. */
  error(
    fault: soapFaults.FaultReader,
    challenge: string | null,
    retryAfter: string | null,
  ): soapFaults.SoapFaultError {
    const typed = new Map<string, unknown[]>();
    for (const { local, entry } of this.#plans.as === 'error' ? this.#read : []) {
      const value = entry.decoded?.value ?? null;
      if (hasValue(value)) {
        collections.addToGroup(typed, local, value);
      }
    }
    // The rest of the detail may have what was left out.
    const parts =
      this.#plans.isRestricted === true ? { ...fault.parts, detail: null } : fault.parts;
    const typedDetail = typed.size === 0 ? null : Object.fromEntries([...typed].map(alone));
    const particulars = { ...fault.particulars, typedDetail };
    return new soapFaults.SoapFaultError(parts, particulars, challenge, retryAfter);
  }
}

/** Repeated names are a list, as where no type is known. */
const alone = ([local, values]: [string, unknown[]]): [string, unknown] => [
  local,
  values.length === 1 ? values[0] : values,
];

/** An element beside the Fault, for every entry. */
class Further implements XmlHandler {
  readonly #entries: readonly FaultEntry[];

  constructor(entries: readonly FaultEntry[]) {
    this.#entries = entries;
  }

  open(tag: StartTag): Interest {
    for (const entry of this.#entries) {
      entry.openFurther(tag);
    }
    return ALL;
  }

  text(chars: string): void {
    for (const entry of this.#entries) {
      entry.textFurther(chars);
    }
  }

  close(): void {
    for (const entry of this.#entries) {
      entry.closeFurther();
    }
  }
}

/** Whether anything came of a detail by its type. */
const hasValue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(
        (part) => part !== null && !(Array.isArray(part) && part.length === 0),
      )
    : value !== null;

/**
 * Finds the declared fault of an element by its full name, or by the local name alone. Stacks leave
 * the namespace away, and Axis puts a package before the name.
 */
function declaredFor(
  { uri, local }: StartTag,
  entries: readonly replyPlans.FaultPlan[],
): replyPlans.FaultPlan | null {
  const bare = local.slice(local.lastIndexOf('.') + 1);
  const byLocal = entries.filter(({ names }) => names.has(local) || names.has(bare));
  return (
    byLocal.find(({ element }) => element.uri === uri && element.local === local) ??
    byLocal[0] ??
    null
  );
}

/**
 * Elements of a detail that an error reports: a larger one is reported as one whose type is not
 * known.
 */
const ELEMENTS_MAX = 1000;
const CHARS_MAX = 64 * KIB;

interface FaultEntryRules {
  readonly isEncoded: boolean;
  readonly isBounded: boolean;
}

/**
 * One entry of a detail on its way into its decoder. Under the name of its Fault stands the entry
 * itself, or, as rpc wraps its parts, one element with the name of the part, which is it then.
 */
class FaultEntry implements XmlHandler {
  readonly #declared: replyPlans.FaultPlan;
  readonly #limits: CodecLimits;
  readonly #rules: FaultEntryRules;
  #decoder: ReplyDecoder | replyDecoding.EncodedReply;
  #elements = 0;
  #chars = 0;
  #isOver = false;
  #depth = 0;
  /** The depth of the element that the decoder reads: 2 inside of a wrapper. */
  #rootDepth = 1;
  #mayBeWrapped = false;
  /** The decoder wants nothing of what is in the entry, or has had all of it. */
  #isDeaf = false;

  constructor(declared: replyPlans.FaultPlan, limits: CodecLimits, rules: FaultEntryRules) {
    this.#declared = declared;
    this.#limits = limits;
    this.#rules = rules;
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
      if (tag.local === this.#declared.element.local) {
        this.#unwrap();
      }
    }
    return this.#isDeaf ? SKIP : this.#decoder.open(tag);
  }

  close(): void {
    const depth = this.#depth--;
    const isOwn = depth === this.#rootDepth;
    if (this.#isOver || depth < this.#rootDepth || (this.#isDeaf && (!isOwn || depth === 2))) {
      return;
    }
    this.#decoder.close();
    if (isOwn && depth === 2) {
      this.#isDeaf = true;
    }
  }

  text(chars: string): void {
    if (this.#takeText(chars) && !this.#isDeaf && this.#depth >= this.#rootDepth) {
      this.#decoder.text(chars);
    }
  }

  /** An element beside the Fault, which this entry may refer to. */
  openFurther(tag: StartTag): void {
    if (this.#takeElement()) {
      this.#decoder.open(tag);
    }
  }

  textFurther(chars: string): void {
    if (this.#takeText(chars)) {
      this.#decoder.text(chars);
    }
  }

  closeFurther(): void {
    if (!this.#isOver) {
      this.#decoder.close();
    }
  }

  #openEntry(tag: StartTag): Interest {
    const interest = this.#decoder.open(tag);
    this.#mayBeWrapped = tag.local !== this.#declared.element.local;
    this.#isDeaf = interest === SKIP;
    return this.#isDeaf && this.#mayBeWrapped ? ELEMENTS_ONLY : interest;
  }

  #unwrap(): void {
    this.#decoder = this.#newDecoder();
    this.#rootDepth = 2;
    this.#isDeaf = false;
  }

  #newDecoder(): ReplyDecoder | replyDecoding.EncodedReply {
    const decoder = new ReplyDecoder(this.#declared.plan, this.#limits);
    return this.#rules.isEncoded ? new replyDecoding.EncodedReply(decoder, this.#limits) : decoder;
  }

  #takeElement(): boolean {
    if (++this.#elements > ELEMENTS_MAX && this.#rules.isBounded) {
      this.#isOver = true;
    }
    return !this.#isOver;
  }

  #takeText(chars: string): boolean {
    this.#chars += chars.length;
    if (this.#chars > CHARS_MAX && this.#rules.isBounded) {
      this.#isOver = true;
    }
    return !this.#isOver;
  }
}
