import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { requestPlans, Scalar } from '../../../codec/index.js';
import { contractValue, contractValueOf } from '../../schema/types/contract-value.js';
import { choiceText } from './choice-rules.js';
import type { DescribedOperation } from './described-operation.js';
import { facetsOf, type JsonSchema, numberTypes, schemaOfScalar } from './facets.js';

/** The member of an object of the input, as it is written on the wire. */
interface WrittenMember {
  readonly scalar: Scalar | null;
  /** Null for a scalar. */
  readonly value: requestPlans.EncodeValue | null;
  readonly isNillable: boolean;
  readonly counts: { readonly min: number; readonly max: number } | null;
}

/**
 * A named type that a description refers to, and how it is written as an argument; null for one
 * that is not.
 */
export interface ReferredType {
  readonly type: GraphQLNamedType;
  readonly written: requestPlans.EncodeValue | null;
}

const NOTHING_WRITTEN: ReadonlyMap<string, WrittenMember> = new Map();

/**
 * Describes the arguments and answers of operations by JSON Schema: the types of GraphQL, with the
 * facets of the types on the wire. Named types are components, which are described once.
 */
export class SchemaDescriber {
  readonly #schema: GraphQLSchema;
  /** All that is taken is described, also null in place of nothing; else what is useful to know. */
  readonly #isExact: boolean;
  /** What references to named types begin with. */
  readonly #prefix: string;
  readonly #components = new Map<string, JsonSchema>();
  readonly #pending: ReferredType[] = [];
  readonly #referred = new Set<string>();

  constructor(schema: GraphQLSchema, prefix: string, { isExact }: { readonly isExact: boolean }) {
    this.#isExact = isExact;
    this.#schema = schema;
    this.#prefix = prefix;
  }

  /** The object of all arguments of an operation. */
  arguments({ field, bound }: DescribedOperation): JsonSchema {
    const { body } = bound.requestPlan;
    return {
      ...described(null, choiceText(body?.value ?? null)),
      ...this.#object(field.args, writtenArguments(bound)),
    };
  }

  /** The answer of an operation. Any of its members may be missing: callers choose them. */
  answer({ field }: DescribedOperation): JsonSchema {
    return this.#output(field.type);
  }

  /** The schemas of the arguments of an operation, by name. */
  argumentSchemas({ field, bound }: DescribedOperation): ReadonlyMap<string, JsonSchema> {
    const written = writtenArguments(bound);
    return new Map(
      field.args.map((each) => [each.name, this.#member(each, written.get(each.name) ?? null)]),
    );
  }

  /** The schemas of all named types that were referred to, by name. */
  components(): Readonly<Record<string, JsonSchema>> {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      this.#components.set(next.type.name, this.component(next));
    }
    return Object.fromEntries(
      [...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  /**
   * The named types that were referred to since the last call, for those who describe them one by
   * one.
   */
  takeReferred(): readonly ReferredType[] {
    return this.#pending.splice(0);
  }

  /** The schema of one named type. */
  component({ type, written }: ReferredType): JsonSchema {
    return this.#describe(type, written);
  }

  #refer(type: GraphQLNamedType, written: requestPlans.EncodeValue | null): JsonSchema {
    if (!this.#referred.has(type.name)) {
      this.#referred.add(type.name);
      this.#pending.push({ type, written });
    }
    return { $ref: `${this.#prefix}${type.name}` };
  }

  #describe(type: GraphQLNamedType, written: requestPlans.EncodeValue | null): JsonSchema {
    const about = type.description == null ? {} : { description: type.description };
    if (isEnumType(type)) {
      return { ...about, type: 'string', enum: type.getValues().map(contractValue) };
    }
    if (isInputObjectType(type)) {
      const about = described(type.description ?? null, choiceText(written));
      return { ...about, ...this.#inputObject(type, written) };
    }
    if (isObjectType(type)) {
      return { ...about, ...this.#outputObject(type.name, Object.values(type.getFields())) };
    }
    if (!isAbstractType(type)) return about;
    const possible = this.#schema.getPossibleTypes(type).map((each) => this.#refer(each, null));
    return { ...about, ...(possible.length === 0 ? { type: 'object' } : { anyOf: possible }) };
  }

  #inputObject(type: GraphQLInputObjectType, written: requestPlans.EncodeValue | null): JsonSchema {
    const object = this.#object(Object.values(type.getFields()), membersOf(written));
    return type.isOneOf ? { ...object, minProperties: 1, maxProperties: 1 } : object;
  }

  #object(inputs: readonly Input[], written: ReadonlyMap<string, WrittenMember>): JsonSchema {
    const required = inputs.filter(
      ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined,
    );
    return {
      type: 'object',
      properties: Object.fromEntries(
        inputs.map((each) => [each.name, this.#member(each, written.get(each.name) ?? null)]),
      ),
      ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
      additionalProperties: false,
    };
  }

  #member(
    { type, description, defaultValue, deprecationReason }: Input,
    written: WrittenMember | null,
  ): JsonSchema {
    const value = this.#input(type, written);
    const schema =
      written?.isNillable === true || (this.#isExact && !isNonNullType(type))
        ? orNull(value)
        : value;
    return {
      ...schema,
      ...(description == null ? {} : { description }),
      ...(isJson(defaultValue) ? { default: inContract(type, defaultValue) } : {}),
      ...(deprecationReason == null ? {} : { deprecated: true }),
    };
  }

  #input(type: GraphQLInputType, written: WrittenMember | null): JsonSchema {
    if (isNonNullType(type)) return this.#input(type.ofType, written);
    if (isListType(type)) {
      const items = this.#input(
        type.ofType,
        written === null ? null : { ...written, counts: null },
      );
      const { min = 0, max = Infinity } = written?.counts ?? {};
      const isNullable = this.#isExact && !isNonNullType(type.ofType);
      return {
        type: 'array',
        items: isNullable ? orNull(items) : items,
        ...(min > 0 && Number.isFinite(min) ? { minItems: min } : {}),
        ...(Number.isFinite(max) ? { maxItems: max } : {}),
      };
    }
    if (isInputObjectType(type) || isEnumType(type)) {
      return this.#refer(type, written?.value ?? null);
    }
    const characters = this.#isExact && type.name === 'String' ? { pattern: CHARACTERS } : {};
    return {
      ...characters,
      ...schemaOfScalar(type.name, true),
      ...(this.#isExact ? numberTypes(type.name) : {}),
      ...(written?.scalar == null ? {} : facetsOf(written.scalar)),
    };
  }

  #outputObject(name: string, fields: readonly GraphQLField<unknown, unknown>[]): JsonSchema {
    const properties = fields.map((field): [string, JsonSchema] => [
      field.name,
      {
        ...this.#output(field.type),
        ...(field.description == null ? {} : { description: field.description }),
        ...(field.deprecationReason == null ? {} : { deprecated: true }),
      },
    ]);
    return {
      type: 'object',
      properties: { __typename: { const: name }, ...Object.fromEntries(properties) },
    };
  }

  #output(type: GraphQLOutputType): JsonSchema {
    if (isNonNullType(type)) return this.#outputOf(type.ofType);
    return orNull(this.#outputOf(type));
  }

  #outputOf(type: GraphQLOutputType): JsonSchema {
    if (isNonNullType(type)) return this.#outputOf(type.ofType);
    if (isListType(type)) return { type: 'array', items: this.#output(type.ofType) };
    if (isObjectType(type) || isAbstractType(type) || isEnumType(type)) {
      return this.#refer(type, null);
    }
    return schemaOfScalar(type.name, false);
  }
}

/** The arguments of an operation, and how each is written. */
function writtenArguments({
  requestPlan: { body, headers },
  headersArgument,
}: DescribedOperation['bound']): ReadonlyMap<string, WrittenMember> {
  const written = new Map(membersOf(body?.value ?? null));
  if (headersArgument !== null) {
    const value: requestPlans.EncodeObject = {
      kind: 'object',
      attributes: [],
      text: null,
      children: headers,
      choices: [],
    };
    written.set(headersArgument, { scalar: null, value, isNillable: false, counts: null });
  }
  return written;
}

/** Those of XML 1.0. */
const CHARACTERS = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]*$';

/** An argument, or a member of an input object. */
type Input = Pick<
  ReturnType<GraphQLInputObjectType['getFields']>[string],
  'name' | 'type' | 'description' | 'defaultValue' | 'deprecationReason'
>;

/** A description of these parts that there are. */
const described = (...parts: readonly (string | null)[]): JsonSchema => {
  const text = parts.filter((part) => part !== null).join('\n\n');
  return text === '' ? {} : { description: text };
};

const inContract = (type: GraphQLInputType, value: unknown): unknown => {
  const named = getNamedType(type);
  return isEnumType(named) && typeof value === 'string' ? contractValueOf(named, value) : value;
};

const isJson = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

/** The schema, or null besides. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] };
  return '$ref' in schema || 'anyOf' in schema ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** The members of an object, and how each is written. */
function membersOf(value: requestPlans.EncodeValue | null): ReadonlyMap<string, WrittenMember> {
  if (value?.kind === 'variants') {
    return new Map([...value.members].map(([name, variant]) => [name, written(variant.value)]));
  }
  if (value?.kind === 'array') return membersOf(value.item);
  if (value?.kind !== 'object') return NOTHING_WRITTEN;
  const members = new Map<string, WrittenMember>();
  for (const { key, scalar } of value.attributes) {
    members.set(key, { ...PLAIN, scalar });
  }
  if (value.text !== null) {
    members.set(value.text.key, { ...PLAIN, scalar: value.text.scalar });
  }
  for (const child of value.children) {
    // Items of one list may stand in several places.
    if (members.has(child.key)) {
      members.set(child.key, { ...written(child.value), isNillable: child.nillable });
    } else {
      members.set(child.key, {
        ...written(child.value),
        isNillable: child.nillable && child.occurs === 'one',
        counts: child.occurs === 'many' ? (child.counts ?? null) : null,
      });
    }
  }
  if (value.variant !== undefined) {
    members.set(value.variant.key, written(value.variant.value));
  }
  return members;
}

const PLAIN: Omit<WrittenMember, 'scalar'> = { value: null, isNillable: false, counts: null };

const written = (value: requestPlans.EncodeValue): WrittenMember =>
  value.kind === 'scalar' ? { ...PLAIN, scalar: value.scalar } : { ...PLAIN, scalar: null, value };
