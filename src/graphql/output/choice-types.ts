import { GraphQLObjectType, GraphQLUnionType } from 'graphql';
import type { SlotSource } from '../../codec/plan/plan.js';
import { type ChoiceMember, type ElementMember, isNonNullMember } from '../types/member.js';
import type { BranchShape, FieldShape, ObjectShape } from '../types/shape.js';
import type { TypeNames } from '../types/type-names.js';
import { aboutOf, lazily, listOf, type OutputField, outputConfigs, withRule } from './output-field.js';

interface Union {
  readonly type: GraphQLUnionType;
  readonly branches: readonly BranchShape[];
}

interface Branch {
  readonly type: GraphQLObjectType;
  readonly shape: BranchShape;
}

/** The unions of one service's choices, where it asks for them. */
export class ChoiceTypes {
  readonly #service: string;
  readonly #names: TypeNames;
  readonly #field: (member: ElementMember, owner: string) => OutputField;
  readonly #made: (type: GraphQLObjectType | GraphQLUnionType) => void;
  readonly #unions = new Map<ChoiceMember, Union>();

  /** `field` shows one branch; `made` is called with every type. */
  constructor(
    service: string,
    names: TypeNames,
    field: (member: ElementMember, owner: string) => OutputField,
    made: (type: GraphQLObjectType | GraphQLUnionType) => void,
  ) {
    this.#service = service;
    this.#names = names;
    this.#field = field;
    this.#made = made;
  }

  /** A choice as one field: a union with a type for each branch, which holds that branch alone. */
  field(choice: ChoiceMember, owner: string): OutputField {
    const { type, branches } = this.#union(choice, owner);
    const nonNull = isNonNullMember(choice, choice.required);
    const shape: FieldShape = {
      source: { from: 'choice', branches: [] },
      list: choice.many,
      nonNull,
      itemNonNull: choice.many,
      value: { kind: 'choice', branches },
    };
    const field = { type: choice.many ? listOf(type, true) : type, shape, ...aboutOf(choice) };
    return withRule(field, choice.mapping?.rule ?? null);
  }

  #union(choice: ChoiceMember, owner: string): Union {
    const known = this.#unions.get(choice);
    if (known !== undefined) return known;
    const unionName = this.#names.take(`${owner}${this.#names.pascal(choice.name, this.#service)}`, this.#service);
    const made = choice.branches.map((branch): Branch => {
      const name = this.#names.take(`${owner}${this.#names.pascal(branch.name, this.#service)}`, this.#service);
      const field = lazily(() => this.#branchField(branch, owner));
      const type = new GraphQLObjectType({ name, fields: () => outputConfigs(new Map([[branch.name, field()]])) });
      this.#made(type);
      const shape: ObjectShape = {
        typeName: name,
        conditions: new Set([name, unionName]),
        get fields() {
          return new Map([[branch.name, field().shape]]);
        },
      };
      return { type, shape: { name: branch.element.name, shape: { declared: shape, variants: new Map() } } };
    });
    const type = new GraphQLUnionType({ name: unionName, types: made.map((branch) => branch.type) });
    this.#made(type);
    const union = { type, branches: made.map(({ shape }) => shape) };
    this.#unions.set(choice, union);
    return union;
  }

  /** The branch is read from its own element: a list in a wrapper stands right beneath it. */
  #branchField(branch: ElementMember, owner: string): OutputField {
    const { type, shape, ...about } = this.#field({ ...branch, many: false, required: true }, owner);
    const { source } = shape;
    if (source.from !== 'wrapped list') return { type, shape: { ...shape, source: { from: 'self' } }, ...about };
    const items: SlotSource =
      source.item === null ? { from: 'items' } : { from: 'child', name: source.item, default: source.default };
    return { type, shape: { ...shape, source: items }, ...about };
  }
}
