import type { requestPlans } from '../../../codec/index.js';
import type { ComplexType } from '../../../wsdl/index.js';
import { childOrder } from '../types/child-order.js';
import type { FieldShape, ObjectShape } from '../types/shape.js';
import type { OutputField } from './output-field.js';

/** Makes the parts of a shape that lead to other types. */
interface ShapeSources {
  readonly fields: () => ReadonlyMap<string, OutputField>;
  /** The names of the interfaces and unions that the object is of. */
  readonly supertypes: () => readonly string[];
}

type ChildPositions = requestPlans.ChildPositions;

/**
 * The shape of an object, whose parts are made at their first use. Until it is settled it holds
 * what makes them, which is all that its schema was made from.
 */
export class LazyObjectShape implements ObjectShape {
  readonly typeName: string;
  readonly weight: number;
  readonly #type: ComplexType;
  #sources: ShapeSources | null;
  #fields: ReadonlyMap<string, FieldShape> | null = null;
  #supertypes: readonly string[] = [];
  #conditions: ReadonlySet<string> | null = null;
  #order: { readonly value: ChildPositions | null } | null = null;

  constructor(typeName: string, weight: number, type: ComplexType, sources: ShapeSources) {
    this.typeName = typeName;
    this.weight = weight;
    this.#type = type;
    this.#sources = sources;
  }

  /** All types of the schema are made: what makes the parts is no longer held. */
  settle(): void {
    if (this.#sources === null) return;
    this.#fields = this.fields;
    this.#supertypes = this.#sources.supertypes();
    this.#sources = null;
  }

  get fields(): ReadonlyMap<string, FieldShape> {
    this.#fields ??= shapesOf(this.#sources?.fields() ?? new Map());
    return this.#fields;
  }

  get conditions(): ReadonlySet<string> {
    this.#conditions ??= new Set([
      this.typeName,
      ...(this.#sources?.supertypes() ?? this.#supertypes),
    ]);
    return this.#conditions;
  }

  get order(): ChildPositions | null {
    this.#order ??= { value: childOrder(this.#type) };
    return this.#order.value;
  }
}

const shapesOf = (fields: ReadonlyMap<string, OutputField>): ReadonlyMap<string, FieldShape> =>
  new Map([...fields].map(([name, { shape }]) => [name, shape]));
