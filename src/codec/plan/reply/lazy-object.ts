import { getOrMake } from '../../../core/index.js';
import type { FieldSlot, ObjectPlan, ObjectVariant, Variants } from './reply-plan.js';

/** The types that an object's element can be of, from which its variants are made. */
interface VariantSources<T> {
  readonly variants: ReadonlyMap<string, T>;
  readonly declared: T | null;
  readonly declaredType?: string | undefined;
}

/**
 * A plan whose variants are made when they are first asked for. A type may have hundreds that
 * derive from it, of which a reply has a few: made beforehand, plans would grow with all of them at
 * each level.
 */
export class LazyObject<T extends object> implements ObjectPlan, Variants<ObjectVariant> {
  readonly kind = 'object';
  readonly #sources: VariantSources<T>;
  readonly #make: (source: T) => ObjectVariant;
  /** One source may stand for several types. */
  readonly #made = new Map<T, ObjectVariant>();

  constructor(sources: VariantSources<T>, make: (source: T) => ObjectVariant) {
    this.#sources = sources;
    this.#make = make;
  }

  get variants(): Variants<ObjectVariant> {
    return this;
  }

  get declared(): ObjectVariant | null {
    const { declared } = this.#sources;
    return declared === null ? null : this.#variant(declared);
  }

  get declaredType(): string | undefined {
    return this.#sources.declaredType;
  }

  get size(): number {
    return this.#sources.variants.size;
  }

  get(type: string): ObjectVariant | undefined {
    const source = this.#sources.variants.get(type);
    return source === undefined ? undefined : this.#variant(source);
  }

  keys(): Iterable<string> {
    return this.#sources.variants.keys();
  }

  values(): Iterable<ObjectVariant> {
    return [...this.#sources.variants.values()].map((source) => this.#variant(source));
  }

  #variant(source: T): ObjectVariant {
    return getOrMake(this.#made, source, () => this.#make(source));
  }
}

/** An object of one type, whatever xsi:type its element has. */
export const objectOf = (slots: readonly FieldSlot[]): ObjectPlan => ({
  kind: 'object',
  variants: new Map(),
  declared: { slots },
});
