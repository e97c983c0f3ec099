import { GraphQLObjectType } from 'graphql';
import { typeKey, type Wildcard } from '../../../wsdl/index.js';
import { hides } from '../types/content.js';
import type { FieldShape, ObjectShape } from '../types/shape.js';
import type { GroupMember } from './groups.js';
import {
  aboutOf,
  lazily,
  listOf,
  type OutputField,
  type OutputFieldSources,
  outputConfigs,
  withRule,
} from './output-field.js';

interface Made {
  readonly type: GraphQLObjectType;
  readonly shape: ObjectShape;
}

export type GroupFields = ReadonlyMap<
  string,
  { readonly name: string; readonly field: OutputField } | null
>;

/** The object types of one service's repeated groups: one object for each repetition. */
export class GroupTypes {
  readonly #sources: OutputFieldSources;
  readonly #made = new Map<GroupMember, Made>();

  constructor(sources: OutputFieldSources) {
    this.#sources = sources;
  }

  /** Maps the `typeKey` of each element in these groups to the field that shows it, or to null. */
  fieldsOf(
    groups: readonly GroupMember[],
    owner: string,
    wildcards: readonly Wildcard[],
  ): GroupFields {
    return new Map(
      groups.flatMap((group) => {
        const shown = this.#isShown(group)
          ? { name: group.name, field: this.#field(group, owner, wildcards) }
          : null;
        return group.group.names.map((name) => [typeKey(name), shown] as const);
      }),
    );
  }

  /** Whether anything of it is shown. */
  #isShown({ parts, mapping }: GroupMember): boolean {
    if (mapping?.hidden === true) return false;
    return parts.some((part) =>
      part.kind === 'group' ? this.#isShown(part) : !hides(part, this.#sources.members),
    );
  }

  /** The list of its repetitions. */
  #field(member: GroupMember, owner: string, wildcards: readonly Wildcard[] = []): OutputField {
    const { type, shape: declared } = this.#of(
      member,
      this.#sources.names.plain(member.declaredBy, owner),
    );
    const { mapping } = member;
    const nonNull = mapping?.nullable == null ? member.required : !mapping.nullable;
    const weight = mapping?.cost?.weight ?? null;
    const listName = listNameOf(member, member.name);
    const shape: FieldShape = {
      source: {
        from: 'group',
        group: member.group,
        ...(wildcards.length === 0 ? {} : { wildcards: wildcards }),
      },
      list: true,
      nonNull,
      itemNonNull: true,
      value: { kind: 'object', shape: { declared, variants: new Map() } },
      ...(listName === null ? {} : { listName }),
      ...(weight === null ? {} : { weight }),
    };
    return withRule({ type: listOf(type, true), shape, ...aboutOf(member) }, mapping?.rule ?? null);
  }

  #of(member: GroupMember, owner: string): Made {
    const known = this.#made.get(member);
    if (known !== undefined) return known;
    const suffix = member.name === 'items' ? 'Item' : this.#sources.names.pascal(member.name);
    const name = this.#sources.names.take(`${this.#sources.names.pascal(owner)}${suffix}`);
    const fields = lazily(() => this.#fields(member, owner));
    const type = new GraphQLObjectType({ name, fields: () => outputConfigs(fields()) });
    const shape: ObjectShape = {
      typeName: name,
      conditions: new Set([name]),
      get fields() {
        return new Map([...fields()].map(([key, field]) => [key, field.shape]));
      },
    };
    const made = { type, shape };
    this.#made.set(member, made);
    this.#sources.add(type);
    return made;
  }

  #fields(group: GroupMember, owner: string): ReadonlyMap<string, OutputField> {
    const fields = new Map<string, OutputField>();
    for (const part of group.parts) {
      if (part.kind === 'group') {
        if (this.#isShown(part)) {
          fields.set(part.name, this.#field(part, owner));
        }
      } else if (!hides(part, this.#sources.members)) {
        const field = this.#sources.field(part, owner);
        const listName = field.shape.list ? listNameOf(group, part.element.name.local) : null;
        fields.set(
          part.name,
          listName === null ? field : { ...field, shape: { ...field.shape, listName } },
        );
      }
    }
    return fields;
  }
}

const listNameOf = ({ declaredBy: { name } }: GroupMember, list: string): string | null =>
  name === null ? null : `${name.local}/${list}`;
