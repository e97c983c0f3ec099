import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { replyPlans } from '../../../codec/index.js';
import { collections } from '../../../core/index.js';
import { typeKey, type Wildcard, type XsdType, xsd } from '../../../wsdl/index.js';
import type { FieldRights } from '../rights/field-rights.js';
import { flatten } from './occurrence.js';
import { plainShape, SINGLE } from './plain-shape.js';
import { hasVariants } from './reach.js';
import type { ElementShape, FieldShape, RuledTypes, ValueShape } from './shape.js';

/** The GraphQL types for data sets: one of each for all services. */
export class DataSetTypes {
  readonly output: GraphQLObjectType;
  readonly all: readonly GraphQLObjectType[];

  constructor(json: GraphQLScalarType, xml: GraphQLScalarType) {
    const rows = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(json)));
    const table = new GraphQLObjectType({
      name: 'AnyDataTable',
      description: 'A table of a data set.',
      fields: {
        name: { type: new GraphQLNonNull(GraphQLString) },
        rows: {
          type: rows,
          description:
            'Rows as they are: values by column. `$state` is what the backend has done with a ' +
            'row, `$id` names it then.',
        },
        before: {
          type: rows,
          description: 'Rows as they were before they were changed or deleted, with their `$id`.',
        },
      },
    });
    this.output = new GraphQLObjectType({
      name: 'AnyDataSet',
      description: 'A data set of .NET.',
      fields: {
        tables: {
          type: new GraphQLList(new GraphQLNonNull(table)),
          description: 'In the order of their first rows.',
        },
        xml: { type: xml, description: 'The whole element as XML, with its schema.' },
      },
    });
    this.all = [this.output, table];
  }
}

/** Whether a type is a data set: the schema of its rows, then anything. */
export function isDataSet(type: XsdType): boolean {
  if (type.kind === 'simple' || type.content.kind !== 'elements' || type.attributes.length > 0) {
    return false;
  }
  if (type.abstract || hasVariants(type)) return false;
  const { particle } = type.content;
  const { elements } = flatten(particle);
  const wildcards = xsd.wildcardsIn(particle);
  if (elements.length === 0) return wildcards.length === 2 && wildcards.some(isOfSchemas);
  return (
    elements.length === 1 &&
    wildcards.length > 0 &&
    elements.every(({ element }) => typeKey(element.name) === SCHEMA_KEY)
  );
}

const SCHEMA_KEY = typeKey(xsd.SCHEMA_NAME);

/** Whether a wildcard allows schemas and nothing else. */
const isOfSchemas = ({ namespaces }: Wildcard): boolean =>
  namespaces.kind === 'only' &&
  namespaces.uris.length === 1 &&
  namespaces.uris[0] === xsd.SCHEMA_NAME.uri;

/** A data set in replies. */
export function dataSetOutput(
  types: RuledTypes,
  { dataSets }: { readonly dataSets: DataSetTypes },
): {
  readonly type: GraphQLObjectType;
  readonly value: { readonly kind: 'object'; readonly shape: ElementShape };
} {
  return { type: dataSets.output, value: { kind: 'object', shape: shapeOf(types) } };
}

/** The rules of all fields hold: rows may hold values of any of them. */
const shapeOf = collections.makeOncePer((types: RuledTypes): ElementShape => {
  const ruled = types.rule === null ? {} : { rule: types.rule };
  const self = (value: FieldShape['value']): FieldShape => ({
    ...SINGLE,
    source: { from: 'self' },
    value,
    ...ruled,
  });
  const fields = new Map([
    ['tables', self({ kind: 'tables', types, typeName: 'AnyDataTable' })],
    ['xml', self({ kind: 'opaque' })],
  ]);
  return plainShape('AnyDataSet', fields);
});

/** The plan of tables of which these fields are selected. */
export function tablesPlan(
  { kind, types, typeName }: Extract<ValueShape, { readonly kind: 'tables' }>,
  selected: readonly { readonly key: string; readonly name: string }[],
  rights: FieldRights | null,
): replyPlans.TablesPlan {
  const fields = selected.flatMap(({ key, name }): replyPlans.TablesPlan['fields'] => {
    const field = TABLE_FIELDS.get(name);
    return field === undefined ? [] : [{ key, field }];
  });
  return { kind, typeName, fields, types: rights === null ? types : types.restricted(rights) };
}

const TABLE_FIELDS: ReadonlyMap<string, replyPlans.TablesPlan['fields'][number]['field']> = new Map(
  [
    ['name', 'name'],
    ['rows', 'rows'],
    ['before', 'before'],
    ['__typename', 'typeName'],
  ],
);
