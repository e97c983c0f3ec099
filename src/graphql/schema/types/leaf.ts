import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLEnumValueConfig,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
  getNullableType,
  isListType,
  Kind,
  type ValueNode,
} from 'graphql';
import { conversions, type Scalar, scalars } from '../../../codec/index.js';
import { byteBuffers, getOrMake } from '../../../core/index.js';
import type { SimpleType, xsd } from '../../../wsdl/index.js';
import { AnyValueTypes } from './any-value.js';
import { contractExtensions } from './contract-value.js';
import { DataSetTypes } from './data-set.js';
import { deprecationIn, descriptionOf } from './description.js';
import type { FieldConversion, FieldMapping } from './mapping.js';
import { enumValueName, NameScope } from './naming.js';
import { retyped, retypesOf } from './retype.js';
import type { ServiceNames } from './type-names.js';
import { SDL_URI } from './xsd-type.js';

type LeafType = GraphQLScalarType | GraphQLEnumType;

/** A simple type in both worlds: its GraphQL type and its scalar on the wire. */
export interface Leaf {
  readonly type: LeafType | GraphQLList<LeafType | GraphQLNonNull<LeafType>>;
  readonly scalar: Scalar;
}

/**
 * Enumerations with more values are strings: every client that asks for the schema would load them.
 */
const ENUM_VALUES_MAX = 5000;

/** The scalars and enumerations of one schema. Remembers every answer. */
export class LeafTable {
  readonly #enums: GraphQLEnumType[] = [];
  readonly #customs = new Map<string, GraphQLScalarType>();
  #anyValue: AnyValueTypes | null = null;
  #dataSets: DataSetTypes | null = null;
  readonly #known = new Map<SimpleType, Leaf>();
  readonly #others = new Map<SimpleType, Map<string, Leaf | null>>();
  readonly #converted = new Map<FieldConversion, Map<SimpleType, Leaf>>();
  readonly #convertedEnums = new Map<FieldConversion, GraphQLEnumType>();

  /** Every type that GraphQL does not have by itself: enumerations, then scalars. */
  get made(): readonly GraphQLNamedType[] {
    return [
      ...this.#enums,
      ...this.#customs.values(),
      ...(this.#anyValue?.all ?? []),
      ...(this.#dataSets?.all ?? []),
    ];
  }

  /** `nameHint` names an enumeration that has no name of its own. */
  of(type: SimpleType, nameHint: string, names: ServiceNames): Leaf {
    return getOrMake(this.#known, type, () => {
      if (type.name?.uri === SDL_URI && type.name.local === 'ID') {
        return { type: GraphQLID, scalar: ID_SCALAR };
      }
      const leaf = this.#make(type, nameHint, names);
      for (const facet of scalars.unsupportedFacets(type)) {
        const what =
          `a facet of ${type.name?.local ?? nameHint} is left to the ` +
          `backend to check: ${facet}.`;
        names.warn(what);
      }
      if (leaf.type === GraphQLString && scalars.prescribesForm(type)) {
        const name = type.name?.local ?? nameHint;
        names.warn(`the pattern of ${name} prescribes how numbers are written; they are texts.`);
      }
      return leaf;
    });
  }

  /**
   * Returns the leaf of a type, or the one that the mapping of a field asks for. `convert`: that of
   * an argument, which goes before that of the field.
   */
  mapped(
    type: SimpleType,
    nameHint: string,
    names: ServiceNames,
    mapping: FieldMapping | null,
    convert: FieldConversion | null = mapping?.convert ?? null,
  ): Leaf {
    if (convert !== null) return this.#convertedOf(type, nameHint, names, convert);
    if (mapping?.type == null) return this.of(type, nameHint, names);
    const own = this.of(type, nameHint, names);
    if (own.scalar.name === mapping.type) return own;
    const leaf = this.as(type, mapping.type);
    if (leaf !== null) return leaf;
    const others = retypesOf(type).join(', ');
    const remedy = others === '' ? 'Remove it.' : `It can be ${others}.`;
    const what =
      `Values of type ${scalars.scalarOf(type).name} would not survive as ` + `${mapping.type}.`;
    names.refuse([...mapping.path, 'type'], what, remedy);
    return own;
  }

  /** Shows a type as another scalar (`ID`); null where not every value would survive that. */
  as(type: SimpleType, target: string): Leaf | null {
    const known = getOrMake(this.#others, type, () => new Map<string, Leaf | null>());
    return getOrMake(known, target, () => {
      const itemType = type.variety === 'list' ? type.item : null;
      const scalar = retyped(itemType ?? type, target);
      let leaf: Leaf | null = scalar === null ? null : this.#plain(scalar);
      if (leaf !== null && itemType !== null) {
        leaf = listOf(leaf, type);
      }
      return leaf;
    });
  }

  /** The types of values of any type. */
  get anyValue(): AnyValueTypes {
    this.#anyValue ??= new AnyValueTypes(this.#scalarType('QName'), this.xml);
    return this.#anyValue;
  }

  /** The types of data sets of .NET. */
  get dataSets(): DataSetTypes {
    this.#dataSets ??= new DataSetTypes(this.anyValue.json, this.xml);
    return this.#dataSets;
  }

  /** The type of content that is not modelled, as XML text. */
  get xml(): GraphQLScalarType {
    return this.#scalarType('XML');
  }

  #convertedOf(
    type: SimpleType,
    nameHint: string,
    names: ServiceNames,
    convert: FieldConversion,
  ): Leaf {
    const known = getOrMake(this.#converted, convert, () => new Map<SimpleType, Leaf>());
    return getOrMake(known, type, () => {
      const { conversion } = convert;
      const plain = scalars.scalarOf(type);
      if (plain.binary !== undefined || plain.isReference === true || plain.name === 'QName') {
        names.refuse(
          convert.path,
          `Values of type ${plain.name} cannot be converted.`,
          'Remove it.',
        );
        return this.of(type, nameHint, names);
      }
      const { target } = conversion;
      const own = target === null ? this.of(type, nameHint, names) : null;
      const enumType =
        target?.kind === 'enum'
          ? this.#convertedEnum(target.texts, nameHint, names, convert)
          : null;
      const scalar = conversions.convertedScalar(
        type,
        own?.scalar ?? plain,
        conversion,
        enumType?.name ?? '',
      );
      if (own !== null) return { type: ofItems(own.type, conversion), scalar };
      const leafType = enumType ?? this.#scalarType(scalar.name);
      return { type: scalar.item === undefined ? leafType : new GraphQLList(leafType), scalar };
    });
  }

  #convertedEnum(
    texts: ReadonlyMap<string, string>,
    nameHint: string,
    names: ServiceNames,
    convert: FieldConversion,
  ): GraphQLEnumType {
    return getOrMake(this.#convertedEnums, convert, () => {
      const values = [...texts].map(([name, text]): [string, { description: string }] => [
        name,
        { description: `On the wire: ${JSON.stringify(text)}` },
      ]);
      const name = names.take(convert.enumName ?? nameHint);
      const made = new GraphQLEnumType({ name, values: Object.fromEntries(values) });
      this.#enums.push(made);
      return made;
    });
  }

  #make(type: SimpleType, nameHint: string, names: ServiceNames): Leaf {
    if (type.variety === 'list' && type.item !== null) {
      return listOf(this.of(type.item, nameHint, names), type);
    }
    const values = valuesOf(type);
    if (values === null) return this.#plain(scalars.wholeNumberOf(type));
    if (values.length <= ENUM_VALUES_MAX) return this.#enumeration(type, values, nameHint, names);
    const name = type.name?.local ?? nameHint;
    names.warn(`${name} has too many values for an enumeration, it is a plain scalar.`);
    return this.#plain(scalars.wholeNumberOf(type));
  }

  #plain(scalar: Scalar): LeafOfOne {
    return { type: this.#scalarType(scalar.name), scalar };
  }

  #scalarType(name: string): GraphQLScalarType {
    const builtIn = BUILT_INS.get(name) ?? this.#customs.get(name);
    if (builtIn !== undefined) return builtIn;
    const type = customScalar(name);
    this.#customs.set(name, type);
    return type;
  }

  #enumeration(
    type: SimpleType,
    values: readonly xsd.EnumerationValue[],
    nameHint: string,
    names: ServiceNames,
  ): Leaf {
    const name = names.of(type, nameHint);
    const scope = new NameScope();
    const nameByWire = new Map<string, string>();
    // Names that can be kept are kept, whatever else would become that name.
    for (const isExact of [true, false]) {
      for (const { value } of values) {
        const wanted = enumValueName(value);
        if ((wanted === value) !== isExact || nameByWire.has(value)) continue;
        const valueName = scope.take(wanted);
        nameByWire.set(value, valueName);
        if (valueName === wanted) continue;
        names.warn(`two values of ${name} become ${wanted}, one is ${valueName}.`);
      }
    }
    const configs: Record<string, GraphQLEnumValueConfig> = {};
    for (const { value, documentation } of values) {
      const valueName = nameByWire.get(value) ?? '';
      const wire = valueName === value ? null : `On the wire: ${JSON.stringify(value)}`;
      const parts = [descriptionOf(documentation), wire].filter((part) => part !== null);
      configs[valueName] ??= {
        description: parts.join('\n\n') || null,
        deprecationReason: deprecationIn(documentation),
        extensions: contractExtensions(valueName, value),
      };
    }
    const description = names.descriptionOf(type);
    const enumType = new GraphQLEnumType({ name, description, values: configs });
    this.#enums.push(enumType);
    return { type: enumType, scalar: enumScalar(name, nameByWire, type) };
  }
}

interface LeafOfOne extends Leaf {
  readonly type: LeafType;
}

/** The type of a list whose items may be null where texts stand for it; else the type itself. */
const ofItems = (type: Leaf['type'], { nulls }: conversions.Conversion): Leaf['type'] =>
  isListType(type) && nulls.length > 0 ? new GraphQLList(getNullableType(type.ofType)) : type;

/** A list of this leaf; of a list of lists, which cannot be, the same list. */
function listOf(item: Leaf, type: SimpleType): Leaf {
  if (isListType(item.type)) return item;
  return {
    type: new GraphQLList(new GraphQLNonNull(item.type)),
    scalar: scalars.listScalarOf(type, item.scalar),
  };
}

/** An empty element: it is there, or not. Read as `true`; `true` writes it. */
export const PRESENCE_SCALAR: Scalar = {
  name: 'Boolean',
  decode: () => true,
  encode: (value) => {
    if (value !== true) throw new scalars.LexicalError('must be true or left out');
    return '';
  },
};

/** An element whose value is fixed by the schema: it is there, or not. */
export const fixedScalar = (fixed: string): Scalar => ({
  ...PRESENCE_SCALAR,
  encode: (value) => {
    PRESENCE_SCALAR.encode(value);
    return fixed;
  },
});

/** `ID` of GraphQL: text as it is on the wire; the type has made a string of a number already. */
const ID_SCALAR: Scalar = {
  name: 'ID',
  decode: (lexical) => lexical,
  encode: (value) => {
    if (typeof value !== 'string') throw new scalars.LexicalError('must be a string');
    return value;
  },
};

const BUILT_INS: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((type) => [
    type.name,
    type,
  ]),
);

/**
 * The values of an enumeration: its own, or those of a union's members if all are enumerations.
 * Null if it is open.
 */
function valuesOf(type: SimpleType): readonly xsd.EnumerationValue[] | null {
  if (UNNAMED.has(type.builtIn) || (type.variety === 'list' && type.item !== null)) return null;
  if (type.enumeration !== null) return type.enumeration.length === 0 ? null : type.enumeration;
  if (type.variety !== 'union' || type.members.length === 0) return null;
  const values = new Map<string, xsd.EnumerationValue>();
  for (const member of type.members) {
    if (member.variety !== 'atomic' || member.enumeration === null || UNNAMED.has(member.builtIn)) {
      return null;
    }
    for (const value of member.enumeration) {
      if (!values.has(value.value)) {
        values.set(value.value, value);
      }
    }
  }
  return [...values.values()];
}

/**
 * Types whose enumerations are no lists of names: a QName means what its prefix means where it is
 * used.
 */
const UNNAMED: ReadonlySet<string> = new Set(['boolean', 'QName', 'NOTATION']);

function enumScalar(
  name: string,
  nameByWire: ReadonlyMap<string, string>,
  type: SimpleType,
): Scalar {
  const wireByName = new Map([...nameByWire].map(([wire, valueName]) => [valueName, wire]));
  // Values are the same however they are written: 1, 01, +1; 2024-01-02Z, 2024-01-02+00:00.
  const spaces = (type.variety === 'union' ? type.members : [type]).map(
    ({ builtIn, enumeration }) => {
      const space = scalars.valueSpaceOf(builtIn);
      const own = (enumeration ?? [])
        .map(({ value }) => value)
        .filter((wire) => space.rule(wire) === null);
      return { space, names: new Map(own.map((wire) => [space.key(wire), nameByWire.get(wire)])) };
    },
  );
  return {
    name,
    wire: scalars.scalarOf(type),
    decode: (lexical) => {
      const text = nameByWire.has(lexical) ? lexical : scalars.treatWhiteSpace(lexical, 'collapse');
      let value = nameByWire.get(text);
      for (const { space, names } of spaces) {
        if (value !== undefined) break;
        if (space.rule(text) === null) {
          value = names.get(space.key(text));
        }
      }
      if (value === undefined)
        throw new scalars.LexicalError('must be one of the enumerated values');
      return value;
    },
    encode: (value) => {
      const wire = typeof value === 'string' ? wireByName.get(value) : undefined;
      if (wire === undefined)
        throw new scalars.LexicalError('must be one of the enumerated values');
      return wire;
    },
  };
}

/** Passes values through: the encoder checks them against the type on the wire. */
function customScalar(name: string): GraphQLScalarType {
  const about = scalars.SCALAR_TYPES.get(name);
  return new GraphQLScalarType<unknown, unknown>({
    name,
    description: about?.description ?? null,
    specifiedByURL: about?.specifiedByUrl ?? null,
    serialize: (value) => value,
    parseValue: (value) =>
      name === 'Base64' && value instanceof byteBuffers.FileContent
        ? value
        : plainValue(value, name),
    parseLiteral: (node) => literalValue(node, name),
  });
}

function plainValue(value: unknown, name: string): string | number | boolean {
  if (typeof value === 'number') {
    // Numbers that JSON has already rounded must not look exact.
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      throw notA(name);
    }
    return value;
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  throw notA(name);
}

/** The text of a literal: numbers keep every digit. */
function literalValue(node: ValueNode, name: string): string | boolean {
  if (node.kind === Kind.BOOLEAN) return node.value;
  if (node.kind === Kind.STRING || node.kind === Kind.INT) return node.value;
  if (node.kind === Kind.FLOAT) {
    return name === 'Decimal' ? scalars.withoutExponent(node.value) : node.value;
  }
  throw notA(name, node);
}

const notA = (name: string, node?: ValueNode): GraphQLError =>
  new GraphQLError(
    `Expected a value of type "${name}".`,
    node === undefined ? {} : { nodes: node },
  );
