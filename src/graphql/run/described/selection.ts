import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import type { LinkTable } from '../../schema/links/link.js';
import type { FieldRights } from '../../schema/rights/field-rights.js';
import { ruleOf } from '../../schema/rights/field-rule.js';

/** The fields that are selected of an object, each with those of its own value; a leaf has none. */
export type ChosenFields = ReadonlyMap<string, ChosenFields>;

/** A selection with more fields than its bounds allow. */
export class SelectionBoundsError extends Error {}

/**
 * Prints selections. By default they have all fields of an object that callers may read, to a
 * depth, but for links, which are calls of their own, for fields that need arguments, for what
 * another field shows, and for types within themselves.
 */
export class SelectionPrinter {
  readonly #schema: GraphQLSchema;
  readonly #links: LinkTable;
  readonly #rights: FieldRights | null;
  readonly #around = new Set<GraphQLNamedType>();
  #left: number;

  constructor(
    { schema, links }: { readonly schema: GraphQLSchema; readonly links: LinkTable },
    rights: FieldRights | null,
    fieldsMax: number,
  ) {
    this.#schema = schema;
    this.#links = links;
    this.#rights = rights;
    this.#left = fieldsMax;
  }

  /**
   * The selection of all fields of a type, with its braces; '' of a leaf. Throws
   * `SelectionBoundsError`.
   */
  all(type: GraphQLNamedType, levels: number): string {
    if (isLeafType(type)) return '';
    this.#around.add(type);
    const parts = this.#parts(type, (owner) => this.#fieldsOf(owner, levels));
    this.#around.delete(type);
    return braced(parts);
  }

  /**
   * The selection of fields that are known to be there; of those without further ones, all.
   * `levels` as for `all`.
   */
  chosen(type: GraphQLNamedType, fields: ChosenFields, levels: number): string {
    if (isLeafType(type)) return '';
    if (fields.size === 0) return this.all(type, levels);
    const parts = this.#parts(type, (owner) =>
      [...fields].flatMap(([name, within]) => {
        const field = owner.getFields()[name];
        if (field === undefined) return [];
        this.#count();
        return [{ field, text: this.chosen(getNamedType(field.type), within, levels) }];
      }),
    );
    return braced(parts);
  }

  /** What is selected of a type, and of each that may stand for it. */
  #parts(type: GraphQLNamedType, fieldsOf: (owner: Owner) => readonly Selected[]): string[] {
    if (isObjectType(type)) return fieldsOf(type).map(print);
    if (!isAbstractType(type)) return [];
    const common = isInterfaceType(type) ? fieldsOf(type) : [];
    const known = new Map(common.map(({ field }) => [field.name, String(field.type)]));
    const parts = ['__typename', ...common.map(print)];
    const shared = new Set(common.map(({ field }) => field.name));
    for (const possible of this.#schema.getPossibleTypes(type)) {
      if (this.#around.has(possible)) continue;
      this.#around.add(possible);
      const own = fieldsOf(possible).filter(({ field }) => !shared.has(field.name));
      this.#around.delete(possible);
      if (own.length === 0) continue;
      const printed = own.map((selected) => {
        const { name, type: fieldType } = selected.field;
        const first = getOrMake(known, name, () => String(fieldType));
        // Fields of one name merge only where they have one type.
        return first === String(fieldType)
          ? print(selected)
          : `${name}_${possible.name}: ${print(selected)}`;
      });
      parts.push(`... on ${possible.name}${braced(printed)}`);
    }
    return parts;
  }

  #fieldsOf(owner: Owner, levels: number): readonly Selected[] {
    return Object.values(owner.getFields()).flatMap((field) => {
      const type = getNamedType(field.type);
      const isLeaf = isLeafType(type);
      if (!isLeaf && (levels <= 1 || this.#around.has(type))) return [];
      if (field.args.some(isRequiredArgument) || this.#links.has(`${owner.name}.${field.name}`)) {
        return [];
      }
      if (field.extensions['isRepetition'] === true) return [];
      if (this.#rights?.forbids(ruleOf(field)) === true) return [];
      this.#count();
      const text = this.all(type, levels - 1);
      return isLeaf || text !== NOTHING ? [{ field, text }] : [];
    });
  }

  #count(): void {
    if (this.#left-- <= 0) throw new SelectionBoundsError();
  }
}

type Owner = Extract<GraphQLNamedType, { getInterfaces(): unknown }>;

interface Selected {
  readonly field: GraphQLField<unknown, unknown>;
  readonly text: string;
}

const NOTHING = ' { __typename }';

const print = ({ field, text }: Selected): string => `${field.name}${text}`;

const braced = (parts: readonly string[]): string =>
  parts.length === 0 ? NOTHING : ` { ${parts.join(' ')} }`;
