import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type { ComplexType, XsdType } from '../wsdl/model.js';
import { typeKey } from '../wsdl/model.js';
import { type LeafTable, PRESENCE } from './leaf.js';
import type { ElementMember, Member, MemberTable } from './members.js';
import { pascalName } from './naming.js';
import { derivedFrom, type Reached } from './reach.js';
import type { ElementShape, FieldShape, ObjectShape, ValueShape } from './shape.js';
import type { TypeNames } from './type-names.js';

/** A field as the schema shows it and as a plan reads it. `type` is without its outer non-null. */
export interface OutputField {
  readonly type: GraphQLNullableType & GraphQLOutputType;
  readonly shape: FieldShape;
  readonly description: string | null;
}

interface OutputValue {
  readonly type: GraphQLNullableType & GraphQLOutputType;
  readonly value: ValueShape;
}

/**
 * The object and interface types of one service's replies, made when something first needs them.
 *
 * A type that others derive from is an interface under its XML name; if it may itself be sent, its object type is
 * `<Name>Base`. Derived types are objects under their XML names that implement it.
 */
export class OutputTypes {
  readonly #service: string;
  readonly #members: MemberTable;
  readonly #leaves: LeafTable;
  readonly #names: TypeNames;
  readonly #reached: Reached;
  readonly #objects = new Map<ComplexType, { readonly type: GraphQLObjectType; readonly shape: ObjectShape }>();
  readonly #interfaces = new Map<ComplexType, GraphQLInterfaceType>();
  readonly #elements = new Map<ComplexType, ElementShape>();

  constructor(service: string, members: MemberTable, leaves: LeafTable, names: TypeNames, reached: Reached) {
    this.#service = service;
    this.#members = members;
    this.#leaves = leaves;
    this.#names = names;
    this.#reached = reached;
  }

  /** Types that only an interface leads to: the schema must be told of them. */
  implementations(): readonly GraphQLNamedType[] {
    return [...this.#reached.interfaces].flatMap((base) =>
      [base, ...derivedFrom(base)].filter((type) => !type.abstract).map((type) => this.#object(type, '').type),
    );
  }

  field(member: Member, owner: string): OutputField {
    if (member.place === 'text') {
      const leaf = this.#leaves.of(member.type, `${owner}Value`, this.#service);
      const value: ValueShape = { kind: 'scalar', scalar: leaf.scalar };
      const shape: FieldShape = { source: { from: 'text' }, list: false, nonNull: true, itemNonNull: false, value };
      return { type: leaf.type, shape, description: null };
    }
    if (member.place === 'attribute') {
      const { attribute } = member;
      const hint = `${owner}${pascalName(attribute.name.local)}`;
      const leaf = this.#leaves.of(attribute.type, hint, this.#service);
      const ifAbsent = attribute.default ?? attribute.fixed;
      const shape: FieldShape = {
        source: { from: 'attribute', name: attribute.name, default: ifAbsent },
        list: false,
        nonNull: attribute.required || ifAbsent !== null,
        itemNonNull: false,
        value: { kind: 'scalar', scalar: leaf.scalar },
      };
      return { type: leaf.type, shape, description: attribute.documentation };
    }
    return this.#element(member, owner);
  }

  /** The shape of an element of this type, with its GraphQL type; `nameHint` names a type without a name. */
  structure(
    type: ComplexType,
    nameHint: string,
  ): { readonly type: GraphQLObjectType | GraphQLInterfaceType; readonly shape: ElementShape } {
    const isInterface = this.#reached.interfaces.has(type);
    const graphqlType = isInterface ? this.#interface(type, nameHint) : this.#object(type, nameHint).type;
    let shape = this.#elements.get(type);
    if (shape === undefined) {
      shape = this.#elementShape(type, nameHint, isInterface);
      this.#elements.set(type, shape);
    }
    return { type: graphqlType, shape };
  }

  #elementShape(type: ComplexType, nameHint: string, isInterface: boolean): ElementShape {
    if (!isInterface) return { declared: this.#object(type, nameHint).shape, variants: new Map() };
    const concrete = [type, ...derivedFrom(type)].filter((candidate) => !candidate.abstract);
    const variants = concrete.flatMap((candidate): [string, ObjectShape][] =>
      candidate.name === null ? [] : [[typeKey(candidate.name), this.#object(candidate, '').shape]],
    );
    return { declared: type.abstract ? null : this.#object(type, nameHint).shape, variants: new Map(variants) };
  }

  #element(member: ElementMember, owner: string): OutputField {
    const { element } = member;
    const hint = `${owner}${pascalName(element.name.local)}`;
    const description = element.documentation;
    const ifEmpty = element.default ?? element.fixed;
    const item = member.many ? null : wrappedItem(element.type, this.#members);
    if (item !== null) {
      const inner = this.#value(item.element.type, hint);
      const shape: FieldShape = {
        source: { from: 'wrapped list', name: element.name, item: item.element.name },
        list: true,
        nonNull: member.required && !element.nillable,
        itemNonNull: !item.element.nillable,
        value: inner.value,
      };
      return { type: listOf(inner.type, shape.itemNonNull), shape, description };
    }
    const { type, value } = this.#value(element.type, hint);
    const shape: FieldShape = {
      source: { from: 'child', name: element.name, default: ifEmpty },
      list: member.many,
      nonNull: member.required && (member.many || !element.nillable),
      itemNonNull: member.many && !element.nillable,
      value,
    };
    return { type: member.many ? listOf(type, shape.itemNonNull) : type, shape, description };
  }

  #value(type: XsdType, nameHint: string): OutputValue {
    if (type.kind === 'simple') {
      const leaf = this.#leaves.of(type, nameHint, this.#service);
      return { type: leaf.type, value: { kind: 'scalar', scalar: leaf.scalar } };
    }
    switch (contentOf(type, this.#members)) {
      case 'opaque':
        return { type: this.#leaves.xml, value: { kind: 'opaque' } };
      case 'empty':
        return { type: GraphQLBoolean, value: { kind: 'scalar', scalar: PRESENCE } };
      case 'structured': {
        const structure = this.structure(type, nameHint);
        return { type: structure.type, value: { kind: 'object', shape: structure.shape } };
      }
    }
  }

  #interface(type: ComplexType, nameHint: string): GraphQLInterfaceType {
    const known = this.#interfaces.get(type);
    if (known !== undefined) return known;
    const name = this.#names.take(type.name?.local ?? nameHint, this.#service);
    const made = new GraphQLInterfaceType({
      name,
      description: type.documentation,
      interfaces: () => this.#interfacesOf(type),
      fields: () => configs(this.#fields(type, name)),
    });
    this.#interfaces.set(type, made);
    return made;
  }

  #object(type: ComplexType, nameHint: string): { readonly type: GraphQLObjectType; readonly shape: ObjectShape } {
    const known = this.#objects.get(type);
    if (known !== undefined) return known;
    const isInterface = this.#reached.interfaces.has(type);
    // The interface takes the XML name first, whichever of the two is needed first.
    const base = isInterface ? this.#interface(type, nameHint) : null;
    const name = this.#names.take(base === null ? (type.name?.local ?? nameHint) : `${base.name}Base`, this.#service);
    const supertypes = () => (base === null ? this.#interfacesOf(type) : [base, ...this.#interfacesOf(type)]);
    const fields = lazily(() => this.#fields(type, base?.name ?? name));
    const graphqlType = new GraphQLObjectType({
      name,
      description: type.documentation,
      interfaces: supertypes,
      fields: () => configs(fields()),
    });
    const conditions = lazily(() => new Set([name, ...supertypes().map((supertype) => supertype.name)]));
    const shapes = lazily(() => new Map([...fields()].map(([field, { shape }]) => [field, shape])));
    const shape: ObjectShape = {
      typeName: name,
      get conditions() {
        return conditions();
      },
      get fields() {
        return shapes();
      },
    };
    const made = { type: graphqlType, shape };
    this.#objects.set(type, made);
    return made;
  }

  /** The interfaces a type has through what it derives from, nearest first. */
  #interfacesOf(type: ComplexType): GraphQLInterfaceType[] {
    const found: GraphQLInterfaceType[] = [];
    for (let base = type.base; base !== null; base = base.base) {
      if (this.#reached.interfaces.has(base)) found.push(this.#interface(base, ''));
    }
    return found;
  }

  #fields(type: ComplexType, owner: string): ReadonlyMap<string, OutputField> {
    const fields = new Map<string, OutputField>();
    for (const member of this.#members.of(type).all) fields.set(member.name, this.field(member, owner));
    // GraphQL has no object without fields, and an object has the fields of its interfaces.
    if (this.#needsPlaceholder(type) && !fields.has(PLACEHOLDER)) fields.set(PLACEHOLDER, PLACEHOLDER_FIELD);
    return fields;
  }

  #needsPlaceholder(type: ComplexType): boolean {
    if (this.#members.of(type).all.length === 0) return true;
    for (let base = type.base; base !== null; base = base.base) {
      if (this.#reached.interfaces.has(base) && this.#members.of(base).all.length === 0) return true;
    }
    return false;
  }
}

/** How the content of a complex type looks in GraphQL: as XML text, as nothing but presence, or as an object. */
export function contentOf(type: ComplexType, members: MemberTable): 'opaque' | 'empty' | 'structured' {
  if (type.content.kind === 'opaque') return 'opaque';
  const { all, wildcard } = members.of(type);
  if (all.length > 0 || type.derived.length > 0) return 'structured';
  return wildcard ? 'opaque' : 'empty';
}

/** The item of a type that is nothing but a list of it (`ArrayOfLine`), or null. */
export function wrappedItem(type: XsdType, members: MemberTable): ElementMember | null {
  if (type.kind === 'simple' || type.abstract || type.derived.length > 0 || type.content.kind !== 'elements')
    return null;
  const [only, ...others] = members.of(type).all;
  return others.length === 0 && only?.place === 'element' && only.many ? only : null;
}

const PLACEHOLDER = '_';

const PLACEHOLDER_FIELD: OutputField = {
  type: GraphQLBoolean,
  shape: {
    source: { from: 'attribute', name: { uri: 'urn:soapstone:placeholder', local: PLACEHOLDER }, default: null },
    list: false,
    nonNull: false,
    itemNonNull: false,
    value: { kind: 'scalar', scalar: PRESENCE },
  },
  description: 'Always null: the type has no content of its own, and GraphQL needs a field.',
};

const listOf = (type: GraphQLNullableType & GraphQLOutputType, itemNonNull: boolean): GraphQLList<GraphQLOutputType> =>
  new GraphQLList(itemNonNull ? new GraphQLNonNull(type) : type);

function configs(fields: ReadonlyMap<string, OutputField>): Record<string, GraphQLFieldConfig<unknown, unknown>> {
  return Object.fromEntries(
    [...fields].map(([name, { type, shape, description }]) => [
      name,
      { type: shape.nonNull ? new GraphQLNonNull(type) : type, description },
    ]),
  );
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
