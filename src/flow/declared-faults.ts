import { KIB } from '../base/limit.js';
import type { CodecLimits } from '../codec/plan/limits.js';
import type { Decoded, FaultPlan, FaultPlans } from '../codec/plan/plan.js';
import { ReplyDecoder } from '../codec/read/decode.js';
import { type DetailWatcher, type FaultReader, SoapFaultError } from '../soap/fault.js';
import { type Interest, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';

/** Of a detail that is told in an error: beyond that it is told as one whose type is not known. */
const ELEMENTS_MAX = 1000;
const CHARS_MAX = 64 * KIB;

/** Reads the entries of a Fault's detail that the operation declares, by their types. */
export class DeclaredFaults implements DetailWatcher {
  readonly #plans: FaultPlans;
  readonly #limits: CodecLimits;
  readonly #read: { readonly local: string; readonly entry: Entry }[] = [];

  constructor(plans: FaultPlans, limits: CodecLimits) {
    this.#plans = plans;
    this.#limits = limits;
  }

  /** The first entry is the Fault; of an error every declared one is told. */
  entry(tag: StartTag): XmlHandler | null {
    const { as, entries } = this.#plans;
    const isFull = this.#read.length === (as === 'data' ? 1 : entries.length);
    const declared = isFull ? null : declaredFor(tag, entries);
    if (declared === null) return null;
    const entry = new Entry(new ReplyDecoder(declared.plan, this.#limits), as === 'error');
    this.#read.push({ local: tag.local, entry });
    return entry;
  }

  /** The Fault as the answer; null where it is not one that is declared, or comes to nothing by its type. */
  get answer(): Decoded | null {
    const [first] = this.#read;
    if (this.#plans.as === 'error' || first === undefined) return null;
    const decoded = first.entry.decoded;
    return decoded === null || decoded.value === null ? null : decoded;
  }

  /** The Fault as an error. */
  error(fault: FaultReader): SoapFaultError {
    const typed = new Map<string, unknown[]>();
    for (const { local, entry } of this.#plans.as === 'error' ? this.#read : []) {
      const value = entry.decoded?.value ?? null;
      if (saysSomething(value)) typed.set(local, [...(typed.get(local) ?? []), value]);
    }
    const typedDetail = typed.size === 0 ? null : Object.fromEntries([...typed].map(alone));
    return new SoapFaultError(fault.parts, { ...fault.particulars, typedDetail });
  }
}

/** Repeated names are a list, as where no type is known. */
const alone = ([local, values]: [string, unknown[]]): [string, unknown] => [
  local,
  values.length === 1 ? values[0] : values,
];

/** One entry on its way into its decoder. */
class Entry implements XmlHandler {
  readonly #decoder: ReplyDecoder;
  readonly #isBounded: boolean;
  #elements = 0;
  #chars = 0;
  #isOver = false;

  constructor(decoder: ReplyDecoder, isBounded: boolean) {
    this.#decoder = decoder;
    this.#isBounded = isBounded;
  }

  /** Null where it was more than is told. To be called when the message is over. */
  get decoded(): Decoded | null {
    return this.#isOver ? null : this.#decoder.finish();
  }

  open(tag: StartTag): Interest {
    if (++this.#elements > ELEMENTS_MAX && this.#isBounded) this.#isOver = true;
    return this.#isOver ? SKIP : this.#decoder.open(tag);
  }

  close(): void {
    if (!this.#isOver) this.#decoder.close();
  }

  text(piece: string): void {
    this.#chars += piece.length;
    if (this.#chars > CHARS_MAX && this.#isBounded) this.#isOver = true;
    if (!this.#isOver) this.#decoder.text(piece);
  }
}

/** Whether anything came of a detail by its type. */
const saysSomething = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some((part) => part !== null && !(Array.isArray(part) && part.length === 0))
    : value !== null;

/** By its name, or by the local name alone: stacks leave the namespace away, and Axis puts a package before the name. */
function declaredFor({ uri, local }: StartTag, entries: readonly FaultPlan[]): FaultPlan | null {
  const bare = local.slice(local.lastIndexOf('.') + 1);
  const byLocal = entries.filter(({ names }) => names.has(local) || names.has(bare));
  return byLocal.find(({ element }) => element.uri === uri && element.local === local) ?? byLocal[0] ?? null;
}
