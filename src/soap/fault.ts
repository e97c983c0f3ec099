import { Refusal } from '../base/refusal.js';
import { ALL, ELEMENTS, type Interest, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';
import type { Dialect } from './dialect.js';
import { DetailReader, type FaultDetail } from './fault-detail.js';
import { type DetailRules, keepsEntry, keepsInner } from './fault-policy.js';

/** The parts of a Fault, named as in SOAP 1.1 whatever the dialect was. Codes are without prefix. */
export interface FaultParts {
  readonly code: string;
  /** The outermost Subcode of SOAP 1.2. */
  readonly subcode: string | null;
  /** faultstring, or the first Reason/Text. */
  readonly string: string;
  /** faultactor, or Role. */
  readonly actor: string | null;
  readonly detail: FaultDetail | null;
}

/** Which elements of `detail` are read: none, all of them, or those that the rules let a caller see. */
export type FaultWants = 'no detail' | 'all' | DetailRules;

/** The Fault of a backend, as an error. */
export class SoapFaultError extends Refusal {
  readonly fault: FaultParts;

  constructor(fault: FaultParts) {
    super('SOAP_FAULT', 'fault of the service');
    this.name = 'SoapFaultError';
    this.fault = fault;
  }
}

type Part = 'code' | 'subcode' | 'string' | 'actor' | 'node';

/**
 * Reads one Fault, of either form in any dialect: some stacks put a 1.1 Fault into a 1.2 envelope. Throws
 * `SOAP_STRUCTURE` for elements where only text may stand, and `SOAP_FAULT_CODE` for a code that the first dialect
 * does not permit.
 */
export class FaultReader implements XmlHandler {
  readonly #dialect: Dialect;
  readonly #wants: FaultWants;
  readonly #texts = new Map<Part, string>();
  #detail: DetailReader | null = null;
  /** Elements open; the Fault itself is 1. */
  #depth = 0;
  /** Depth inside `detail`, 0 outside of it. */
  #detailDepth = 0;
  /** Depth inside Code and Reason of SOAP 1.2, where Value, Subcode and Text are looked for. */
  #group: 'Code' | 'Subcode' | 'Reason' | null = null;
  #part: Part | null = null;

  constructor(dialect: Dialect, wants: FaultWants) {
    this.#dialect = dialect;
    this.#wants = wants;
  }

  get parts(): FaultParts {
    const text = (part: Part): string | null => this.#texts.get(part)?.trim() ?? null;
    return {
      code: localPart(text('code') ?? ''),
      subcode: nullable(text('subcode'), localPart),
      string: text('string') ?? '',
      actor: text('actor'),
      detail: this.#detail?.value ?? null,
    };
  }

  open(tag: StartTag): Interest {
    if (this.#part !== null) throw new Refusal('SOAP_STRUCTURE', 'element in a text of a Fault');
    this.#depth++;
    if (this.#detailDepth > 0) {
      this.#detailDepth++;
      return this.#openDetail(tag);
    }
    if (this.#depth === 1) return ELEMENTS;
    if (this.#depth === 2) return this.#openChild(tag.local);
    return this.#openGrandchild(tag.local);
  }

  close(): void {
    this.#depth--;
    if (this.#detailDepth > 0) {
      this.#detailDepth--;
      if (this.#detailDepth > 0) this.#detail?.close();
      return;
    }
    if (this.#part === 'code') this.#judgeCode();
    this.#part = null;
    if (this.#depth === 1) this.#group = null;
    else if (this.#depth === 2 && this.#group === 'Subcode') this.#group = 'Code';
  }

  text(piece: string): void {
    if (this.#detailDepth > 0) this.#detail?.text(piece);
    else if (this.#part !== null) this.#texts.set(this.#part, (this.#texts.get(this.#part) ?? '') + piece);
  }

  #openChild(local: string): Interest {
    switch (local) {
      case 'faultcode':
        return this.#read('code');
      case 'faultstring':
        return this.#read('string');
      case 'faultactor':
      case 'Role':
        return this.#read('actor');
      case 'Node':
        return this.#read('node');
      case 'Code':
      case 'Reason':
        this.#group = local;
        return ELEMENTS;
      case 'detail':
      case 'Detail':
        return this.#beginDetail();
      default:
        return SKIP;
    }
  }

  #openGrandchild(local: string): Interest {
    if (this.#group === 'Reason' && local === 'Text' && !this.#texts.has('string')) return this.#read('string');
    if (this.#group === 'Code' && local === 'Value') return this.#read('code');
    if (this.#group === 'Code' && local === 'Subcode') {
      this.#group = 'Subcode';
      return ELEMENTS;
    }
    if (this.#group === 'Subcode' && local === 'Value') return this.#read('subcode');
    return SKIP;
  }

  #beginDetail(): Interest {
    if (this.#wants === 'no detail' || this.#detail !== null) return SKIP;
    this.#detail = new DetailReader();
    this.#detailDepth = 1;
    return ELEMENTS;
  }

  #openDetail(tag: StartTag): Interest {
    const wants = this.#wants;
    const isWanted =
      typeof wants === 'string' || (this.#detailDepth > 2 ? keepsInner(wants, tag) : keepsEntry(wants, tag));
    return this.#detail?.open(tag, isWanted) ?? SKIP;
  }

  #read(part: Part): Interest {
    this.#part = part;
    this.#texts.set(part, '');
    return ALL;
  }

  #judgeCode(): void {
    if (this.#dialect.faultCodesAreQNames) return;
    if (!BARE_FAULT_CODES.has((this.#texts.get('code') ?? '').trim())) throw new Refusal('SOAP_FAULT_CODE');
  }
}

/** The only values the first dialect permits in faultcode. */
const BARE_FAULT_CODES: ReadonlySet<string> = new Set(['VersionMismatch', 'MustUnderstand', 'Client', 'Server']);

const localPart = (name: string): string => name.slice(name.indexOf(':') + 1);

const nullable = <T, U>(value: T | null, map: (value: T) => U): U | null => (value === null ? null : map(value));
