import { GraphQLObjectType, GraphQLUnionType } from 'graphql';
import type { replyPlans } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import { type ChoiceMember, type ElementMember, isNonNullMember } from '../types/member.js';
import type { BranchShape, FieldShape, ObjectShape } from '../types/shape.js';
import {
  aboutOf,
  lazily,
  listOf,
  type OutputField,
  type OutputFieldSources,
  outputConfigs,
  withRule,
} from './output-field.js';

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
  readonly #sources: OutputFieldSources;
  readonly #unions = new Map<ChoiceMember, Union>();

  constructor(sources: OutputFieldSources) {
    this.#sources = sources;
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
    return getOrMake(this.#unions, choice, () => {
      const unionName = this.#sources.names.take(
        `${owner}${this.#sources.names.pascal(choice.name)}`,
      );
      const made = choice.branches.map((branch): Branch => {
        const name = this.#sources.names.take(`${owner}${this.#sources.names.pascal(branch.name)}`);
        const field = lazily(() => this.#branchField(branch, owner));
        const type = new GraphQLObjectType({
          name,
          fields: () => outputConfigs(new Map([[branch.name, field()]])),
        });
        this.#sources.add(type);
        const shape: ObjectShape = {
          typeName: name,
          conditions: new Set([name, unionName]),
          get fields() {
            return new Map([[branch.name, field().shape]]);
          },
        };
        return {
          type,
          shape: { name: branch.element.name, shape: { declared: shape, variants: new Map() } },
        };
      });
      const type = new GraphQLUnionType({
        name: unionName,
        types: made.map((branch) => branch.type),
      });
      this.#sources.add(type);
      return { type, branches: made.map(({ shape }) => shape) };
    });
  }

  /** The branch is read from its own element: a list in a wrapper stands right beneath it. */
  #branchField(branch: ElementMember, owner: string): OutputField {
    const { type, shape, ...about } = this.#sources.field(
      { ...branch, many: false, required: true },
      owner,
    );
    const { source } = shape;
    if (source.from !== 'wrapped list') {
      return { type, shape: { ...shape, source: { from: 'self' } }, ...about };
    }
    const items: replyPlans.SlotSource =
      source.item === null
        ? { from: 'items' }
        : { from: 'child', name: source.item, default: source.default };
    return { type, shape: { ...shape, source: items }, ...about };
  }
}
