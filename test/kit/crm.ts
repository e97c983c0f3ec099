import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordingBackend, startRecordingBackend } from './backend.js';
import { startTestGateway, type TestGateway } from './gateway.js';

/** A service with reads, writes, facets, nested types and Faults, for the endpoints that offer operations by their names. */

const SCHEMA = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:crm" targetNamespace="urn:crm" elementFormDefault="qualified">
<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}[0-9]{3}"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Kind"><xs:restriction base="xs:string"><xs:enumeration value="private"/><xs:enumeration value="company"/></xs:restriction></xs:simpleType>
<xs:complexType name="Address"><xs:sequence><xs:element name="street" type="xs:string"/><xs:element name="city" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:complexType name="Customer"><xs:annotation><xs:documentation>Somebody who buys.</xs:documentation></xs:annotation><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="name" type="xs:string"/>
  <xs:element name="kind" type="t:Kind" minOccurs="0"/>
  <xs:element name="iban" type="xs:string" minOccurs="0"/>
  <xs:element name="address" type="t:Address" minOccurs="0"/>
  <xs:element name="tags" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="parent" type="t:Customer" minOccurs="0"/>
</xs:sequence></xs:complexType>
<xs:element name="GetCustomer"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="code" type="t:Code" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="GetCustomerResponse"><xs:complexType><xs:sequence><xs:element name="customer" type="t:Customer" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="FindCustomers"><xs:complexType><xs:sequence>
  <xs:element name="ids" type="xs:int" minOccurs="0" maxOccurs="unbounded"/><xs:element name="near" type="t:Address" minOccurs="0"/>
  <xs:element name="active" type="xs:boolean" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="FindCustomersResponse"><xs:complexType><xs:sequence><xs:element name="customer" type="t:Customer" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="SetCustomer"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="name" type="xs:string"/><xs:element name="address" type="t:Address" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="SetCustomerResponse"><xs:complexType><xs:sequence><xs:element name="done" type="xs:boolean"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

const OPERATIONS = ['GetCustomer', 'FindCustomers', 'SetCustomer'];

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:crm" targetNamespace="urn:crm">
<types>${SCHEMA}</types>
${OPERATIONS.flatMap((name) => [name, `${name}Response`])
  .map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`)
  .join('\n')}
<portType name="Crm">${OPERATIONS.map((name) => `<operation name="${name}"><documentation>Does ${name}.</documentation><input message="t:${name}"/><output message="t:${name}Response"/></operation>`).join('\n')}</portType>
<binding name="B" type="t:Crm"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${OPERATIONS.map((name) => `<operation name="${name}"><soap:operation soapAction="${name}"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`).join('\n')}
</binding><service name="S"><port name="P" binding="t:B"><soap:address location="http://crm.example/"/></port></service></definitions>`;

const customer = (element: string, id: string, parent = ''): string =>
  `<${element}><id>${id}</id><name>Ada "A" Ghent</name><kind>company</kind><iban>DE00-SECRET</iban><address><street>Main 1</street><city>Ghent</city></address><tags>a</tags><tags>b</tags>${parent}</${element}>`;

/** Faults by the id of a customer: 404 blames the sender, 500 the service. */
function contentFor(body: string): string {
  const operation = /Body>\s*<(?:\w+:)?(\w+)/.exec(body)?.[1] ?? '';
  const id = /ids?[^>]*>(-?\d+)</.exec(body)?.[1] ?? '';
  const fault = (code: string, string: string): string =>
    `<E:Fault><faultcode>E:${code}</faultcode><faultstring>${string}</faultstring></E:Fault>`;
  if (id === '404') return fault('Client', 'No such customer');
  if (id === '500') return fault('Server', 'The database is away');
  const answer = (content: string): string => `<${operation}Response xmlns="urn:crm">${content}</${operation}Response>`;
  if (operation === 'GetCustomer') return answer(id === '0' ? '' : customer('customer', id, customer('parent', '1')));
  if (operation === 'FindCustomers') return answer(['1', '2'].map((each) => customer('customer', each)).join(''));
  return answer('<done>true</done>');
}

export interface Crm {
  readonly gateway: TestGateway;
  readonly backend: RecordingBackend;
  close(): Promise<void>;
}

/** A gateway with the service `crm`, or several. `service` and `more`: what is added to each and to the configuration. */
export async function startCrm(service = '', more = '', names: readonly string[] = ['crm']): Promise<Crm> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  await writeFile(join(home, 'crm.wsdl'), WSDL);
  const backend = await startRecordingBackend(({ body }, response) => {
    const content = contentFor(body.toString());
    const text = `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>${content}</E:Body></E:Envelope>`;
    response.writeHead(content.includes('Fault') ? 500 : 200, { 'content-type': 'text/xml; charset=utf-8' });
    response.end(text);
  });
  const services = names.map(
    (name) =>
      `  ${name}: { wsdl: crm.wsdl, url: "${backend.url}/crm"${service}${names.length > 1 ? `, path: /${name}, operations: { ${OPERATIONS.map((operation) => `${operation}: { field: ${operation === 'SetCustomer' ? 'Mutation' : 'Query'}.${name}${operation} }`).join(', ')} }` : ''} }`,
  );
  const yaml = `services:\n${services.join('\n')}\n${more}`;
  try {
    const gateway = await startTestGateway(yaml, home);
    return {
      gateway,
      backend,
      async close() {
        await gateway.close();
        await backend.close();
        await rm(home, { recursive: true });
      },
    };
  } catch (error) {
    await backend.close();
    await rm(home, { recursive: true });
    throw error;
  }
}

/** Clients by API keys: `key-of-full-0000000000`, of classes whose rights follow their names. */
export const clientsOf = (classes: Readonly<Record<string, string>>): string => `clients:
  apiKeys:
    clients:
${Object.keys(classes)
  .map((name) => `      ${name}: { class: ${name}, keys: [${keyOf(name)}] }`)
  .join('\n')}
  classes:
${Object.entries(classes)
  .map(([name, rights]) => `    ${name}: ${rights}`)
  .join('\n')}
`;

export const keyOf = (name: string): string => `key-of-${name}-0000000000`;
