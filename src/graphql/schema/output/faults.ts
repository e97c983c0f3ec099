import {
  GraphQLBoolean,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
  getNullableType,
  isObjectType,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import {
  type ElementDeclaration,
  type FaultDeclaration,
  type Operation,
  typeKey,
  type XsdType,
} from '../../../wsdl/index.js';
import { type FieldRule, ruleExtensions } from '../rights/field-rule.js';
import { anyOutput } from '../types/any-value.js';
import { contentOf } from '../types/content.js';
import { descriptionOf } from '../types/description.js';
import type { LeafTable } from '../types/leaf.js';
import { everyRule, rulesWithin } from '../types/member-rules.js';
import type { MemberTable } from '../types/members.js';
import { plainShape, SINGLE } from '../types/plain-shape.js';
import type { FaultShape, FieldShape, ReplyRoot, ReplyShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import type { OutputTypes } from './output.js';
import { DONE, resultField } from './result-field.js';

/**
 * How callers meet the declared Faults of an operation: as errors with `extensions.soap`, or as
 * data, in a union with the answer. An undeclared Fault is always an error.
 */
export type FaultStyle = 'errors' | 'union';

/**
 * The answer of an operation: its type, without the outer non-null of what only wraps, and its
 * shape.
 */
export interface Answer {
  readonly type: GraphQLOutputType;
  readonly shape: ReplyShape;
}

interface FaultType {
  readonly shape: FaultShape;
  /** The object types that show the Fault in a union. */
  readonly types: readonly GraphQLObjectType[];
}

/** An object that is an answer or a Fault, or holds one. */
interface Wrapped {
  readonly type: GraphQLObjectType;
  readonly root: ReplyRoot;
}

/** The Faults that the operations of one service declare, each a type. */
export class FaultTypes {
  /** Types that were made here. */
  readonly made: GraphQLNamedType[] = [];
  readonly #members: MemberTable;
  readonly #leaves: LeafTable;
  readonly #names: ServiceNames;
  readonly #output: OutputTypes;
  /** Several operations declare the same element. */
  readonly #known = new Map<ElementDeclaration, FaultType>();
  /** The Faults that are declared by a type: each operation has an element of its own for it. */
  readonly #byType = new Map<XsdType, Map<string, FaultType>>();
  readonly #globals: ReadonlySet<ElementDeclaration>;
  /** Names of the unions that a type is in, by its name. */
  readonly #unions = new Map<string, Set<string>>();

  constructor(members: MemberTable, leaves: LeafTable, names: ServiceNames, output: OutputTypes) {
    this.#members = members;
    this.#globals = new Set(members.knownElements);
    this.#leaves = leaves;
    this.#names = names;
    this.#output = output;
  }

  /** The answer of an operation with the Faults it declares. */
  answer(operation: Operation, style: FaultStyle, { type, shape }: Answer): Answer {
    const faults = operation.faults.map((fault) => this.#fault(fault));
    const entries = faults.map((fault) => fault.shape);
    const rule = everyRule(this.#members);
    const common = { unions: this.#unions, ...(rule === null ? {} : { everyRule: rule }) };
    // A one-way operation has no Fault.
    if (faults.length === 0 || operation.output === null) {
      return { type, shape: { ...shape, ...common } };
    }
    if (style === 'errors') {
      return { type, shape: { ...shape, ...common, faults: { as: 'error', entries } } };
    }
    const payload = this.#payload(operation, type, shape);
    const types = [...new Set([payload.type, ...faults.flatMap((fault) => fault.types)])];
    const name = this.#names.takeFor(operation, 'Outcome');
    const description = `The answer of ${operation.name}, or a Fault that it declares.`;
    const union = new GraphQLUnionType({ name, description, types });
    for (const member of types) {
      getOrMake(this.#unions, member.name, () => new Set()).add(name);
    }
    this.made.push(union);
    const { element } = shape;
    return {
      type: union,
      shape: {
        element,
        root: payload.root,
        nonNull: false,
        ...common,
        faults: { as: 'data', entries },
      },
    };
  }

  /** The answer as a member of a union, which only objects can be. */
  #payload(operation: Operation, type: GraphQLOutputType, { root }: ReplyShape): Wrapped {
    const object = getNullableType(type);
    if (isObjectType(object)) return { type: object, root };
    const name = this.#names.takeFor(operation, 'Payload');
    const description = `The answer of ${operation.name}.`;
    const result = resultField(type, root);
    return this.#wrapped(name, description, result.type, result.field);
  }

  #fault({ name, element }: FaultDeclaration): FaultType {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    const { type } = element;
    const key = `${name} ${typeKey(element.name)}`;
    const same = getOrMake(this.#byType, type, () => new Map<string, FaultType>());
    // Each operation of the SOAP encoding declares an element of its own for one and the same part.
    const made = same.get(key) ?? this.#makeFault(name, element);
    this.#known.set(element, made);
    same.set(key, made);
    return made;
  }

  #makeFault(name: string, element: ElementDeclaration): FaultType {
    const names = new Set([element.name.local, name]);
    const of = (
      root: ReplyRoot,
      types: readonly GraphQLObjectType[],
      typed: ReplyRoot | null,
    ): FaultType => ({
      shape: { element: element.name, names, root, typed },
      types,
    });
    const { type } = element;
    const hint = this.#names.pascal(this.#nameOf(name, element));
    const content = type.kind === 'simple' ? 'simple' : contentOf(type, this.#members);
    if (type.kind === 'complex' && content === 'structured') {
      const root: ReplyRoot = { kind: 'whole', shape: this.#output.structure(type, hint).shape };
      return of(root, this.#output.objects(type, hint), root);
    }
    const typeName = this.#names.take(hint);
    const description = descriptionOf(element.documentation);
    if (type.kind === 'simple') {
      const leaf = this.#leaves.of(type, `${hint}Value`, this.#names);
      const field: FieldShape = {
        ...SINGLE,
        source: { from: 'text' },
        value: { kind: 'scalar', scalar: leaf.scalar },
      };
      const wrapped = this.#wrapped(typeName, description, leaf.type, field);
      return of(wrapped.root, [wrapped.type], { kind: 'unwrap', field });
    }
    const anyTypes = this.#members.anyTypesOf(type);
    if (anyTypes !== null) {
      const { type: shown, value } = anyOutput(anyTypes, this.#leaves);
      const wrapped = this.#wrapped(typeName, description, shown, {
        ...SINGLE,
        source: { from: 'self' },
        value,
      });
      return of(wrapped.root, [wrapped.type], null);
    }
    const isEmpty = content === 'empty';
    const wrapped = isEmpty
      ? this.#wrapped(typeName, description, GraphQLBoolean, DONE)
      : this.#wrapped(
          typeName,
          description,
          this.#leaves.xml,
          xmlField(rulesWithin([type], this.#members)),
        );
    return of(wrapped.root, [wrapped.type], null);
  }

  /** What a Fault is called: as its global element, or as the type of its part. */
  #nameOf(name: string, element: ElementDeclaration): string {
    const { knownElements } = this.#members;
    const isOfType =
      knownElements.length > 0 && !this.#globals.has(element) && element.type.kind === 'complex';
    if (isOfType && element.type.name !== null) return element.type.name.local;
    return isPart(element) ? name : element.name.local;
  }

  /** An object that exists in GraphQL only, with one field. */
  #wrapped(
    name: string,
    description: string | null,
    type: GraphQLOutputType,
    field: FieldShape,
  ): Wrapped {
    const made = new GraphQLObjectType({
      name,
      description,
      fields: { value: { type, extensions: ruleExtensions(field.rule ?? null) } },
    });
    this.made.push(made);
    return {
      type: made,
      root: { kind: 'whole', shape: plainShape(name, new Map([['value', field]])) },
    };
  }
}

/**
 * Whether it has the name of a part (`fault`), which is less specific than the qualified name of
 * the Fault.
 */
const isPart = ({ name }: ElementDeclaration): boolean => name.uri === '';

const xmlField = (rule: FieldRule | null): FieldShape => ({
  ...SINGLE,
  source: { from: 'self' },
  value: { kind: 'opaque' },
  ...(rule === null ? {} : { rule }),
});
