import { type GraphQLArgument, getNamedType, isNonNullType, Kind } from 'graphql';
import { collections, getOrMake, MIB, Refusal } from '../../../core/index.js';
import { readDocument } from '../../admission/admit.js';
import { costOf } from '../../admission/cost/cost.js';
import type { FieldRights } from '../../schema/rights/field-rights.js';
import type { Operations } from '../operations/operation.js';
import type { DescribedOperation } from './described-operation.js';
import { type ChosenFields, SelectionBoundsError, SelectionPrinter } from './selection.js';

/** Levels that a default selection has at most: deeper values are asked for by name. */
const LEVELS_MAX = 6;

/** Fields that a default selection has at most. */
const FIELDS_MAX = 500;

/**
 * Documents with chosen fields that are remembered of a kind of callers: how many, with how many
 * characters.
 */
export const REMEMBERED_MAX = 1000;
const REMEMBERED_CHARS_MAX = MIB;

/** Longer lists are written anew for each call. */
const REMEMBERED_KEY_CHARS_MAX = 1024;

/**
 * The documents of operations: all arguments are variables, and what is selected is the default or
 * what a caller has chosen. A default is as deep as the limits allow; it is found once for each
 * kind of callers.
 */
export class OperationDocuments {
  readonly #operations: Operations;
  readonly #known = new WeakMap<DescribedOperation, WeakMap<object, string>>();
  /** Documents with chosen fields, of each kind of callers: most ask for few lists. */
  readonly #chosen = new WeakMap<object, collections.BoundedCache<string>>();

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** The document with the default selection of a kind of callers. */
  of(described: DescribedOperation, rights: FieldRights | null): string {
    const byRights = getOrMake(this.#known, described, () => new WeakMap());
    return getOrMake(byRights, rights ?? ALL_RIGHTS, () => this.#deepest(described, rights));
  }

  /**
   * The document with the fields of a list that was written for callers of this kind before; null
   * for another.
   */
  remembered(
    described: DescribedOperation,
    rights: FieldRights | null,
    list: string,
  ): string | null {
    return this.#chosen.get(rights ?? ALL_RIGHTS)?.get(keyOf(described, list)) ?? null;
  }

  /** The document with the fields of a list, which are there. */
  choosing(
    described: DescribedOperation,
    rights: FieldRights | null,
    list: string,
    fields: ChosenFields,
  ): string {
    const { field } = described;
    try {
      const printer = new SelectionPrinter(this.#operations.built, rights, FIELDS_MAX);
      const text = printDocument(described, printer.chosen(getNamedType(field.type), fields, 1));
      this.#remember(keyOf(described, list), rights, text);
      return text;
    } catch (caught) {
      if (caught instanceof SelectionBoundsError) {
        throw new Refusal('BAD_REQUEST', 'The list of fields has more than allowed.');
      }
      throw caught;
    }
  }

  #remember(key: string, rights: FieldRights | null, text: string): void {
    if (key.length > REMEMBERED_KEY_CHARS_MAX) return;
    const sizeOf = (value: string, name: string): number => value.length + name.length;
    const limits = { entries: REMEMBERED_MAX, size: REMEMBERED_CHARS_MAX, sizeOf };
    getOrMake(
      this.#chosen,
      rights ?? ALL_RIGHTS,
      () => new collections.BoundedCache<string>(limits),
    ).set(key, text);
  }

  #deepest(described: DescribedOperation, rights: FieldRights | null): string {
    const type = getNamedType(described.field.type);
    const { built, ownAdmission } = this.#operations;
    const { depth } = ownAdmission.limits;
    let text = '';
    for (let levels = Math.min(LEVELS_MAX, depth - 1); levels > 0; levels--) {
      try {
        text = printDocument(
          described,
          new SelectionPrinter(built, rights, FIELDS_MAX).all(type, levels),
        );
        if (this.#isWithinLimits(text)) return text;
      } catch (caught) {
        if (!(caught instanceof SelectionBoundsError)) throw caught;
      }
    }
    return text === ''
      ? printDocument(described, new SelectionPrinter(built, rights, Infinity).all(type, 1))
      : text;
  }

  #isWithinLimits(text: string): boolean {
    const { ownAdmission } = this.#operations;
    try {
      const { document, fragments } = readDocument(text, ownAdmission);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) return false;
      return (
        costOf(ownAdmission.costs, operation, fragments, {}).points <= ownAdmission.limits.cost
      );
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      // The size of its list is an argument, of which nothing is known yet.
      return caught.code === 'BAD_USER_INPUT';
    }
  }
}

const ALL_RIGHTS = {};

/** The names of an operation have no blank. */
const keyOf = ({ service, name }: DescribedOperation, list: string): string =>
  `${service}.${name} ${list}`;

/** `query getOrder($id: ID!) { getOrder(id: $id) { ... } }` */
function printDocument({ isRead, field }: DescribedOperation, selection: string): string {
  const { name, args } = field;
  const variables = args.length === 0 ? '' : `(${args.map(printVariable).join(', ')})`;
  const values =
    args.length === 0 ? '' : `(${args.map((each) => `${each.name}: $${each.name}`).join(', ')})`;
  return `${isRead ? 'query' : 'mutation'} ${name}${variables} { ${name}${values}${selection} }`;
}

/** An argument with a default may be left out. */
const printVariable = ({ name, type, defaultValue }: GraphQLArgument): string =>
  `$${name}: ${defaultValue !== undefined && isNonNullType(type) ? type.ofType : type}`;
