import t, { type Test } from 'tap';
import { useFolder, useGateway } from '../kit/use.js';

/** Which operations are queries: by their words, by what they answer, and by `reads` of the service. */

const operation = (name: string, output: string): string =>
  `<operation name="${name}"><input message="t:In"/><output message="t:${output}"/></operation>`;
const bound = (name: string): string =>
  `<operation name="${name}"><soap:operation soapAction="${name}"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`;

const OPERATIONS = [
  ['GetOrder', 'Out'],
  ['SelectPrinter', 'Nothing'],
  ['CheckHealth', 'Nothing'],
  ['ExportOrders', 'Out'],
  ['ExportItems', 'Out'],
] as const;

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
<types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
<xs:element name="In"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="Out"><xs:complexType><xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="Nothing"><xs:complexType/></xs:element></xs:schema></types>
${['In', 'Out', 'Nothing'].map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`).join('')}
<portType name="P">${OPERATIONS.map(([name, output]) => operation(name, output)).join('')}</portType>
<binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>${OPERATIONS.map(([name]) => bound(name)).join('')}</binding>
<service name="S"><port name="P" binding="t:B"><soap:address location="http://127.0.0.1:1/"/></port></service></definitions>`;

async function rootsOf(t: Test, more: string): Promise<Record<string, readonly string[]>> {
  const folder = await useFolder(t, { 't.wsdl': WSDL });
  const gateway = await useGateway(t, `services: { t: { wsdl: t.wsdl, url: "http://127.0.0.1:1/"${more} } }\n`, folder);
  const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  type Root = { readonly fields: readonly { readonly name: string }[] } | null;
  const { data } = (await answer.json()) as { data: { __schema: { queryType: Root; mutationType: Root } } };
  const names = (type: Root): readonly string[] => (type?.fields ?? []).map(({ name }) => name).sort();
  return { queries: names(data.__schema.queryType), mutations: names(data.__schema.mutationType) };
}

t.test('an operation that answers nothing writes, unless it checks', async (t) => {
  t.same(await rootsOf(t, ''), {
    queries: ['checkHealth', 'getOrder'],
    mutations: ['exportItems', 'exportOrders', 'selectPrinter'],
  });
});

t.test('`reads` makes operations queries, by patterns; a field of the mapping decides before', async (t) => {
  t.same(
    await rootsOf(
      t,
      ', reads: ["Export*"], operations: { ExportItems: { field: Mutation.exportItems }, ExportOrders: true, GetOrder: true }',
    ),
    {
      queries: ['exportOrders', 'getOrder'],
      mutations: ['exportItems'],
    },
  );
});

t.test('a pattern of `reads` that names no operation is an error', async (t) => {
  await t.rejects(rootsOf(t, ', reads: ["Exprot*"]'), /`reads` names no operation of service t: Exprot\*/);
  await t.rejects(rootsOf(t, ', reads: [ExportOrder]'), /Did you mean `ExportOrders`/);
});
