import type { GraphQLObjectType } from 'graphql';
import type { Scalar } from '../../../codec/index.js';
import type { Link, LinkMapping } from '../links/link.js';
import type { FederationDirectives } from './directives.js';

/** A key of a type as configured: the operation that answers with the object that has it. */
export interface KeyMapping {
  /** The type in GraphQL. */
  readonly type: string;
  /** The index among the keys of the type; null where they are no list. */
  readonly index: number | null;
  /** A selection of fields: `id`, `id country`, `owner { id }`. */
  readonly fields: string;
  /** Other subgraphs may ask for objects by it. */
  readonly isResolvable: boolean;
  /** `crm.GetCustomer`; null for a key that is not resolvable. */
  readonly operation: string | null;
  /**
   * Maps arguments of the operation, or paths into them, to the fields of a representation, or
   * paths; null: they are called alike.
   */
  readonly arguments: LinkMapping['arguments'] | null;
  readonly batch: LinkMapping['batch'];
}

/** The part of a supergraph that this schema is, as configured. */
export interface FederationMapping {
  readonly keys: readonly KeyMapping[];
  readonly directives: FederationDirectives;
}

/** A type whose objects other subgraphs refer to. */
export interface EntityType {
  readonly type: GraphQLObjectType;
  /** The unions of the schema that have it. */
  readonly unions: readonly string[];
  /** In the order of the configuration; the first whose fields a representation has is used. */
  readonly keys: readonly EntityKey[];
}

/** A key that an operation answers. */
export interface EntityKey {
  /** As in the configuration. */
  readonly fields: string;
  /** The paths of its fields. */
  readonly paths: readonly (readonly string[])[];
  /** Calls the operation; its feeds are fields of a representation. */
  readonly link: Link;
  /** The paths of further fields, of `@requires`, that the operation cannot do without. */
  readonly required: readonly (readonly string[])[];
  /** The scalars of its feeds by their index; absent: values are only checked when written. */
  readonly scalars: ReadonlyMap<number, FeedScalar>;
}

/** The scalar of a field that fills an argument. */
export interface FeedScalar {
  readonly scalar: Scalar;
  /** The argument takes the text on the wire, of a field that is converted. */
  readonly isWritten: boolean;
}

/** The entities of a schema, by the name of their type. */
export type EntityTable = ReadonlyMap<string, EntityType>;

/** The schema as a subgraph. */
export interface Subgraph {
  readonly entities: EntityTable;
  /** `Type.field` of other subgraphs, which are null here. */
  readonly foreign: ReadonlySet<string>;
  /** What `_service` answers. */
  readonly sdl: string;
}

/** The names that the specification of subgraphs gives to its types and fields. */
export const SUBGRAPH_NAMES = {
  representation: '_Any',
  entity: '_Entity',
  service: '_Service',
  entitiesField: '_entities',
  serviceField: '_service',
  representations: 'representations',
} as const;
