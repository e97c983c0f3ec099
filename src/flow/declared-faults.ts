import { ReplyDecoder } from '../codec/decode.js';
import type { CodecLimits } from '../codec/limits.js';
import type { Decoded, FaultPlan, FaultPlans } from '../codec/plan.js';
import { type DetailWatcher, type FaultReader, SoapFaultError } from '../soap/fault.js';
import type { StartTag } from '../xml/events.js';

/** Items of one list in a detail that is told in an error. */
const ERROR_ITEMS_MAX = 1000;

/** Reads the entries of a Fault's detail that the operation declares, by their types. */
export class DeclaredFaults implements DetailWatcher {
  readonly #plans: FaultPlans;
  readonly #limits: CodecLimits;
  readonly #read: { readonly local: string; readonly decoder: ReplyDecoder }[] = [];

  constructor(plans: FaultPlans, limits: CodecLimits) {
    this.#plans = plans;
    const listItems = Math.min(limits.listItems, ERROR_ITEMS_MAX);
    this.#limits = plans.as === 'data' ? limits : { ...limits, listItems };
  }

  /** The first entry is the Fault; of an error every declared one is told. */
  entry(tag: StartTag): ReplyDecoder | null {
    const { as, entries } = this.#plans;
    const isFull = this.#read.length === (as === 'data' ? 1 : entries.length);
    const declared = isFull ? null : declaredFor(tag, entries);
    if (declared === null) return null;
    const decoder = new ReplyDecoder(declared.plan, this.#limits);
    this.#read.push({ local: tag.local, decoder });
    return decoder;
  }

  /** The Fault as the answer; null where it is not one that is declared, or comes to nothing by its type. */
  get answer(): Decoded | null {
    const [first] = this.#read;
    if (this.#plans.as === 'error' || first === undefined) return null;
    const decoded = first.decoder.finish();
    return decoded.value === null ? null : decoded;
  }

  /** The Fault as an error. */
  error(fault: FaultReader): SoapFaultError {
    const typed = new Map<string, unknown>();
    for (const { local, decoder } of this.#plans.as === 'error' ? this.#read : []) {
      const { value } = decoder.finish();
      if (value !== null && !typed.has(local)) typed.set(local, value);
    }
    const typedDetail = typed.size === 0 ? null : Object.fromEntries(typed);
    return new SoapFaultError(fault.parts, { ...fault.particulars, typedDetail });
  }
}

/** By its name, or by the local name alone: stacks leave the namespace away, and Axis puts a package before the name. */
function declaredFor({ uri, local }: StartTag, entries: readonly FaultPlan[]): FaultPlan | null {
  const bare = local.slice(local.lastIndexOf('.') + 1);
  const byLocal = entries.filter(({ names }) => names.has(local) || names.has(bare));
  return byLocal.find(({ element }) => element.uri === uri && element.local === local) ?? byLocal[0] ?? null;
}
