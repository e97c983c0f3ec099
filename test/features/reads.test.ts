import t, { type Test } from 'tap';
import { askGraphql } from '../kit/graphql-client.js';
import { useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/**
 * Which operations are queries: by their words, by what they answer, and by `reads` of the service.
 */

const OPERATIONS = [
  ['GetOrder', 'Out'],
  ['SelectPrinter', 'Nothing'],
  ['CheckHealth', 'Nothing'],
  ['ExportOrders', 'Out'],
  ['ExportItems', 'Out'],
] as const;

const NAMES = OPERATIONS.map(([name]) => name);
const RESULTS = {
  Out: (name: string) => wrapper(name, element('a', 'xs:int') + element('b', 'xs:int')),
  Nothing: (name: string) => `<xs:element name="${name}"><xs:complexType/></xs:element>`,
};
const ELEMENTS = OPERATIONS.map(
  ([name, output]) => wrapper(name, element('id', 'xs:int')) + RESULTS[output](`${name}Response`),
);
const WSDL = wsdlOf('urn:t', ELEMENTS.join(''), NAMES);

async function rootsOf(t: Test, more: string): Promise<Record<string, readonly string[]>> {
  const folder = await useFolder(t, { 't.wsdl': WSDL });
  const gateway = await useGateway(
    t,
    `services: { t: { wsdl: t.wsdl, url: "http://127.0.0.1:1/"${more} } }\n`,
    folder,
  );
  const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
  type Root = { readonly fields: readonly { readonly name: string }[] } | null;
  type Data = { readonly __schema: { readonly queryType: Root; readonly mutationType: Root } };
  const { data } = await askGraphql<{ data: Data }>(gateway.url, query);
  const names = (type: Root): readonly string[] =>
    (type?.fields ?? []).map(({ name }) => name).sort();
  return { queries: names(data.__schema.queryType), mutations: names(data.__schema.mutationType) };
}

t.test('an operation that answers nothing writes, unless it checks', async (t) => {
  t.same(await rootsOf(t, ''), {
    queries: ['checkHealth', 'getOrder'],
    mutations: ['exportItems', 'exportOrders', 'selectPrinter'],
  });
});

t.test(
  '`reads` makes operations queries, by patterns; a field of the mapping decides before',
  async (t) => {
    t.same(
      await rootsOf(
        t,
        ', reads: ["Export*"], operations: { ExportItems: { field: Mutation.exportItems }, ' +
          'ExportOrders: true, GetOrder: true }',
      ),
      {
        queries: ['exportOrders', 'getOrder'],
        mutations: ['exportItems'],
      },
    );
  },
);

t.test('a pattern of `reads` that names no operation is an error', async (t) => {
  await t.rejects(
    rootsOf(t, ', reads: ["Exprot*"]'),
    /`reads` names no operation of service t: Exprot\*/,
  );
  await t.rejects(rootsOf(t, ', reads: [ExportOrder]'), /Did you mean `ExportOrders`/);
});
