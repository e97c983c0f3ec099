import { join } from 'node:path';
import { type GraphQLSchema, graphql } from 'graphql';
import type { Test } from 'tap';
import { schemaFromWsdl } from '../../src/library/schema/schema-from-wsdl.js';
import type { SchemaOptions } from '../../src/library/schema/schema-options.js';
import { answerOperations } from '../kit/backend.js';
import { faultOf } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/**
 * A service whose replies have nested types, lists, a choice as a union, values that are not valid,
 * and Faults; a link leads from a customer to its orders, many customers in one call.
 */
const SCHEMA = [
  '<xs:complexType name="Order"><xs:sequence>',
  element('number', 'xs:int'),
  element('customer', 'xs:int', 'minOccurs="0"'),
  element('total', 'xs:decimal', 'minOccurs="0"'),
  '<xs:choice minOccurs="0">',
  element('iban', 'xs:string'),
  element('card', 'xs:int'),
  '</xs:choice>',
  '</xs:sequence></xs:complexType>',
  '<xs:complexType name="Customer"><xs:sequence>',
  element('id', 'xs:int'),
  element('name', 'xs:string'),
  element('since', 'xs:date', 'minOccurs="0"'),
  element('order', 't:Order', 'minOccurs="0" maxOccurs="unbounded"'),
  '</xs:sequence></xs:complexType>',
  '<xs:simpleType name="Kind"><xs:restriction base="xs:string">',
  '<xs:enumeration value="a-b"/><xs:enumeration value="c"/>',
  '</xs:restriction></xs:simpleType>',
  wrapper('GetCustomer', element('id', 'xs:int') + element('kind', 't:Kind', 'minOccurs="0"')),
  wrapper('GetCustomerResponse', element('customer', 't:Customer', 'minOccurs="0"')),
  wrapper(
    'FindOrders',
    element('customer', 'xs:int', 'minOccurs="0" maxOccurs="unbounded"') +
      element('least', 'xs:decimal', 'minOccurs="0"'),
  ),
  wrapper('FindOrdersResponse', element('order', 't:Order', 'minOccurs="0" maxOccurs="unbounded"')),
  wrapper('SetName', element('id', 'xs:int') + element('name', 'xs:string')),
  wrapper('SetNameResponse', element('done', 'xs:boolean')),
].join('');

export const DESK_WSDL = wsdlOf('urn:desk', SCHEMA, ['GetCustomer', 'FindOrders', 'SetName']);

const order = (number: string, customer: string, by = '<iban>AT1</iban>'): string =>
  `<number>${number}</number><customer>${customer}</customer><total>1.50</total>${by}`;

/** The customer 13 has values that are not valid, and 404 is a Fault. */
function contentOf(operation: string, text: string): string {
  const id = /<(?:\w+:)?(?:id|customer)[^>]*>(\d+)</.exec(text)?.[1] ?? '';
  if (id === '404') return faultOf('s:Client', 'No such customer');
  if (operation === 'SetName') return '<done>true</done>';
  if (operation === 'FindOrders') {
    const ids = [...text.matchAll(/customer[^>]*>(\d+)</g)].map(([, each = '']) => each);
    return ids
      .map((each) => `<order>${order(`${each}0`, each, '<card>7</card>')}</order>`)
      .join('');
  }
  const since = id === '13' ? 'yesterday' : '2020-02-29';
  const number = id === '13' ? 'none' : `${id}1`;
  return (
    `<customer><id>${id}</id><name>Ada</name><since>${since}</since>` +
    `<order>${order('1', id)}</order><order>${order(number, id)}</order></customer>`
  );
}

export const LINKS = {
  'Customer.orders': {
    operation: 'desk.FindOrders',
    arguments: { customer: 'id' },
    batch: { operation: 'desk.FindOrders', argument: 'customer', key: 'customer' },
  },
};

const KEYS = { schema: { choices: 'union' } };

/** The options, and how a schema answers what a gateway with the same keys answers. */
export async function useSchemaDesk(t: Test, options: SchemaOptions = {}) {
  const backend = await useBackend(t, answerOperations('urn:desk', contentOf));
  const folder = await useFolder(t, { 'desk.wsdl': DESK_WSDL });
  const url = `${backend.url}/desk`;
  const made = await useSchema(t, join(folder, 'desk.wsdl'), {
    ...{ url, name: 'desk', ...KEYS },
    ...options,
  });
  return { ...made, backend, folder, url };
}

export async function useSchema(t: Test, location: string, options: SchemaOptions) {
  const { schema, close } = await schemaFromWsdl(location, options);
  t.teardown(close);
  return { schema, close, ask: asking(schema) };
}

type Asked = { readonly data?: unknown; readonly errors?: readonly unknown[] };

const asking =
  (schema: GraphQLSchema) =>
  async (
    source: string,
    variableValues: Readonly<Record<string, unknown>> = {},
    contextValue: unknown = {},
  ): Promise<Asked> =>
    plain(await graphql({ schema, source, variableValues, contextValue }));

/** What both say of an answer: ids of requests and places in documents are their own. */
const plain = (answer: object): Asked =>
  JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    ['id', 'locations', 'extensions'].includes(key) && isOwn(key, value) ? undefined : value,
  );

const isOwn = (key: string, value: unknown): boolean =>
  key === 'locations' ||
  (key === 'id' && typeof value === 'string' && value.includes('-')) ||
  (key === 'extensions' && typeof value === 'object' && value !== null && 'cost' in value);

/** A gateway with the same service, which answers the same questions over HTTP. */
export async function useSameGateway(
  t: Test,
  { folder, url }: { readonly folder: string; readonly url: string },
  more: Readonly<Record<string, unknown>> = {},
) {
  const service = { wsdl: 'desk.wsdl', url, ...KEYS };
  const yaml = Object.entries({ ...more, services: { desk: service } }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}\n`,
  );
  const gateway = await useGateway(t, yaml.join(''), folder);
  return async (query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Asked> =>
    plain(await askGraphql(gateway.url, query, variables));
}
