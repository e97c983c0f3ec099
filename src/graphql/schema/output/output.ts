import {
  GraphQLBoolean,
  GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLUnionType,
  isUnionType,
} from 'graphql';
import { getOrMake, type Steps } from '../../../core/index.js';
import {
  type ComplexType,
  type SimpleType,
  typeKey,
  type XsdType,
  xsd,
} from '../../../wsdl/index.js';
import { anyOutput } from '../types/any-value.js';
import { basesAbove, isUnionBase, isWithoutFields, listNameOf } from '../types/base-types.js';
import { contentOf, hides, isMixedText, nestedItem, wrappedItem } from '../types/content.js';
import { costExtensions } from '../types/cost-rules.js';
import { dataSetOutput, isDataSet } from '../types/data-set.js';
import { type Leaf, type LeafTable, PRESENCE_SCALAR } from '../types/leaf.js';
import { refuseConversion } from '../types/mapping.js';
import {
  convertedAsItem,
  type ElementMember,
  isNonNullMember,
  type Member,
} from '../types/member.js';
import { openRule } from '../types/member-rules.js';
import type { MemberTable } from '../types/members.js';
import { contentModel } from '../types/mixed.js';
import { NameScope } from '../types/naming.js';
import { derivedFrom, type Reached } from '../types/reach.js';
import type { ElementShape, FieldShape, ObjectShape, ValueShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import { ChoiceTypes } from './choice-types.js';
import { GroupTypes } from './group-types.js';
import { GroupTable } from './groups.js';
import { elementShape, mappedField, valueTypeOf } from './member-field.js';
import { withNotFinite } from './not-finite.js';
import { LazyObjectShape } from './object-shape.js';
import {
  aboutOf,
  arrayWarning,
  attributeField,
  besideAny,
  lazily,
  listOf,
  MIXED_TEXT_FIELD,
  nestedList,
  type OutputField,
  type OutputFieldSources,
  type OutputValue,
  outputConfigs,
  PLACEHOLDER,
  PLACEHOLDER_FIELD,
  restField,
  textField,
  wholeField,
  withRule,
} from './output-field.js';

/** A sentence for types with a repeated choice. */
const ORDER_LOST =
  'A choice in it may be repeated: the order of its elements among each other is not shown.';

/**
 * The object and interface types of one service's replies, made when something first needs them.
 *
 * A type that others derive from is an interface under its XML name; if it may itself be sent, its
 * object type is `<Name>Base`. Derived types are objects under their XML names that implement it.
 */
export class OutputTypes {
  readonly #isEncoded: boolean;
  readonly #members: MemberTable;
  readonly #leaves: LeafTable;
  readonly #names: ServiceNames;
  readonly #reached: Reached;
  readonly #objects = new Map<
    ComplexType,
    { readonly type: GraphQLObjectType; readonly shape: LazyObjectShape }
  >();
  readonly #interfaces = new Map<ComplexType, GraphQLInterfaceType>();
  readonly #unions = new Map<ComplexType, GraphQLUnionType>();
  readonly #bases = new Map<GraphQLNamedType, ComplexType>();
  readonly #elements = new Map<ComplexType, ElementShape>();
  readonly #choices: ChoiceTypes;
  readonly #groups: GroupTable;
  readonly #groupTypes: GroupTypes;
  readonly #made: StructureType[] = [];

  /** `isEncoded`: types are named freely in messages. */
  constructor(
    members: MemberTable,
    leaves: LeafTable,
    names: ServiceNames,
    reached: Reached,
    isEncoded: boolean,
  ) {
    this.#isEncoded = isEncoded;
    this.#members = members;
    this.#leaves = leaves;
    this.#names = names;
    this.#reached = reached;
    const sources: OutputFieldSources = {
      names,
      members,
      field: (member, owner) => this.field(member, owner),
      add: (type) => this.#made.push(type),
    };
    this.#choices = new ChoiceTypes(sources);
    this.#groups = new GroupTable(members, names);
    this.#groupTypes = new GroupTypes(sources);
  }

  /**
   * Every type, with what it refers to and, after an interface, the types that implement it;
   * breadth first.
   */
  *complete(): Steps<readonly GraphQLNamedType[]> {
    for (const type of this.#members.isFull ? [] : this.#made) {
      if (isUnionType(type)) {
        type.getTypes();
      } else {
        type.getFields();
        type.getInterfaces();
      }
      yield;
      const base = this.#bases.get(type);
      if (base === undefined) continue;
      for (const each of [base, ...derivedFrom(base)]) {
        if (!each.abstract) {
          this.#object(each, '');
        }
      }
    }
    const made = [...this.#made];
    for (const { shape } of this.#members.isFull ? [] : this.#objects.values()) {
      shape.settle();
      yield;
    }
    return made;
  }

  field(member: Member, owner: string): OutputField {
    const made = this.#member(member, owner);
    const found = withNotFinite(made, member, valueTypeOf(member, this.#members));
    const { lift } = member;
    const field = lift === undefined ? found : { ...found, shape: { ...found.shape, lift } };
    return mappedField(field, member, this.#members, this.#names);
  }

  #member(member: Member, owner: string): OutputField {
    if (member.kind === 'element') return this.#element(member, owner);
    if (member.kind === 'text') {
      return textField(member, this.#leaf(member.type, `${owner}Value`, member));
    }
    const { name, type } = member.attribute;
    return attributeField(
      member,
      this.#leaf(type, `${owner}${this.#names.pascal(name.local)}`, member),
    );
  }

  #leaf(type: SimpleType, nameHint: string, member: Member): Leaf {
    return this.#leaves.mapped(type, nameHint, this.#names, member.mapping);
  }

  /**
   * The shape of an element of this type, with its GraphQL type; `nameHint` names a type without a
   * name.
   */
  structure(
    type: ComplexType,
    nameHint: string,
  ): { readonly type: StructureType; readonly shape: ElementShape } {
    const isInterface = this.#reached.interfaces.has(type);
    const graphqlType = isInterface
      ? this.#family(type, nameHint)
      : this.#object(type, nameHint).type;
    const shapeOf = (each: ComplexType): ObjectShape =>
      this.#object(each, each === type ? nameHint : '').shape;
    const shape = getOrMake(this.#elements, type, () => {
      const made = elementShape(type, isInterface, shapeOf);
      const declaredType = type.name === null ? '' : typeKey(type.name);
      return this.#isEncoded ? made : Object.assign(made, { declaredType });
    });
    return { type: graphqlType, shape };
  }

  /** The object types that an element of this type can be. */
  objects(type: ComplexType, nameHint: string): readonly GraphQLObjectType[] {
    const candidates = this.#reached.interfaces.has(type) ? [type, ...derivedFrom(type)] : [type];
    return candidates
      .filter((candidate) => !candidate.abstract)
      .map((each) => this.#object(each, nameHint).type);
  }

  #element(member: ElementMember, owner: string): OutputField {
    const { element } = member;
    const { local } = element.name;
    const item = member.many ? null : wrappedItem(element.type, this.#members);
    if (item !== null) {
      const shown = item.anyName ? null : item.element;
      const itemHint = this.#names.innerItem(owner, local, shown);
      const inner = this.#value(item.element.type, itemHint, convertedAsItem(member, item));
      const shape: FieldShape = {
        source: {
          from: 'wrapped list',
          name: element.name,
          item: item.anyName ? null : item.element.name,
          default: item.element.default ?? item.element.fixed,
        },
        list: true,
        nonNull: isNonNullMember(member, member.required && !element.nillable),
        itemNonNull: isNonNullMember(item, !item.element.nillable) && !standsForNull(inner.value),
        value: inner.value,
      };
      return { type: listOf(inner.type, shape.itemNonNull), shape, ...aboutOf(member) };
    }
    const { type, value } = this.#value(element.type, this.#names.inner(owner, local), member);
    const shape: FieldShape = {
      source: member.anyName
        ? { from: 'items' }
        : { from: 'child', name: element.name, default: element.default ?? element.fixed },
      list: member.many,
      nonNull: isNonNullMember(member, member.required && (member.many || !element.nillable)),
      itemNonNull: member.many && isNonNullMember(member, !element.nillable),
      value,
    };
    return {
      type: member.many ? listOf(type, shape.itemNonNull) : type,
      shape,
      ...aboutOf(member),
    };
  }

  #value(type: XsdType, nameHint: string, member: Member): OutputValue {
    const convert = member.mapping?.convert ?? null;
    const isMapped = member.mapping?.type != null || (convert !== null && type.kind === 'simple');
    const anyTypes = isMapped ? null : this.#members.anyTypesOf(type);
    if (anyTypes !== null) return anyOutput(anyTypes, this.#leaves);
    if (this.#members.anyTypes !== null && isDataSet(type)) {
      return dataSetOutput(this.#members.anyTypes, this.#leaves);
    }
    if (type.kind === 'simple' || isMixedText(type, this.#members)) {
      const leaf = this.#leaf(type.kind === 'simple' ? type : xsd.STRING, nameHint, member);
      return { type: leaf.type, value: { kind: 'scalar', scalar: leaf.scalar } };
    }
    const item = nestedItem(type, this.#members);
    if (convert !== null && item === null) {
      refuseConversion(convert, this.#names);
    }
    if (member.mapping?.type != null) {
      this.#names.refuse(
        [...member.mapping.path, 'type'],
        'Only a simple value can be another scalar.',
      );
    }
    if (item !== null) {
      return nestedList(
        this.#value(item.element.type, this.#names.inner(nameHint, 'item'), member),
      );
    }
    switch (contentOf(type, this.#members)) {
      case 'opaque':
        if (type.content.kind === 'array') {
          this.#names.warn(arrayWarning(type.name?.local ?? nameHint));
        }
        return { type: this.#leaves.xml, value: { kind: 'opaque' } };
      case 'empty':
        return { type: GraphQLBoolean, value: { kind: 'scalar', scalar: PRESENCE_SCALAR } };
      case 'structured': {
        const structure = this.structure(type, nameHint);
        return { type: structure.type, value: { kind: 'object', shape: structure.shape } };
      }
    }
  }

  /** An element of any name. */
  #anyElement(): OutputValue {
    const { anyTypes } = this.#members;
    if (anyTypes === null) return { type: this.#leaves.xml, value: { kind: 'opaque' } };
    return anyOutput(anyTypes, this.#leaves, true);
  }

  /** The type that stands for those that derive from this one. */
  #family(type: ComplexType, nameHint: string): GraphQLInterfaceType | GraphQLUnionType {
    return isUnionBase(type, this.#members)
      ? this.#union(type, nameHint)
      : this.#interface(type, nameHint);
  }

  #union(type: ComplexType, nameHint: string): GraphQLUnionType {
    const known = this.#unions.get(type);
    if (known !== undefined) return known;
    const made = new GraphQLUnionType({
      name: this.#names.of(type, nameHint),
      description: this.#description(type),
      types: () => this.objects(type, nameHint),
      extensions: this.#extensions(type),
    });
    this.#unions.set(type, made);
    this.#made.push(made);
    return made;
  }

  #interface(type: ComplexType, nameHint: string): GraphQLInterfaceType {
    const known = this.#interfaces.get(type);
    if (known !== undefined) return known;
    const name = this.#names.of(type, nameHint);
    const made = new GraphQLInterfaceType({
      name,
      description: this.#description(type),
      interfaces: () => this.#interfacesOf(type),
      fields: () => outputConfigs(this.#fields(type, name)),
      extensions: this.#extensions(type),
    });
    this.#interfaces.set(type, made);
    this.#bases.set(made, type);
    this.#made.push(made);
    return made;
  }

  #object(
    type: ComplexType,
    nameHint: string,
  ): { readonly type: GraphQLObjectType; readonly shape: ObjectShape } {
    const known = this.#objects.get(type);
    if (known !== undefined) return known;
    // The interface takes the XML name first, whichever of the two is needed first.
    const base = this.#reached.interfaces.has(type) ? this.#interface(type, nameHint) : null;
    const name =
      base === null
        ? this.#names.of(type, nameHint)
        : this.#names.take(`${base.name}Base`, null, type.name?.uri);
    const supertypes = () =>
      base === null ? this.#interfacesOf(type) : [base, ...this.#interfacesOf(type)];
    const fields = lazily(() => this.#fields(type, base?.name ?? name));
    const graphqlType = new GraphQLObjectType({
      name,
      description: this.#description(type),
      interfaces: supertypes,
      fields: () => outputConfigs(fields()),
      extensions: this.#extensions(type),
    });
    const weight = this.#names.mapping.of(type)?.cost ?? 1;
    const shape = new LazyObjectShape(name, weight, type, {
      fields,
      supertypes: () => [...supertypes(), ...this.#unionsOf(type)].map((each) => each.name),
    });
    const made = { type: graphqlType, shape };
    this.#objects.set(type, made);
    this.#made.push(graphqlType);
    return made;
  }

  /** Its own description, with the order that it does not show. */
  #description(type: ComplexType): string | null {
    const own = this.#names.descriptionOf(type);
    if (!this.#members.losesOrder(type)) return own;
    return own === null ? ORDER_LOST : `${own}\n\n${ORDER_LOST}`;
  }

  #extensions(type: ComplexType): ReturnType<typeof costExtensions> {
    return costExtensions(this.#names.mapping.of(type)?.cost ?? null);
  }

  /** The interfaces a type has through what it derives from, nearest first. */
  #interfacesOf(type: ComplexType): GraphQLInterfaceType[] {
    const { interfaces } = basesAbove(type, this.#reached, this.#members);
    return interfaces.map((base) => this.#interface(base, ''));
  }

  #unionsOf(type: ComplexType): readonly GraphQLUnionType[] {
    const { unions } = basesAbove(type, this.#reached, this.#members);
    return unions.map((base) => this.#union(base, ''));
  }

  #fields(type: ComplexType, owner: string): ReadonlyMap<string, OutputField> {
    const fields = new Map<string, OutputField>();
    // The mapping is refused: its fields are not waited for.
    if (this.#members.isFull) return fields.set(PLACEHOLDER, PLACEHOLDER_FIELD);
    const { all, present, unions, wildcard, rest, mixed } = this.#members.of(type);
    const model = contentModel(type, this.#members.anyTypes !== null);
    const bases = basesAbove(type, this.#reached, this.#members).interfaces;
    const wildcards = model === null ? [] : xsd.wildcardsIn(model);
    // The fields of interfaces stay as they are, whatever a restriction makes of them.
    const isBound = bases.length > 0 || this.#reached.interfaces.has(type);
    const choices = new Map(
      unions.flatMap((choice) => choice.branches.map(({ element }) => [element, choice])),
    );
    const groups = this.#groupTypes.fieldsOf(
      this.#groups.of(type)[isBound ? 'all' : 'present'],
      owner,
      wildcards,
    );
    for (const member of isBound ? all : present) {
      const own = member.kind === 'element' && member.lift === undefined ? member.element : null;
      const group = own === null ? undefined : groups.get(typeKey(own.name));
      if (group) {
        fields.set(group.name, group.field);
      }
      if (group !== undefined) continue;
      const choice = own === null ? undefined : choices.get(own);
      if (choice !== undefined) {
        const declarer = this.#names.plain(choice.declaredBy, owner);
        if (!fields.has(choice.name)) {
          fields.set(choice.name, this.#choices.field(choice, declarer));
        }
      } else if (!hides(member, this.#members)) {
        const field = besideAny(this.field(member, owner), member, wildcards);
        const listName = field.shape.list ? listNameOf(type, member, this.#members) : null;
        fields.set(
          member.name,
          listName === null ? field : { ...field, shape: { ...field.shape, listName } },
        );
      }
    }
    const rule = openRule(all, this.#members);
    if (rest !== null && (isBound || wildcard)) {
      fields.set(rest, withRule(restField(all, wildcards, this.#anyElement()), rule));
    }
    if (mixed !== null && (isBound || type.content.kind === 'opaque')) {
      fields.set(mixed.text, MIXED_TEXT_FIELD);
      fields.set(
        mixed.xml,
        withRule(wholeField(this.#leaves.xml, 'The whole element as XML.'), rule),
      );
    } else if (type.content.kind === 'opaque') {
      const scope = new NameScope([...all.map(({ name }) => name), ...fields.keys(), PLACEHOLDER]);
      fields.set(scope.take('xml', 'xmlElement'), withRule(wholeField(this.#leaves.xml), rule));
    }
    // GraphQL has no object without fields, and an object has the fields of its interfaces.
    if (
      (fields.size === 0 || bases.some((base) => isWithoutFields(base, this.#members))) &&
      !fields.has(PLACEHOLDER)
    ) {
      fields.set(PLACEHOLDER, PLACEHOLDER_FIELD);
    }
    return fields;
  }
}

/** The type of an element with structure. */
type StructureType = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

/** Whether a text stands for null. */
const standsForNull = (value: ValueShape): boolean =>
  value.kind === 'scalar' && value.scalar.nullText !== undefined;
