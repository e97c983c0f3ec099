import type { AnyMember, AnyType, AnyTypes } from '../plan/any-types.js';
import type {
  EncodeAttribute,
  EncodeElement,
  EncodeSource,
  EncodeText,
  EncodeValue,
} from '../plan/request/encode-plan.js';
import type { BlockPlan, RequestPlan, TemplateEvent } from '../plan/request/request-plan.js';
import type { Scalar } from '../plan/scalar.js';

/**
 * A plan that writes what can be shown: `***` for what the configuration gives (it may be a
 * secret), the name of the header field for what a caller's header would give, and every one of
 * `stand-ins` as it is, whatever the type.
 */
export function skeletonOf(plan: RequestPlan, standIns: ReadonlySet<string>): RequestPlan {
  const skeleton = new Skeleton(standIns);
  const headers = plan.headers.map((element) => skeleton.element(element));
  const blocks = (plan.blocks ?? []).map((block) => skeleton.block(block));
  if (plan.body === null) return { ...plan, headers, blocks };
  return {
    ...plan,
    headers,
    blocks,
    body: { name: plan.body.name, value: skeleton.object(plan.body.value) },
  };
}

/**
 * Writes a skeleton of a request. Input types may be recursive: content is made when it is written.
 */
class Skeleton {
  readonly #standIns: ReadonlySet<string>;

  constructor(standIns: ReadonlySet<string>) {
    this.#standIns = standIns;
  }

  element(element: EncodeElement): EncodeElement {
    const shownValue = (): EncodeValue => this.#value(element.value);
    const { source, value: _value, ...rest } = element;
    const shown = source === undefined ? rest : { ...rest, source: shownSource(source) };
    return {
      ...shown,
      get value() {
        return shownValue();
      },
    };
  }

  /**
   * Texts and values of a template may be secrets: only its elements and the names of its values
   * are shown.
   */
  block(block: BlockPlan): BlockPlan {
    if (block.kind === 'element') return { ...block, element: this.element(block.element) };
    return { ...block, events: block.events.map(shownEvent) };
  }

  object<T extends Extract<EncodeValue, { readonly kind: 'object' }>>(object: T): T {
    return {
      ...object,
      attributes: object.attributes.map((attribute) => this.#attribute(attribute)),
      text: object.text === null ? null : this.#text(object.text),
      children: object.children.map((child) => this.element(child)),
    };
  }

  #text(text: EncodeText): EncodeText {
    const shown = { ...text, scalar: this.#scalar(text.scalar) };
    return text.source === undefined ? shown : { ...shown, source: shownSource(text.source) };
  }

  #attribute(attribute: EncodeAttribute): EncodeAttribute {
    const { source } = attribute;
    const shown = { ...attribute, scalar: this.#scalar(attribute.scalar) };
    return source === undefined ? shown : { ...shown, source: shownSource(source) };
  }

  #value(value: EncodeValue): EncodeValue {
    if (value.kind === 'scalar') return { kind: 'scalar', scalar: this.#scalar(value.scalar) };
    if (value.kind === 'object') return this.object(value);
    if (value.kind === 'array') return { ...value, item: this.#value(value.item) };
    if (value.kind === 'xml') return value;
    if (value.kind === 'any') {
      const types: AnyTypes = {
        named: (name) => this.#named(value.types.named(name)),
        element: (name) => this.#declared(value.types.element?.(name) ?? null),
      };
      return { ...value, types };
    }
    const members = [...value.members].map(([key, { type, value: own }]) => {
      const inner = (): EncodeValue => this.#value(own);
      const variant = {
        type,
        get value() {
          return inner();
        },
      };
      return [key, variant] as const;
    });
    return { kind: 'variants', members: new Map(members) };
  }

  #declared(member: AnyMember | null): AnyMember | null {
    return member === null ? null : { ...member, type: () => this.#named(member.type()) };
  }

  #named(type: AnyType | null): AnyType | null {
    return type?.kind === 'simple' ? { ...type, scalar: this.#scalar(type.scalar) } : type;
  }

  #scalar(scalar: Scalar): Scalar {
    const isStandIn = (value: unknown): value is string =>
      typeof value === 'string' && this.#standIns.has(value);
    return {
      name: scalar.name,
      ...(scalar.binary === undefined ? {} : { binary: scalar.binary }),
      ...(scalar.nullText === undefined ? {} : { nullText: scalar.nullText }),
      decode: (lexical) => scalar.decode(lexical),
      encode: (value) => (isStandIn(value) ? value : scalar.encode(value)),
    };
  }
}

const shownSource = (source: EncodeSource): EncodeSource => ({
  from: 'constant',
  lexical: printSource(source),
});

function shownEvent(event: TemplateEvent): TemplateEvent {
  if (event.kind === 'text') return { kind: 'text', value: '***' };
  if (event.kind === 'attribute') return { ...event, value: '***' };
  if (event.kind !== 'filled text' && event.kind !== 'filled attribute') return event;
  return {
    ...event,
    parts: event.parts.map((part) => (typeof part === 'string' ? '***' : printSource(part.source))),
  };
}

function printSource(source: EncodeSource): string {
  if (source.from === 'constant') return '***';
  if (source.from === 'page') return '{page}';
  return source.from === 'header' ? `{header ${source.header}}` : `{claim ${source.claim}}`;
}
