import { invariant } from '../../core/index.js';
import {
  type ComplexType,
  childrenOfBody,
  type ElementDeclaration,
  type Operation,
  type Particle,
  type SimpleType,
  typeKey,
  type WsdlModel,
  type XsdType,
} from '../../wsdl/index.js';

/**
 * The types of the replies of one operation, as far as a comparison by meaning needs them: plain
 * values of JSON, so that a recording can hold them. A type is named by its index in `types`.
 */
export interface ReplyTypes {
  /** The types of children of Body, and of entries of a Fault's detail, by `{uri}local`. */
  readonly roots: Readonly<Record<string, number>>;
  /** The types that xsi:type may name, by `{uri}local`. */
  readonly named: Readonly<Record<string, number>>;
  readonly types: readonly TypeShape[];
}

/** One type. Its members are absent where it has none of them. */
export interface TypeShape {
  /** `{uri}local`; absent: an anonymous type. */
  readonly name?: string;
  /** The type of its text. */
  readonly text?: TextShape;
  readonly attributes?: Readonly<Record<string, AttributeShape>>;
  /** The types of its child elements, by `{uri}local`. */
  readonly elements?: Readonly<Record<string, number>>;
  /** The type of the items of an array, whatever their names. */
  readonly items?: number;
  /** The schema leaves the order of the child elements open. */
  readonly isUnordered?: true;
}

export interface AttributeShape extends TextShape {
  /** The value of an absent attribute. */
  readonly default?: string;
}

/** The type of a text. */
export interface TextShape {
  /** The local name of the nearest built-in type; of a list that of its items. */
  readonly builtIn: string;
  readonly isList?: true;
  readonly whiteSpace?: 'replace' | 'collapse';
  /** The schema lists its values. */
  readonly isEnumerated?: true;
}

/** Replies of which no type is known. */
export const NO_TYPES: ReplyTypes = { roots: {}, named: {}, types: [] };

/** More types than any operation of use reaches: the rest is compared as texts. */
const TYPES_MAX = 20_000;

/** The types of the replies of an operation; `model` is null without a WSDL. */
export function replyTypesOf(operation: Operation | null, model: WsdlModel | null): ReplyTypes {
  if (operation === null) return NO_TYPES;
  return typesOf(
    [
      ...operation.faults.map(({ element }) => element),
      ...(operation.output === null ? [] : childrenOfBody(operation.output)),
    ],
    model,
  );
}

/** The types of the requests of an operation. */
export const requestTypesOf = (operation: Operation | null, model: WsdlModel | null): ReplyTypes =>
  operation === null ? NO_TYPES : typesOf(childrenOfBody(operation.input), model);

function typesOf(declared: readonly ElementDeclaration[], model: WsdlModel | null): ReplyTypes {
  const table = new TypeTable();
  const roots: [string, number][] = [];
  for (const { name, type } of declared) {
    const index = table.indexOf(type);
    if (index !== null) {
      roots.push([typeKey(name), index]);
    }
  }
  return { roots: withoutPrototype(roots), ...table.finish(model) };
}

/** Collects the types that the children of Body reach, each once. */
class TypeTable {
  readonly #indexes = new Map<XsdType, number>();
  /** In the order of their indexes; those behind `#done` have no shape yet. */
  readonly #found: XsdType[] = [];
  readonly #shapes: TypeShape[] = [];

  /** Null beyond the most types. */
  indexOf(type: XsdType): number | null {
    const known = this.#indexes.get(type);
    if (known !== undefined) return known;
    if (this.#found.length >= TYPES_MAX) return null;
    const index = this.#found.length;
    this.#indexes.set(type, index);
    this.#found.push(type);
    return index;
  }

  finish(model: WsdlModel | null): Pick<ReplyTypes, 'named' | 'types'> {
    // Shapes find further types: the list grows while it is read.
    for (let at = 0; at < this.#found.length; at++) {
      const type = this.#found[at];
      invariant(type !== undefined, 'a type for each index');
      this.#shapes.push(this.#shapeOf(type));
      if (type.kind === 'complex') {
        for (const derived of type.derived) {
          this.indexOf(derived);
        }
      }
    }
    const named = [...this.#indexes].flatMap(([type, index]): [string, number][] =>
      type.name !== null && (model === null || model.types.get(typeKey(type.name)) === type)
        ? [[typeKey(type.name), index]]
        : [],
    );
    return { named: withoutPrototype(named), types: this.#shapes };
  }

  #shapeOf(type: XsdType): TypeShape {
    const name = type.name === null ? {} : { name: typeKey(type.name) };
    return type.kind === 'simple'
      ? { ...name, text: textShape(type) }
      : { ...name, ...attributesOf(type), ...this.#contentOf(type) };
  }

  #contentOf({ content }: ComplexType): TypeShape {
    switch (content.kind) {
      case 'empty':
        return {};
      case 'text':
        return { text: textShape(content.type) };
      case 'array': {
        const items = this.indexOf(content.item);
        return items === null ? {} : { items };
      }
      case 'opaque': {
        const particle = content.mixed?.particle ?? null;
        return particle === null ? {} : this.#elementsOf(particle);
      }
      case 'elements':
        return this.#elementsOf(content.particle);
    }
  }

  #elementsOf(particle: Particle): TypeShape {
    const elements: [string, number][] = [];
    for (const { name, type } of elementsIn(particle)) {
      const index = this.indexOf(type);
      if (index !== null) {
        elements.push([typeKey(name), index]);
      }
    }
    return {
      elements: withoutPrototype(elements),
      ...(isOpen(particle) ? { isUnordered: true } : {}),
    };
  }
}

/** All elements of a content model. */
function* elementsIn(particle: Particle): Iterable<ElementDeclaration> {
  const waiting = [particle];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === 'one') {
      yield next.element;
    } else if (next.kind !== 'any') {
      waiting.push(...next.particles);
    }
  }
}

/** Whether all of the content may stand in any order: `xs:all`, also as the only particle. */
function isOpen(particle: Particle): boolean {
  let at: Particle | undefined = particle;
  while (at?.kind === 'sequence' && at.particles.length === 1) {
    at = at.particles[0];
  }
  return at?.kind === 'all';
}

function attributesOf({ attributes }: ComplexType): TypeShape {
  if (attributes.length === 0) return {};
  return {
    attributes: withoutPrototype(
      attributes.map(({ name, type, default: written, fixed }): [string, AttributeShape] => {
        const value = fixed ?? written;
        return [
          typeKey(name),
          value === null ? textShape(type) : { ...textShape(type), default: value },
        ];
      }),
    ),
  };
}

function textShape(type: SimpleType): TextShape {
  const { whiteSpace } = type.facets;
  return {
    builtIn: type.variety === 'union' ? 'string' : type.builtIn,
    ...(type.variety === 'list' ? { isList: true } : {}),
    ...(type.enumeration === null ? {} : { isEnumerated: true }),
    ...(whiteSpace === null || whiteSpace === 'preserve' ? {} : { whiteSpace }),
  };
}

/** An object without a prototype: names are those of a schema. */
export function withoutPrototype<Value>(
  entries: readonly (readonly [string, Value])[],
): Record<string, Value> {
  const made: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) {
    made[name] = value;
  }
  return made;
}
