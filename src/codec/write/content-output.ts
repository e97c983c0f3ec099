import type { QName } from '../../xml/index.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import type { EncodeElement, EncodeSource, EncodeValue } from '../plan/request/encode-plan.js';
import { anyContent, anyElement } from './any-content.js';
import type { AnyTools } from './any-output.js';
import { type AllowedWildcards, addXml } from './client-xml.js';
import { type InputPath, refuseInput } from './input-error.js';
import type { NilForm } from './input-members.js';
import type { EncodeLimits, LeafEncoder } from './leaves.js';
import { NIL, namesItsType, TYPE, typeOfXml } from './type-attributes.js';

/** The events of the content of one request, and how those of elements without plans are made. */
export class ContentOutput {
  events: ContentEvent[] = [];
  readonly #limits: EncodeLimits;
  readonly #leaves: LeafEncoder;
  readonly #encodingUri: string | null;

  constructor({ limits, leaves, encodingUri }: AnyTools) {
    this.#limits = limits;
    this.#leaves = leaves;
    this.#encodingUri = encodingUri;
  }

  /** An element whose value is the same in each request. */
  fixed(element: EncodeElement, text: string): void {
    this.open(element, element.name);
    if (text !== '') {
      this.events.push({ kind: 'text', value: text });
    }
    this.events.push(CLOSE);
  }

  /** An element whose value is from elsewhere than the client's object. */
  sourced(element: EncodeElement, source: EncodeSource, path: InputPath): void {
    const { value, required } = element;
    if (value.kind !== 'scalar') throw new TypeError('only a scalar comes from elsewhere');
    const lexical = this.#leaves.resolve(source, value.scalar, required, path);
    if (lexical === null) return;
    this.fixed(element, lexical);
  }

  /**
   * Writes a nil element. If its type is abstract it must name another (XSD 1.0 part 1 section
   * 3.3.4), and it has the attributes that its type requires.
   */
  nil({ type, plan }: NilForm, name: QName, path: InputPath): void {
    this.events.push({ kind: 'open', name });
    if (type !== null) {
      this.events.push(TYPE(type));
    }
    if (plan?.kind === 'object') {
      for (const each of plan.attributes) {
        this.add(this.#leaves.attribute(each, {}, path));
      }
    }
    this.events.push(NIL, CLOSE);
  }

  /** Opens an element, with the name of its type where the encoding asks for it. */
  open(element: EncodeElement, name: QName): void {
    this.events.push({ kind: 'open', name });
    const { typeName = null, value } = element;
    if (this.#encodingUri !== null && typeName !== null && !namesItsType(value)) {
      this.events.push(TYPE(typeName));
    }
  }

  /** The attributes and the content of an element of any type. */
  any(plan: AnyEncodeValue, value: unknown, name: QName | null, path: InputPath): void {
    for (const event of anyContent(value, plan, name, path, this.#tools)) {
      this.events.push(event);
    }
  }

  /** An element of any name. */
  anyElement(
    plan: AnyEncodeValue,
    value: unknown,
    path: InputPath,
    wildcards: AllowedWildcards = [],
  ): void {
    const broken = addXml(
      this.events,
      anyElement(value, plan, wildcards, path, this.#tools),
      false,
      wildcards,
    );
    if (broken !== null) {
      refuseInput(path, broken);
    }
  }

  get #tools(): AnyTools {
    return { limits: this.#limits, leaves: this.#leaves, encodingUri: this.#encodingUri };
  }

  add(event: ContentEvent | null): void {
    if (event !== null) {
      this.events.push(event);
    }
  }

  /**
   * Writes XML of the client: the content of the element that was opened, or elements of any name.
   * It names its attributes itself, which must not contradict those written before. `declared`: the
   * type for SOAP encoding.
   */
  xml(
    value: unknown,
    name: QName | null,
    path: InputPath,
    declared: QName | null,
    wildcards?: AllowedWildcards,
  ) {
    const events = this.#leaves.xml(value, name, path);
    const type =
      this.#encodingUri === null || declared === null ? null : typeOfXml(events, declared);
    if (type !== null) {
      this.events.push(TYPE(type));
    }
    const broken = addXml(this.events, events, name !== null, wildcards);
    if (broken !== null) {
      refuseInput(path, broken);
    }
  }
}

type AnyEncodeValue = Extract<EncodeValue, { readonly kind: 'any' }>;
