import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql';
import { scalars } from '../../../codec/index.js';
import type { BoundField } from '../../schema/fields/bound-field.js';
import type { LinkTable } from '../../schema/links/link.js';

/** Whether an operation answers with one value of bytes, which GraphQL has in base64. */
export const isBinaryAnswer = ({ field: { type } }: DescribedOperation): boolean =>
  !isListType(getNullableType(type)) && getNamedType(type).name === scalars.BASE64_SCALAR.name;

/** Whether an operation answers with a list, or with pages of one. */
export const isListAnswer = ({
  field: { type },
  bound: { paging = null },
}: DescribedOperation): boolean => paging !== null || isListType(getNullableType(type));

/**
 * An operation of a service that endpoints other than GraphQL offer as well: by its name, with
 * arguments as JSON.
 */
export interface DescribedOperation {
  readonly service: string;
  /** As the configuration names it. */
  readonly name: string;
  /** It changes nothing: its field is one of Query. */
  readonly isRead: boolean;
  /** The field that calls it: arguments, result, description and rights. */
  readonly field: GraphQLField<unknown, unknown>;
  readonly bound: BoundField;
}

/** The schema that operations are described by. */
export interface DescribedSchema {
  readonly schema: GraphQLSchema;
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
}

/** The operations that are fields of the schema, by `service.operation`. */
export function describedOperations({
  schema,
  fields,
}: DescribedSchema): ReadonlyMap<string, DescribedOperation> {
  const roots = {
    Query: schema.getQueryType()?.getFields(),
    Mutation: schema.getMutationType()?.getFields(),
  };
  const described = new Map<string, DescribedOperation>();
  for (const bound of fields.values()) {
    if (bound.parent === 'Subscription') continue;
    const field = roots[bound.parent]?.[bound.name];
    if (field === undefined) continue;
    const { service, operation } = bound;
    const isRead = bound.parent === 'Query';
    described.set(`${service}.${operation.name}`, {
      service,
      name: operation.name,
      isRead,
      field,
      bound,
    });
  }
  return described;
}
