import type { ToleratedContent } from '../../compile/soap/operations/validity.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type RefusalCode, type refusals, tolerated } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { type Edit, rebindWrapper } from '../../soap/index.js';
import type { ElementDeclaration, Operation, Particle } from '../../wsdl/index.js';
import {
  type QName,
  RenamedContent,
  RenamedTag,
  type StartTag,
  syntheticTag,
  type XmlHandler,
} from '../../xml/index.js';
import { WrappedContent } from './bare-part.js';
import { movedNamespaces } from './moved-namespaces.js';

/** The refusal of an envelope under another media type. */
export const UNTYPED = [
  'UPSTREAM_INVALID_RESPONSE',
  'an envelope under another media type',
] as const;

/** Deviations that are remembered of one exchange. */
const DEVIATIONS_MAX = 20;

/**
 * The deviations of one reply: each is tolerated by its name, or refused with the name that would
 * let it pass. Monitor mode lets all pass, and records the names that are missing.
 */
export class ReplyTolerance {
  readonly #service: SoapService;
  readonly #operation: Operation | null;
  readonly #exchange: Exchange;
  readonly #isMonitored: boolean;
  /** The change of the reply for callers that hold it to its contract; null for none. */
  edit: Edit | null = null;
  #renamed: { readonly to: QName; readonly declared: (uri: string) => string } | null = null;
  /** The name of a wrapper that the reply does not have; null where it has its own. */
  #wrapper: QName | null = null;
  /** In monitor mode: called with the refusal that a deviation would get. */
  onMonitored: (refusal: Refusal) => void = () => {};

  constructor(
    service: SoapService,
    operation: Operation | null,
    exchange: Exchange,
    isMonitored = false,
  ) {
    this.#service = service;
    this.#operation = operation;
    this.#exchange = exchange;
    this.#isMonitored = isMonitored;
  }

  /** Whether a name is given. */
  has(deviation: tolerated.Deviation): boolean {
    return this.#service.toleranceOf(this.#operation).has(deviation);
  }

  /** A deviation was repaired, or is read as what was declared. */
  note(deviation: tolerated.Deviation): void {
    this.#exchange.tolerated = this.#added(this.#exchange.tolerated, deviation);
  }

  /** Returns where all these names are given, or in monitor mode; else throws the refusal. */
  allow(
    deviations: readonly tolerated.Deviation[],
    code: RefusalCode,
    rule: string,
    options: refusals.RefusalOptions = {},
  ): void {
    const missing = deviations.filter((deviation) => !this.has(deviation));
    for (const deviation of deviations) {
      if (this.has(deviation)) {
        this.note(deviation);
      }
    }
    if (missing.length === 0) return;
    const refusal = new Refusal(code, rule, options);
    for (const deviation of missing) {
      this.suggest(deviation);
    }
    if (!this.#isMonitored) throw refusal;
    this.onMonitored(refusal);
  }

  /** The child of Body stands for the declared one, with what is in its namespace. */
  rename(found: QName, declared: ElementDeclaration, tag: StartTag): void {
    this.#renamed = { to: declared.name, declared: movedNamespaces(found, declared) };
    if (found.uri === declared.name.uri) return;
    this.edit = rebindWrapper(tag, declared.name.uri, hasQualifiedChildren(declared));
  }

  /** The child of Body is read within a wrapper of this name. */
  wrap(name: QName): void {
    this.#wrapper = name;
  }

  /** What the validator of the content is to let pass. */
  get content(): ToleratedContent | undefined {
    const isMissing = this.has('missing');
    if (!isMissing && this.#renamed === null) return undefined;
    const onMissing = isMissing ? () => this.note('missing') : null;
    return { onMissing, unqualifiedAs: this.#renamed?.to.uri ?? null };
  }

  /** The handler of the child of Body, made for the tag as declared and given names as declared. */
  read(tag: StartTag, make: (tag: StartTag) => XmlHandler | null): XmlHandler | null {
    const renamed = this.#renamed;
    if (this.#wrapper !== null) {
      const wrapper = syntheticTag(this.#wrapper, tag.depth);
      const handler = make(wrapper);
      return handler === null ? null : new WrappedContent(handler, wrapper);
    }
    if (renamed === null) return make(tag);
    const { to, declared } = renamed;
    const handler = make(new RenamedTag(declared).of(tag, to));
    return handler === null ? null : new RenamedContent(handler, to, declared);
  }

  /** A deviation was refused that this name would let pass. */
  suggest(deviation: tolerated.Deviation): void {
    const isSigned = this.#service.replyVerification !== null;
    if (isSigned && tolerated.CHANGES_SIGNED_BYTES.includes(deviation)) return;
    this.#exchange.tolerable = this.#added(this.#exchange.tolerable, deviation);
  }

  #added(
    to: tolerated.ToleratedDeviation[] | null,
    deviation: tolerated.Deviation,
  ): tolerated.ToleratedDeviation[] {
    const service = this.#service.name;
    const operation = this.#operation?.name ?? '_other';
    const list = to ?? [];
    const isKnown = list.some(
      (each) =>
        each.deviation === deviation && each.service === service && each.operation === operation,
    );
    if (!isKnown && list.length < DEVIATIONS_MAX) {
      list.push({ service, operation, deviation });
    }
    return list;
  }
}

/** Whether the first child that is declared has the namespace of its parent. */
function hasQualifiedChildren({ name, type }: ElementDeclaration): boolean {
  if (type.kind === 'simple' || type.content.kind !== 'elements') return false;
  let particle: Particle | undefined = type.content.particle;
  while (particle !== undefined && particle.kind !== 'one') {
    if (particle.kind === 'any') return false;
    particle = particle.particles[0];
  }
  return particle?.element.name.uri === name.uri;
}
