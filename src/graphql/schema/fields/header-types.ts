import { GraphQLInputObjectType } from 'graphql';
import { collections } from '../../../core/index.js';
import { type ElementDeclaration, type Operation, typeKey } from '../../../wsdl/index.js';
import { inputConfigs } from '../input/input-field.js';
import type { InputField } from '../input/shown-input.js';
import type { ServiceNames } from '../types/type-names.js';

/**
 * The input types for the header blocks of one service. Operations that take the same blocks share
 * one.
 */
export class HeaderTypes {
  readonly #names: ServiceNames;
  /** The operations that take the same blocks. */
  readonly #takers = new Map<string, Operation[]>();
  /** The beginnings of names that are made of blocks, for those that several operations take. */
  readonly #stems = new Map<string, string>();
  /** Blocks for which there is a type named after them. */
  readonly #named = new Set<string>();
  readonly #known = new Map<string, GraphQLInputObjectType>();

  /** `operations` are all of the services that share the types, offered or not. */
  constructor(names: ServiceNames, operations: readonly Operation[]) {
    this.#names = names;
    for (const operation of operations) {
      const blocks = keyOf(blocksOf(operation));
      collections.addToGroup(this.#takers, blocks, operation);
    }
    const used = new Set<string>();
    for (const [blocks, [first, second]] of this.#takers) {
      if (first === undefined || second === undefined) continue;
      const stem = this.#stemOf(first, used);
      used.add(stem);
      this.#stems.set(blocks, stem);
    }
  }

  /** The type with these fields; `made` is called when it is a new one. */
  of(
    operation: Operation,
    fields: ReadonlyMap<string, InputField>,
    made: (type: GraphQLInputObjectType) => void,
  ): GraphQLInputObjectType {
    const blocks = blocksOf(operation);
    const sameBlocks = keyOf(blocks);
    const [, second] = this.#takers.get(sameBlocks) ?? [];
    const key = [...fields]
      .map(([name, { type, description }]) => `${name}: ${type} ${description}`)
      .join('\n');
    const known = second === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const isNamedAfterBlocks = second !== undefined && !this.#named.has(sameBlocks);
    const own = this.#names.ofOperation(operation);
    const stem = isNamedAfterBlocks ? (this.#stems.get(sameBlocks) ?? own) : own;
    const owner = isNamedAfterBlocks ? (blocks[0] ?? operation) : operation;
    const name = this.#names.take(`${stem}HeadersInput`, owner);
    const type = new GraphQLInputObjectType({ name, fields: inputConfigs(fields) });
    this.#named.add(sameBlocks);
    this.#known.set(key, type);
    made(type);
    return type;
  }

  /**
   * The blocks name their type, `SessionHeader` as `Session`: as many of them as make no long name,
   * or more where another type has that name.
   */
  #stemOf(first: Operation, used: ReadonlySet<string>): string {
    const words = first.input.headers.map(({ element }) =>
      this.#names.pascal(element.name.local).replace(/Headers?$/, ''),
    );
    for (let count = 1; count <= words.length; count++) {
      const stem = words.slice(0, count).join('');
      const next = words[count];
      const isLong =
        next === undefined || count >= BLOCKS_MAX || stem.length + next.length > STEM_CHARS;
      if (isLong && !used.has(stem)) return stem;
    }
    return this.#names.ofOperation(first);
  }
}

const BLOCKS_MAX = 3;
/** With `HeadersInput` names have about forty letters. */
const STEM_CHARS = 28;

/** The header blocks of an operation by their names, whatever their order. */
const blocksOf = ({ input }: Operation): readonly ElementDeclaration[] =>
  input.headers
    .map(({ element }) => element)
    .toSorted((a, b) => (typeKey(a.name) < typeKey(b.name) ? -1 : 1));

const keyOf = (blocks: readonly ElementDeclaration[]): string =>
  blocks.map(({ name }) => typeKey(name)).join(' ');
