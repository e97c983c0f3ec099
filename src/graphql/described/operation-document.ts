import { type GraphQLArgument, getNamedType, isNonNullType, Kind } from 'graphql';
import { Refusal } from '../../base/refusals/refusal.js';
import { readDocument } from '../admission/admit.js';
import { costOf } from '../cost/cost.js';
import type { Operations } from '../operation.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { DescribedOperation } from './described-operation.js';
import { type ChosenFields, SelectionBoundsError, SelectionPrinter } from './selection.js';

/** Levels that a default selection has at most: deeper values are asked for by name. */
const LEVELS_MAX = 6;

/** Fields that a default selection has at most. */
const FIELDS_MAX = 500;

/**
 * The documents of operations: all arguments are variables, and what is selected is the default or what a caller has
 * chosen. A default is as deep as the limits allow; it is found once for each kind of callers.
 */
export class OperationDocuments {
  readonly #operations: Operations;
  readonly #known = new WeakMap<DescribedOperation, WeakMap<object, string>>();

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** The document with the default selection of a kind of callers. */
  of(described: DescribedOperation, rights: FieldRights | null): string {
    let byRights = this.#known.get(described);
    if (byRights === undefined) {
      byRights = new WeakMap();
      this.#known.set(described, byRights);
    }
    let text = byRights.get(rights ?? ALL_RIGHTS);
    if (text === undefined) {
      text = this.#deepest(described, rights);
      byRights.set(rights ?? ALL_RIGHTS, text);
    }
    return text;
  }

  /** The document with chosen fields, which are there. */
  choosing(described: DescribedOperation, rights: FieldRights | null, fields: ChosenFields): string {
    const { field } = described;
    try {
      const printer = new SelectionPrinter(this.#operations.built, rights, FIELDS_MAX);
      return printDocument(described, printer.chosen(getNamedType(field.type), fields, 1));
    } catch (caught) {
      if (caught instanceof SelectionBoundsError)
        throw new Refusal('BAD_REQUEST', 'The list of fields has more than allowed.');
      throw caught;
    }
  }

  #deepest(described: DescribedOperation, rights: FieldRights | null): string {
    const type = getNamedType(described.field.type);
    const { built, ownAdmission } = this.#operations;
    const { depth } = ownAdmission.limits;
    let text = '';
    for (let levels = Math.min(LEVELS_MAX, depth - 1); levels > 0; levels--) {
      try {
        text = printDocument(described, new SelectionPrinter(built, rights, FIELDS_MAX).all(type, levels));
        if (this.#isWithinLimits(text)) return text;
      } catch (caught) {
        if (!(caught instanceof SelectionBoundsError)) throw caught;
      }
    }
    return text === '' ? printDocument(described, new SelectionPrinter(built, rights, Infinity).all(type, 1)) : text;
  }

  #isWithinLimits(text: string): boolean {
    const { ownAdmission } = this.#operations;
    try {
      const { document, fragments } = readDocument(text, ownAdmission);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) return false;
      return costOf(ownAdmission.costs, operation, fragments, {}).points <= ownAdmission.limits.cost;
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      // The size of its list is an argument, of which nothing is known yet.
      return caught.code === 'BAD_USER_INPUT';
    }
  }
}

const ALL_RIGHTS = {};

/** `query getOrder($id: ID!) { getOrder(id: $id) { ... } }` */
function printDocument({ isRead, field }: DescribedOperation, selection: string): string {
  const { name, args } = field;
  const variables = args.length === 0 ? '' : `(${args.map(printVariable).join(', ')})`;
  const values = args.length === 0 ? '' : `(${args.map((each) => `${each.name}: $${each.name}`).join(', ')})`;
  return `${isRead ? 'query' : 'mutation'} ${name}${variables} { ${name}${values}${selection} }`;
}

/** An argument with a default may be left out. */
const printVariable = ({ name, type, defaultValue }: GraphQLArgument): string =>
  `$${name}: ${defaultValue !== undefined && isNonNullType(type) ? type.ofType : type}`;
