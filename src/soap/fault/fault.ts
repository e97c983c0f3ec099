import { Refusal } from '../../core/index.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  InterestFilter,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import { DetailReader, type FaultDetail } from './fault-detail.js';
import { type DetailRules, keepsActor, keepsEntry, keepsInner } from './fault-policy.js';

/**
 * The parts of a Fault, named as in SOAP 1.1 whatever the dialect was. Codes are without prefix.
 */
export interface FaultParts {
  readonly code: string;
  /** The outermost Subcode of SOAP 1.2. */
  readonly subcode: string | null;
  /** faultstring, or the first Reason/Text. */
  readonly string: string;
  /** faultactor, or Role, where callers may see it. */
  readonly actor: string | null;
  readonly detail: FaultDetail | null;
}

/** Further parts of a Fault of SOAP 1.2, and entries of the detail decoded by their types. */
export interface FaultParticulars {
  /** All subcodes, from outside in. */
  readonly subcodes: readonly string[];
  /** The text of the Fault in each language. */
  readonly reasons: readonly FaultReason[];
  /** The node that reported it. */
  readonly node: string | null;
  /**
   * Decoded values by the local name of the entry, in place of those of `FaultParts.detail`; null:
   * no known types.
   */
  readonly typedDetail: Readonly<Record<string, unknown>> | null;
}

export interface FaultReason {
  readonly text: string;
  readonly language: string | null;
}

/**
 * Which elements of `detail` are read: none, all of them, or those that the rules let a caller see.
 */
export type FaultWants = 'no detail' | 'all' | DetailRules;

/** The Fault of a backend, as an error. */
export class SoapFaultError extends Refusal {
  readonly fault: FaultParts;
  readonly particulars: FaultParticulars;

  /**
   * `challenge`: that of the backend, where the Fault is about the credentials of the caller; null
   * for any other.
   */
  constructor(
    fault: FaultParts,
    particulars: FaultParticulars = NO_PARTICULARS,
    challenge: string | null = null,
    retryAfter: string | null = null,
  ) {
    super('SOAP_FAULT', 'fault of the service', { challenge, retryAfter });
    this.name = 'SoapFaultError';
    this.fault = fault;
    this.particulars = particulars;
  }
}

const NO_PARTICULARS: FaultParticulars = {
  subcodes: [],
  reasons: [],
  node: null,
  typedDetail: null,
};

/** Reads entries of a detail besides `FaultReader`. */
export interface DetailObserver {
  /** The handler for this child of `detail`, which callers may see; null for none. */
  openDetailEntry?(tag: StartTag): XmlHandler | null;
}

type Part = 'code' | 'subcode' | 'string' | 'reason' | 'actor' | 'node';

/**
 * Reads one Fault, of either form in any dialect: some stacks put a 1.1 Fault into a 1.2 envelope.
 * Throws `SOAP_STRUCTURE` for elements where only text may stand, and `SOAP_FAULT_CODE` for a code
 * that the first dialect does not permit.
 */
export class FaultReader implements XmlHandler {
  readonly #dialect: Dialect;
  readonly #wants: FaultWants;
  readonly #observer: DetailObserver | null;
  readonly #texts = new Map<Part, string>();
  readonly #subcodes: string[] = [];
  readonly #reasons: FaultReason[] = [];
  #detail: DetailReader | null = null;
  #entryHandler: InterestFilter | null = null;
  /** Local names of the elements open inside the Fault; in `detail` only that. */
  readonly #path: string[] = [];
  #isOpen = false;
  /** Depth inside `detail`, 0 outside of it. */
  #detailDepth = 0;
  #part: Part | null = null;
  #language: string | null = null;

  constructor(dialect: Dialect, wants: FaultWants, observer: DetailObserver | null = null) {
    this.#dialect = dialect;
    this.#wants = wants;
    this.#observer = observer;
  }

  get parts(): FaultParts {
    const text = (part: Part): string | null => this.#texts.get(part)?.trim() ?? null;
    return {
      code: localPart(text('code') ?? ''),
      subcode: this.#subcodes[0] ?? null,
      string: text('string') ?? this.#reasons[0]?.text ?? '',
      actor: this.#actor('actor'),
      detail: this.#detail?.value ?? null,
    };
  }

  /** The parts that are not in `parts`. */
  get particulars(): Omit<FaultParticulars, 'typedDetail'> {
    return { subcodes: this.#subcodes, reasons: this.#reasons, node: this.#actor('node') };
  }

  #actor(part: Part): string | null {
    const text = this.#texts.get(part)?.trim() ?? null;
    const wants = this.#wants;
    return text === null || typeof wants === 'string' || keepsActor(wants, text) ? text : null;
  }

  open(tag: StartTag): Interest {
    if (this.#part !== null) throw new Refusal('SOAP_STRUCTURE', 'an element in a text of a Fault');
    if (!this.#isOpen) {
      this.#isOpen = true;
      return ELEMENTS_ONLY;
    }
    if (this.#detailDepth > 0) {
      this.#detailDepth++;
      return this.#openDetail(tag);
    }
    this.#path.push(tag.local);
    if (this.#path.length > 1) return this.#openInner(tag);
    if (tag.local === 'detail' || tag.local === 'Detail') return this.#beginDetail();
    if (tag.local === 'Code' || tag.local === 'Reason') return ELEMENTS_ONLY;
    const part = PARTS.get(tag.local);
    return part === undefined ? SKIP : this.#read(part);
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#detailDepth > 1) {
      this.#detailDepth--;
      this.#detail?.close();
      this.#entryHandler?.close(contentEndBytes, endBytes);
      if (this.#detailDepth === 1) {
        this.#entryHandler = null;
      }
      return;
    }
    this.#detailDepth = 0;
    this.#path.pop();
    if (this.#part !== null) {
      this.#endPart(this.#part);
    }
    this.#part = null;
  }

  text(piece: string): void {
    if (this.#detailDepth > 0) {
      this.#detail?.text(piece);
      this.#entryHandler?.text(piece);
    } else if (this.#part !== null) {
      this.#texts.set(this.#part, (this.#texts.get(this.#part) ?? '') + piece);
    }
  }

  /**
   * Inside Code and Reason of SOAP 1.2: Value, Subcodes in one another, each with a Value, and
   * Texts.
   */
  #openInner(tag: StartTag): Interest {
    const [group] = this.#path;
    if (group === 'Reason' && tag.local === 'Text' && this.#path.length === 2) {
      this.#language = tag.attribute(XML_URI, 'lang');
      return this.#read('reason');
    }
    if (group !== 'Code') return SKIP;
    if (tag.local === 'Subcode') return ELEMENTS_ONLY;
    if (tag.local !== 'Value') return SKIP;
    return this.#read(this.#path.length === 2 ? 'code' : 'subcode');
  }

  #beginDetail(): Interest {
    if (this.#wants === 'no detail' || this.#detail !== null) return SKIP;
    this.#detail = new DetailReader();
    this.#detailDepth = 1;
    return ELEMENTS_ONLY;
  }

  #openDetail(tag: StartTag): Interest {
    const wants = this.#wants;
    const isEntry = this.#detailDepth === 2;
    const isWanted =
      typeof wants === 'string' || (isEntry ? keepsEntry(wants, tag) : keepsInner(wants, tag));
    if (isEntry && isWanted) {
      const handler = this.#observer?.openDetailEntry?.(tag) ?? null;
      this.#entryHandler = handler === null ? null : new InterestFilter(handler);
    }
    const own = this.#detail?.open(tag, isWanted) ?? SKIP;
    const interest = this.#entryHandler?.open(tag, isWanted) ?? SKIP;
    return own === ALL || interest === SKIP ? own : interest;
  }

  #read(part: Part): Interest {
    this.#part = part;
    this.#texts.set(part, '');
    return ALL;
  }

  #endPart(part: Part): void {
    const text = (this.#texts.get(part) ?? '').trim();
    if (part === 'code') {
      this.#validateCode(text);
    }
    if (part === 'subcode' && this.#subcodes.length < PARTS_MAX) {
      this.#subcodes.push(localPart(text));
    }
    if (part === 'reason' && this.#reasons.length < PARTS_MAX) {
      this.#reasons.push({ text, language: this.#language });
    }
  }

  #validateCode(code: string): void {
    if (this.#dialect.faultCodesAreQNames) return;
    if (!BARE_FAULT_CODES.has(code)) throw new Refusal('SOAP_FAULT_CODE');
  }
}

const PARTS: ReadonlyMap<string, Part> = new Map([
  ['faultcode', 'code'],
  ['faultstring', 'string'],
  ['faultactor', 'actor'],
  ['Role', 'actor'],
  ['Node', 'node'],
]);

/** Subcodes in one another, and languages: more are dropped. */
const PARTS_MAX = 20;

const XML_URI = 'http://www.w3.org/XML/1998/namespace';

/** The only values the first dialect permits in faultcode. */
const BARE_FAULT_CODES: ReadonlySet<string> = new Set([
  'VersionMismatch',
  'MustUnderstand',
  'Client',
  'Server',
]);

const localPart = (name: string): string => name.slice(name.indexOf(':') + 1);
