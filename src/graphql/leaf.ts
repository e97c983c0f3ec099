import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
} from 'graphql';
import { LexicalError, type Scalar } from '../codec/plan.js';
import { SCALAR_TYPES, scalarOf } from '../codec/scalars.js';
import type { SimpleType } from '../wsdl/model.js';
import { enumValueName, NameScope } from './naming.js';
import type { TypeNames } from './type-names.js';

/** A simple type in both worlds: its GraphQL type and its scalar on the wire. */
export interface Leaf {
  readonly type: GraphQLScalarType | GraphQLEnumType;
  readonly scalar: Scalar;
}

/** The scalars and enumerations of one schema. Remembers every answer. */
export class LeafTable {
  readonly #names: TypeNames;
  readonly #customs = new Map<string, GraphQLScalarType>();
  readonly #known = new Map<SimpleType, Leaf>();

  constructor(names: TypeNames) {
    this.#names = names;
  }

  /** `nameHint` names an enumeration that has no name of its own. */
  of(type: SimpleType, nameHint: string, service: string): Leaf {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    if (type.name?.uri === BY_HAND_URI && type.name.local === 'ID') return { type: GraphQLID, scalar: ID_SCALAR };
    const leaf = isEnumeration(type) ? this.#enumeration(type, nameHint, service) : this.#plain(scalarOf(type));
    this.#known.set(type, leaf);
    return leaf;
  }

  /** The type of content that is not modelled, as XML text. */
  get xml(): GraphQLScalarType {
    return this.#scalarType('XML');
  }

  #plain(scalar: Scalar): Leaf {
    return { type: this.#scalarType(scalar.name), scalar };
  }

  #scalarType(name: string): GraphQLScalarType {
    const builtIn = BUILT_INS.get(name) ?? this.#customs.get(name);
    if (builtIn !== undefined) return builtIn;
    const type = customScalar(name);
    this.#customs.set(name, type);
    return type;
  }

  #enumeration(type: SimpleType, nameHint: string, service: string): Leaf {
    const name = this.#names.take(type.name?.local ?? nameHint, service);
    const scope = new NameScope();
    const wireByName = new Map<string, string>();
    const nameByWire = new Map<string, string>();
    const values: Record<string, { description: string | null }> = {};
    for (const { value, documentation } of type.enumeration ?? []) {
      if (nameByWire.has(value)) continue;
      const wanted = enumValueName(value);
      const valueName = scope.take(wanted);
      wireByName.set(valueName, value);
      nameByWire.set(value, valueName);
      const wire = valueName === value ? null : `On the wire: ${JSON.stringify(value)}`;
      values[valueName] = { description: [documentation, wire].filter((part) => part !== null).join('\n\n') || null };
      if (valueName !== wanted) this.#names.notice(`Two values of ${name} become ${wanted}: one is ${valueName}.`);
    }
    const enumType = new GraphQLEnumType({ name, description: type.documentation, values });
    return { type: enumType, scalar: enumScalar(name, wireByName, nameByWire) };
  }
}

/** The namespace of types that were written by hand in SDL: their names in the schema are exactly those. */
export const BY_HAND_URI = 'urn:soapstone:by-hand';

/** An empty element: it is there, or not. Read as `true`; `true` writes it. */
export const PRESENCE: Scalar = {
  name: 'Boolean',
  decode: () => true,
  encode: (value) => {
    if (value !== true) throw new LexicalError('must be true or left out');
    return '';
  },
};

/** `ID` of GraphQL: text as it is on the wire; the type has made a string of a number already. */
const ID_SCALAR: Scalar = {
  name: 'ID',
  decode: (lexical) => lexical,
  encode: (value) => {
    if (typeof value !== 'string') throw new LexicalError('must be a string');
    return value;
  },
};

const BUILT_INS: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((type) => [type.name, type]),
);

const isEnumeration = (type: SimpleType): boolean =>
  type.variety === 'atomic' && type.enumeration !== null && type.enumeration.length > 0;

function enumScalar(
  name: string,
  wireByName: ReadonlyMap<string, string>,
  nameByWire: ReadonlyMap<string, string>,
): Scalar {
  return {
    name,
    decode: (lexical) => {
      const value = nameByWire.get(lexical) ?? nameByWire.get(lexical.trim().replace(/[ \t\r\n]+/g, ' '));
      if (value === undefined) throw new LexicalError('must be one of the enumerated values');
      return value;
    },
    encode: (value) => {
      const wire = typeof value === 'string' ? wireByName.get(value) : undefined;
      if (wire === undefined) throw new LexicalError('must be one of the enumerated values');
      return wire;
    },
  };
}

/** Passes plain values through: the encoder checks them against the type on the wire. */
function customScalar(name: string): GraphQLScalarType {
  const about = SCALAR_TYPES.get(name);
  return new GraphQLScalarType<unknown, unknown>({
    name,
    description: about?.description ?? null,
    specifiedByURL: about?.specifiedByUrl ?? null,
    serialize: (value) => value,
    parseValue: (value) => plainValue(value, name),
    parseLiteral: (node) => literalValue(node, name),
  });
}

function plainValue(value: unknown, name: string): string | number | boolean {
  if (typeof value === 'number') {
    // What JSON has already rounded must not look exact.
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw notA(name);
    return value;
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  throw notA(name);
}

/** The text of a literal: numbers keep every digit. */
function literalValue(node: ValueNode, name: string): string | boolean {
  if (node.kind === Kind.BOOLEAN) return node.value;
  if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT) return node.value;
  throw notA(name);
}

const notA = (name: string): GraphQLError => new GraphQLError(`Expected a value of type "${name}".`);
