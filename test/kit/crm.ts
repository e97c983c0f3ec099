import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { answerOperations, type RecordingBackend, startRecordingBackend } from './backend.js';
import { faultOf } from './envelope.js';
import { startTestGateway, type TestGateway } from './gateway.js';
import { wsdlOf } from './wsdl.js';

/**
 * A service with reads, writes, facets, nested types and Faults, for the endpoints that offer
 * operations by their names.
 */

const SCHEMA = `
<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}[0-9]{3}"/>\
</xs:restriction></xs:simpleType>
<xs:simpleType name="Kind"><xs:restriction base="xs:string"><xs:enumeration value="private"/>\
<xs:enumeration value="company"/></xs:restriction></xs:simpleType>
<xs:complexType name="Address"><xs:sequence><xs:element name="street" type="xs:string"/>\
<xs:element name="city" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:complexType name="Customer"><xs:annotation><xs:documentation>Somebody who \
buys.</xs:documentation></xs:annotation><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="name" type="xs:string"/>
  <xs:element name="kind" type="t:Kind" minOccurs="0"/>
  <xs:element name="iban" type="xs:string" minOccurs="0"/>
  <xs:element name="address" type="t:Address" minOccurs="0"/>
  <xs:element name="tags" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="parent" type="t:Customer" minOccurs="0"/>
</xs:sequence></xs:complexType>
<xs:element name="GetCustomer"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="code" type="t:Code" minOccurs="0"/>\
</xs:sequence></xs:complexType></xs:element>
<xs:element name="GetCustomerResponse"><xs:complexType><xs:sequence>\
<xs:element name="customer" type="t:Customer" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="FindCustomers"><xs:complexType><xs:sequence>
  <xs:element name="ids" type="xs:int" minOccurs="0" maxOccurs="unbounded"/>\
<xs:element name="near" type="t:Address" minOccurs="0"/>
  <xs:element name="active" type="xs:boolean" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="FindCustomersResponse"><xs:complexType><xs:sequence>\
<xs:element name="customer" type="t:Customer" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType></xs:element>
<xs:element name="SetCustomer"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="name" type="xs:string"/>\
<xs:element name="address" type="t:Address" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="SetCustomerResponse"><xs:complexType><xs:sequence>\
<xs:element name="done" type="xs:boolean"/></xs:sequence></xs:complexType></xs:element>`;

const OPERATIONS = ['GetCustomer', 'FindCustomers', 'SetCustomer'];

const WSDL = wsdlOf('urn:crm', SCHEMA, OPERATIONS, {
  documentationOf: (name) => `<documentation>Does ${name}.</documentation>`,
});

const customer = (element: string, id: string, parent = ''): string =>
  `<${element}><id>${id}</id><name>Ada "A" Ghent</name><kind>company</kind>` +
  '<iban>DE00-SECRET</iban><address><street>Main 1</street><city>Ghent</city></address>' +
  `<tags>a</tags><tags>b</tags>${parent}</${element}>`;

/** Faults by the id of a customer: 404 blames the sender, 500 the service. */
function contentFor(operation: string, body: string): string {
  const id = /ids?[^>]*>(-?\d+)</.exec(body)?.[1] ?? '';
  if (id === '404') return faultOf('s:Client', 'No such customer');
  if (id === '500') return faultOf('s:Server', 'The database is away');
  if (operation === 'GetCustomer')
    return id === '0' ? '' : customer('customer', id, customer('parent', '1'));
  if (operation === 'FindCustomers')
    return ['1', '2'].map((each) => customer('customer', each)).join('');
  return '<done>true</done>';
}

export interface Crm {
  readonly gateway: TestGateway;
  readonly backend: RecordingBackend;
  close(): Promise<void>;
}

/**
 * A gateway with the service `crm`, or several. `service` and `more`: what is added to each and to
 * the configuration.
 */
export async function startCrm(
  service = '',
  more = '',
  names: readonly string[] = ['crm'],
): Promise<Crm> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  await writeFile(join(home, 'crm.wsdl'), WSDL);
  const backend = await startRecordingBackend(answerOperations('urn:crm', contentFor));
  const services = names.map(
    (name) =>
      `  ${name}: { wsdl: crm.wsdl, url: ` +
      `"${backend.url}/crm"${service}${
        names.length > 1
          ? `, path: /${name}, operations: { \
${OPERATIONS.map(
  (operation) => `${operation}: { field: \
${operation === 'SetCustomer' ? 'Mutation' : 'Query'}.${name}${operation} }`,
).join(', ')} }`
          : ''
      } ` +
      '}',
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

/** A gateway with the service `crm`, or several, which ends with its test. */
export async function useCrm(
  t: Test,
  service = '',
  more = '',
  names?: readonly string[],
): Promise<Crm> {
  const crm = await startCrm(service, more, names);
  t.teardown(() => crm.close());
  return crm;
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
