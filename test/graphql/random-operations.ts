import type { Random } from '../codec/random-values.js';

/**
 * Operations as trees, so that one can be spelled in several ways, and weighed without reading any
 * spelling.
 */

export interface Field {
  readonly kind: 'field';
  readonly name: string;
  readonly type: TypeName | null;
  /** Objects are asked for by one name only if nothing is given to them. */
  readonly isAliased: boolean;
  readonly alias: number;
  readonly first: number | null;
  readonly directive: Directive | null;
  readonly selections: readonly Selection[];
}

interface Group {
  readonly kind: 'group';
  readonly type: TypeName;
  readonly directive: Directive | null;
  /** Shared by all groups that hold it. */
  readonly selections: readonly Selection[];
}

export type Selection = Field | Group;

/** `@include(if: ...)`, or `@skip(if: ...)` of the opposite. */
export interface Directive {
  readonly isSkip: boolean;
  readonly isIncluded: boolean;
  readonly byVariable: boolean;
}

export type TypeName = 'Query' | 'Order' | 'Line' | 'Customer';

/**
 * What the test schema has: leaves, and fields of objects. `calls` are made for every so many
 * objects.
 */
export interface FieldRule {
  readonly type: TypeName;
  readonly isList: boolean;
  readonly isSliced: boolean;
  readonly calls: 'single' | 'batched' | null;
}

const rule = (
  type: TypeName,
  calls: FieldRule['calls'],
  isList = false,
  isSliced = false,
): FieldRule => ({
  type,
  isList,
  isSliced,
  calls,
});

export const RULES: Readonly<Record<TypeName, Readonly<Record<string, FieldRule | null>>>> = {
  Query: {
    order: rule('Order', 'single'),
    orders: rule('Order', 'single', true, true),
    customer: rule('Customer', 'single'),
    customers: rule('Customer', 'single', true),
    stock: null,
    __typename: null,
  },
  Order: {
    id: null,
    name: null,
    __typename: null,
    lines: rule('Line', null, true),
    parent: rule('Order', null),
    buyer: rule('Customer', 'single'),
    buyers: rule('Customer', 'batched'),
  },
  Line: { sku: null, order: rule('Order', null) },
  Customer: {
    id: null,
    name: null,
    friends: rule('Customer', null, true),
    history: rule('Order', 'single', true, true),
  },
};

export const SERVICES = `services:
  shop:
    url: http://127.0.0.1:1/
    types: |
      type Query {
        order(id: Int): Order
        orders(first: Int, customer: Int): [Order!] @listSize(slicingArguments: \
["first"], requireOneSlicingArgument: false)
        stock: Int
      }
      type Order { id: Int, name: String, lines: [Line!], parent: Order, customerId: Int }
      type Line { sku: String, order: Order }
    operations:
      GetOrder: { field: Query.order }
      ListOrders: { field: Query.orders }
      GetStock: { field: Query.stock }
  people:
    url: http://127.0.0.1:1/
    types: |
      type Query { customer(id: Int): Customer, customers(ids: [Int!]): [Customer!] }
      type Customer { id: Int, name: String, friends: [Customer!] }
    operations:
      GetCustomer: { field: Query.customer }
      ListCustomers: { field: Query.customers }
links:
  Order.buyer: { operation: people.GetCustomer, arguments: { id: customerId } }
  Order.buyers:
    operation: people.GetCustomer
    arguments: { id: customerId }
    batch: { operation: people.ListCustomers, argument: ids, key: id }
  Customer.history: { operation: shop.ListOrders, arguments: { customer: id } }
`;

/** An operation at random; small ones are more likely. */
export function randomOperation(random: Random): readonly Selection[] {
  const groups = new Map<TypeName, Group[]>();
  let alias = 0;
  const directive = (): Directive | null =>
    random.chance(0.1)
      ? {
          isSkip: random.chance(0.5),
          isIncluded: random.chance(0.6),
          byVariable: random.chance(0.5),
        }
      : null;
  const field = (parent: TypeName, budget: number): Field | null => {
    const [name, rule] = random.of(Object.entries(RULES[parent]));
    if (rule !== null && budget <= 0) return null;
    const first =
      rule?.isSliced && random.chance(0.6) ? random.of([1, 2, 5, 10, 20, 100, 101, 0]) : null;
    const isAliased = first !== null || random.chance(0.15);
    const selections = rule === null ? [] : set(rule.type, budget - 1);
    const type = rule?.type ?? null;
    return {
      kind: 'field',
      name,
      type,
      isAliased,
      alias: alias++,
      first,
      directive: directive(),
      selections,
    };
  };
  const group = (parent: TypeName, budget: number): Group => {
    const known = groups.get(parent) ?? [];
    groups.set(parent, known);
    const selections =
      known.length > 0 && random.chance(0.5) ? random.of(known).selections : set(parent, budget);
    const made: Group = { kind: 'group', type: parent, directive: directive(), selections };
    known.push(made);
    return made;
  };
  const set = (parent: TypeName, budget: number): readonly Selection[] => {
    const made = random
      .some(1, 3, (): Selection | null =>
        random.chance(0.25) ? group(parent, budget - 1) : field(parent, budget),
      )
      .filter((each) => each !== null);
    const leaf = parent === 'Line' ? 'sku' : '__typename';
    const plain: Field = {
      kind: 'field',
      name: leaf,
      type: null,
      isAliased: false,
      alias: 0,
      first: null,
      directive: null,
      selections: [],
    };
    return made.length > 0 ? made : [plain];
  };
  return set('Query', random.of([1, 2, 3, 4, 6, 9, 12]));
}

export interface Spelling {
  /** `named`: each shared set is one fragment. `inline`: written out where it stands. */
  readonly fragments: 'named' | 'inline';
  readonly values: 'literal' | 'variable' | 'default';
  readonly aliasPrefix: string;
}

export interface Spelled {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** One operation, written in one of many ways that mean the same. */
export function spell(
  operation: readonly Selection[],
  { fragments, values, aliasPrefix }: Spelling,
): Spelled {
  const variables: Record<string, unknown> = {};
  const definitions: string[] = [];
  const declared: string[] = [];
  const names = new Map<readonly Selection[], string>();
  const known = new Map<object, string>();
  /**
   * What stands in several places is the same variable there: fields that are merged must have the
   * same arguments.
   */
  const given = (
    holder: object,
    value: number | boolean,
    type: string,
    as: Spelling['values'],
  ): string => {
    if (as === 'literal') return String(value);
    const told = known.get(holder);
    if (told !== undefined) return told;
    const name = `v${declared.length}`;
    declared.push(`$${name}:${type}${as === 'default' ? `=${value}` : ''}`);
    if (as === 'variable') variables[name] = value;
    known.set(holder, `$${name}`);
    return `$${name}`;
  };
  const directive = (each: Directive | null): string => {
    if (each === null) return '';
    const value = each.isIncluded !== each.isSkip;
    return `@${each.isSkip ? 'skip' : 'include'}(if:${given(each, value, 'Boolean!', each.byVariable ? (values === 'literal' ? 'variable' : values) : 'literal')})`;
  };
  const write = (selection: Selection): string => {
    if (selection.kind === 'group') {
      const { type, selections } = selection;
      if (fragments === 'inline')
        return `...on ${type}${directive(selection.directive)}${writeSet(selections)}`;
      let name = names.get(selections);
      if (name === undefined) {
        name = `F${names.size}`;
        names.set(selections, name);
        definitions.push(`fragment ${name} on ${type}${writeSet(selections)}`);
      }
      return `...${name}${directive(selection.directive)}`;
    }
    const alias = selection.isAliased ? `${aliasPrefix}${selection.alias}:` : '';
    const first =
      selection.first === null ? '' : `(first:${given(selection, selection.first, 'Int', values)})`;
    const inner = selection.selections.length === 0 ? '' : writeSet(selection.selections);
    return `${alias}${selection.name}${first}${directive(selection.directive)}${inner}`;
  };
  const writeSet = (all: readonly Selection[]): string => `{${all.map(write).join(' ')}}`;
  const body = writeSet(operation);
  const head = declared.length === 0 ? '' : `(${declared.join(' ')})`;
  return { query: [`query${head}${body}`, ...definitions].join('\n'), variables };
}
