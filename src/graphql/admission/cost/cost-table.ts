import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isListType,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import type { GraphqlLimits } from '../../limits.js';
import {
  type EntityKey,
  type EntityTable,
  type EntityType,
  SUBGRAPH_NAMES,
  type Subgraph,
} from '../../schema/entities/entity.js';
import { entityOf, keyAmong } from '../../schema/entities/key-choice.js';
import type { BoundField } from '../../schema/fields/bound-field.js';
import { isSubschemaField, type SubschemaField } from '../../schema/fields/subschema.js';
import type { Link, LinkTable } from '../../schema/links/link.js';
import {
  type FieldCost,
  fieldCostOf,
  type ListSize,
  typeWeightOf,
} from '../../schema/types/cost-rules.js';
import { type FieldOwner, fieldOfOwner, isFieldOwner } from '../../schema/types/field-owner.js';
import { isRoot } from '../../schema/types/roots.js';

/** The sources of prices. Without `fields` every field of the root is a call. */
export interface CostSources {
  readonly schema: GraphQLSchema;
  readonly limits: CostLimits;
  readonly links?: LinkTable;
  readonly fields?: ReadonlyMap<string, BoundField>;
  /** Fields that services answer which speak GraphQL: calls as well. */
  readonly subschemaFields?: ReadonlyMap<string, SubschemaField>;
  /** Null or absent for a schema that is no subgraph. */
  readonly subgraph?: Pick<Subgraph, 'entities'> | null;
}

export type CostLimits = Pick<
  GraphqlLimits,
  | 'assumedListSize'
  | 'assumedReplySize'
  | 'batchItems'
  | 'callCost'
  | 'calls'
  | 'kibCost'
  | 'pages'
  | 'representations'
  | 'sliceItems'
>;

/** Sums saturate here. */
export const MOST = 1e12;

/** How many objects a reply brings at most in lists of unknown size. */
interface AssumedReplySize {
  readonly objects: number;
  /** True if the configuration of the operation sets `objects`. */
  readonly isConfigured: boolean;
}

/** The price of one field without those beneath it. */
export interface FieldPrice {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly named: GraphQLNamedType;
  /** Lists within lists. */
  readonly listDepth: number;
  readonly listSize: ListSize | null;
  /** Points for each object that it gives. */
  readonly objectWeight: number;
  /** Points for each time it is answered, or for each call. */
  readonly weight: number;
  /** Points for each key that a batched link fills, in addition to `weight`. */
  readonly keyWeight: number;
  readonly arguments: readonly ArgumentPrice[];
  /** `batched`: one call answers many. Null: no call, it is read from the answer above. */
  readonly call: 'single' | 'batched' | null;
  /** Rows of each page, where a field is answered by pages; null: one call answers. */
  readonly pageSize: number | null;
  readonly replySize: AssumedReplySize;
}

/** The price of an object that a representation stands for, by the key that it is asked for by. */
export interface EntityPrice
  extends Pick<FieldPrice, 'weight' | 'keyWeight' | 'replySize' | 'call' | 'objectWeight'> {
  readonly type: GraphQLNamedType;
}

type CallPrice = Pick<FieldPrice, 'weight' | 'arguments' | 'replySize' | 'pageSize'>;

export interface ArgumentPrice {
  /** Begins with the name of the argument; names of input fields within it follow. */
  readonly path: readonly string[];
  readonly weight: number;
}

/** Prices by type and field, worked out when they are first asked for. Of one generation. */
export class CostTable {
  readonly schema: GraphQLSchema;
  readonly limits: CostLimits;
  readonly #entities: EntityTable;
  readonly #entityPrices = new Map<EntityKey, EntityPrice>();
  readonly #links: LinkTable;
  readonly #fields: ReadonlyMap<string, BoundField | SubschemaField> | null;
  readonly #prices = new Map<GraphQLNamedType, Map<string, FieldPrice | null>>();
  readonly #weights = new Map<GraphQLNamedType, number>();

  constructor({
    schema,
    limits,
    links = NO_LINKS,
    fields,
    subschemaFields = new Map(),
    subgraph = null,
  }: CostSources) {
    this.schema = schema;
    this.#entities = subgraph?.entities ?? NO_ENTITIES;
    this.limits = limits;
    this.#links = links;
    this.#fields =
      fields === undefined
        ? null
        : new Map<string, BoundField | SubschemaField>([...fields, ...subschemaFields]);
  }

  /** Null for an unknown field: `__typename`, and fields of introspection. */
  field(parent: GraphQLNamedType | undefined, name: string): FieldPrice | null {
    if (!isFieldOwner(parent)) return null;
    const prices = getOrMake(this.#prices, parent, () => new Map());
    const known = prices.get(name);
    if (known !== undefined) return known;
    const definition = fieldOfOwner(parent, name);
    // Unknown names are not cached: clients choose them.
    if (definition === undefined) return null;
    const made = this.#price(parent, definition);
    prices.set(name, made);
    return made;
  }

  /** Whether a field is `_entities`, whose representations have prices of their own. */
  isEntities(parent: GraphQLNamedType | undefined, name: string): boolean {
    return (
      name === SUBGRAPH_NAMES.entitiesField &&
      this.#entities.size > 0 &&
      parent === this.schema.getQueryType()
    );
  }

  /** How many representations have each price; that of one that no key fits is null. */
  countByPrice(representations: readonly unknown[]): ReadonlyMap<EntityPrice | null, number> {
    const counts = new Map<EntityPrice | null, number>();
    // Most follow others of the same key.
    let price: EntityPrice | null = null;
    let priced: EntityKey | null = null;
    for (const each of representations) {
      const entity = entityOf(each, this.#entities);
      const key = entity === null ? null : keyAmong(entity.keys, each);
      if (key !== priced) {
        priced = key;
        price = entity === null || key === null ? null : this.#entityPrice(entity, key);
      }
      counts.set(price, (counts.get(price) ?? 0) + 1);
    }
    return counts;
  }

  #entityPrice({ type }: EntityType, key: EntityKey): EntityPrice {
    return getOrMake(this.#entityPrices, key, () => {
      const { weight, keyWeight, replySize, call } = this.#linkPrice(key.link);
      const objectWeight = this.objectWeight(type);
      return { type, objectWeight, weight, keyWeight: keyWeight + KEY_POINTS, replySize, call };
    });
  }

  /** Points for one object of a type; of an interface or union, as many as any of its objects. */
  objectWeight(type: GraphQLNamedType): number {
    return getOrMake(this.#weights, type, () => {
      const own = typeWeightOf(type) ?? (isCompositeType(type) && !isAbstractType(type) ? 1 : 0);
      const possible = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [];
      return Math.max(own, ...possible.map((each) => typeWeightOf(each) ?? 1));
    });
  }

  #price(parent: FieldOwner, definition: GraphQLField<unknown, unknown>): FieldPrice {
    const name = `${parent.name}.${definition.name}`;
    const cost = fieldCostOf(definition);
    const named = getNamedType(definition.type);
    let listDepth = 0;
    let inner = getNullableType(definition.type);
    for (; isListType(inner); inner = getNullableType(inner.ofType)) {
      listDepth++;
    }
    const objectWeight = this.objectWeight(named);
    const common = {
      definition,
      named,
      listDepth,
      listSize: cost?.listSize ?? null,
      objectWeight,
      keyWeight: 0,
    };
    const link = this.#links.get(name);
    if (link !== undefined) {
      return { ...common, ...this.#linkPrice(link) };
    }
    const bound = this.#fields?.get(name) ?? null;
    if (isRoot(this.schema, parent) && (this.#fields === null || bound !== null)) {
      return { ...common, ...this.#callPrice(bound?.cost ?? cost, bound), call: 'single' };
    }
    const costs = [
      cost,
      ...(isInterfaceType(parent) ? this.#costsOfField(parent, definition.name) : []),
    ];
    const weight = Math.max(...costs.map((each) => each?.weight ?? 0));
    return {
      ...common,
      weight,
      arguments: argumentPrices(costs),
      call: null,
      pageSize: null,
      replySize: NO_REPLY,
    };
  }

  /** The price of a link with the arguments that its feeds fill. */
  #linkPrice({ called, batch, feeds }: Link): CallPrice & Pick<FieldPrice, 'keyWeight' | 'call'> {
    const price = this.#callPrice(called.cost ?? null, called);
    const open: ArgumentPrice[] = [];
    let { weight } = price;
    let keyWeight = 0;
    for (const argument of price.arguments) {
      const feed = feeds.find(
        (each) => isWithin(each.argument, argument.path) || isWithin(argument.path, each.argument),
      );
      if (feed === undefined) {
        open.push(argument);
      } else if (batch !== null) {
        keyWeight += argument.weight;
      } else {
        weight += argument.weight * (feed.isList && !feed.wraps ? this.limits.assumedListSize : 1);
      }
    }
    const call = batch === null ? 'single' : 'batched';
    return { ...price, weight, keyWeight, arguments: open, call };
  }

  /** The estimated price of a call. */
  #callPrice(cost: FieldCost | null, called: BoundField | SubschemaField | null): CallPrice {
    const { callCost, kibCost, assumedReplySize } = this.limits;
    const weight = (cost?.weight ?? callCost) + (cost?.replyKib ?? 0) * kibCost;
    const configured = cost?.replySize ?? null;
    // A service that speaks GraphQL works for each selection, nested lists too.
    const isUnbounded = called !== null && isSubschemaField(called);
    const replySize = {
      objects: configured ?? (isUnbounded ? MOST : assumedReplySize),
      isConfigured: configured !== null,
    };
    const pageSize =
      called === null || isSubschemaField(called) ? null : (called.paging?.size ?? null);
    return { weight, arguments: argumentPrices([cost]), replySize, pageSize };
  }

  #costsOfField(parent: GraphQLInterfaceType, name: string): readonly (FieldCost | null)[] {
    return this.schema.getPossibleTypes(parent).map((type) => {
      const field = type.getFields()[name];
      return field === undefined ? null : fieldCostOf(field);
    });
  }
}

const isWithin = (path: readonly string[], inner: readonly string[]): boolean =>
  path.length <= inner.length && path.every((step, at) => step === inner[at]);

/** The highest prices of arguments among several costs. */
export function argumentPrices(costs: readonly (FieldCost | null)[]): readonly ArgumentPrice[] {
  const weights = new Map<string, number>();
  for (const cost of costs) {
    for (const [path, weight] of cost?.arguments ?? []) {
      weights.set(path, Math.max(weight, weights.get(path) ?? 0));
    }
  }
  return [...weights].map(([path, weight]) => ({ path: path.split('.'), weight }));
}

const NO_REPLY: AssumedReplySize = { objects: 0, isConfigured: false };
const NO_LINKS: LinkTable = new Map();
const NO_ENTITIES: EntityTable = new Map();

/** Points for the key of each representation. */
const KEY_POINTS = 1;
