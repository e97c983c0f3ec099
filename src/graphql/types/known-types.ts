import type { AnyMember, AnyType, AnyTypes } from '../../codec/plan/any-types.js';
import { scalarOf } from '../../codec/values/scalars.js';
import { isBuiltInNamespace } from '../../wsdl/documents/namespaces.js';
import { type ComplexType, type ElementDeclaration, typeKey, type XsdType } from '../../wsdl/model.js';
import { plainElement } from '../../wsdl/plain.js';
import { builtInType } from '../../wsdl/xsd/builtin.js';
import type { QName } from '../../xml/events.js';
import { isAnyType } from './any-type.js';
import { flatten } from './occurrence.js';
import { typeNameOf } from './wire-type.js';

/** The types of a WSDL as values of any type use them. Each is made when a value first names it. */
export class KnownTypes implements AnyTypes {
  readonly #types: readonly XsdType[];
  #byName: ReadonlyMap<string, XsdType> | null = null;
  readonly #made = new Map<XsdType, AnyType | null>();

  constructor(types: readonly XsdType[]) {
    this.#types = types;
  }

  named(name: QName): AnyType | null {
    this.#byName ??= new Map(this.#types.flatMap((type) => (type.name === null ? [] : [[typeKey(type.name), type]])));
    const known = this.#byName.get(typeKey(name)) ?? (isBuiltInNamespace(name.uri) ? builtInType(name) : null);
    return known === null ? null : this.#of(known);
  }

  #of(type: XsdType): AnyType | null {
    const known = this.#made.get(type);
    if (known !== undefined) return known;
    const made = this.#make(type);
    this.#made.set(type, made);
    return made;
  }

  /** Null where it may be of any type, and for what has no model. */
  #make(type: XsdType): AnyType | null {
    const { name } = type;
    if (isAnyType(type)) return null;
    if (type.kind === 'simple') return { kind: 'simple', name, scalar: scalarOf(type) };
    const { content } = type;
    if (content.kind === 'opaque') return null;
    if (content.kind === 'array') {
      if (content.dimensions > 1) return null;
      const item = this.#member(plainElement(ITEM, content.item, { nillable: true }), { required: false, many: true });
      return { kind: 'list', name, item, isEncodedArray: true };
    }
    return this.#structure(type);
  }

  #structure({ name, content, attributes }: ComplexType): AnyType | null {
    const flat = content.kind === 'elements' ? flatten(content.particle) : null;
    if (flat?.wildcard === true) return null;
    const elements = flat?.elements ?? [];
    const [only, ...others] = elements;
    if (only?.many === true && others.length === 0 && attributes.length === 0)
      return { kind: 'list', name, item: this.#member(only.element, only), isEncodedArray: false };
    return {
      kind: 'object',
      name,
      text: content.kind === 'text' ? scalarOf(content.type) : null,
      attributes: new Map(
        attributes.map((each) => [each.name.local, { name: each.name, scalar: scalarOf(each.type) }]),
      ),
      members: new Map(elements.map((each) => [each.element.name.local, this.#member(each.element, each)])),
    };
  }

  #member(
    { name, type, nillable }: ElementDeclaration,
    { required, many }: { readonly required: boolean; readonly many: boolean },
  ): AnyMember {
    return {
      name,
      isMany: many,
      isRequired: required,
      isNillable: nillable,
      typeName: typeNameOf(type),
      type: () => this.#of(type),
    };
  }
}

const ITEM: QName = { uri: '', local: 'item' };
