import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type RecordingBackend, startRecordingBackend } from './backend.js';
import { startTestGateway, type TestGateway } from './gateway.js';

/** A bank whose customers have account numbers: behind a base type, in lists, beside wildcards and in Faults. */
const SCHEMA = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:bank" elementFormDefault="qualified">
<xs:complexType name="Customer"><xs:sequence>
  <xs:element name="id" type="xs:string"/><xs:element name="iban" type="xs:string"/>
  <xs:element name="pins" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="notes" type="t:ArrayOfNote" minOccurs="0"/>
  <xs:element name="friend" type="t:Customer" minOccurs="0"/>
  <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded" namespace="##any"/>
</xs:sequence><xs:attribute name="tax" type="xs:string"/></xs:complexType>
<xs:complexType name="Premium"><xs:complexContent><xs:extension base="t:Customer"><xs:sequence>
  <xs:element name="advisor" type="xs:string" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="ArrayOfNote"><xs:sequence><xs:element name="Note" type="xs:string" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
${['GetCustomer', 'GetSecret', 'ChangeIban'].map((name) => `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="id" type="xs:string"/><xs:element name="iban" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`).join('\n')}
<xs:element name="GetCustomerResponse"><xs:complexType><xs:sequence><xs:element name="customer" type="t:Customer" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="GetSecretResponse"><xs:complexType><xs:sequence><xs:element name="secret" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="ChangeIbanResponse"><xs:complexType><xs:sequence><xs:element name="old" type="xs:string"/><xs:element name="at" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="Find"><xs:complexType><xs:sequence><xs:element name="ids" type="xs:string" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="FindResponse"><xs:complexType><xs:sequence><xs:element name="customers" type="t:Customer" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:complexType name="Account"><xs:sequence><xs:element name="id" type="xs:string"/><xs:element name="iban" type="xs:string"/></xs:sequence></xs:complexType>
<xs:element name="Trouble"><xs:complexType><xs:sequence><xs:element name="account" type="t:Account"/><xs:element name="why" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

const OPERATIONS = ['GetCustomer', 'GetSecret', 'ChangeIban', 'Find'];

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:bank" targetNamespace="urn:bank">
<types>${SCHEMA.replace('<xs:schema ', '<xs:schema xmlns:t="urn:bank" ')}</types>
${OPERATIONS.flatMap((name) => [name, `${name}Response`])
  .map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`)
  .join('\n')}
<message name="Trouble"><part name="f" element="t:Trouble"/></message>
<portType name="Bank">${OPERATIONS.map((name) => `<operation name="${name}"><input message="t:${name}"/><output message="t:${name}Response"/><fault name="Trouble" message="t:Trouble"/></operation>`).join('\n')}</portType>
<binding name="B" type="t:Bank"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${OPERATIONS.map((name) => `<operation name="${name}"><soap:operation soapAction="${name}"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output><fault name="Trouble"><soap:fault name="Trouble" use="literal"/></fault></operation>`).join('\n')}
</binding><service name="S"><port name="P" binding="t:B"><soap:address location="http://bank.example/"/></port></service></definitions>`;

/** Values that no caller without the right may ever be sent. */
export const SECRETS = {
  iban: 'DE00-SECRET-IBAN-3000',
  pin: 'SECRET-PIN-7777',
  tax: 'SECRET-TAX-5555',
  note: 'SECRET-NOTE-9999',
  secret: 'SECRET-TEXT-1111',
} as const;

const customer = (element: string, id: string, depth: number, type = ''): string =>
  `<${element}${type} tax="${SECRETS.tax}"><id>${id}</id><iban>${SECRETS.iban}</iban><pins>${SECRETS.pin}</pins><pins>${SECRETS.pin}</pins><notes><Note>${SECRETS.note}</Note></notes>${depth === 0 ? '' : customer('friend', `${id}.f`, depth - 1, PREMIUM)}${type === '' ? `<iban>${SECRETS.iban}</iban><extra>${SECRETS.iban}</extra>` : '<advisor>A</advisor>'}</${element}>`;

const PREMIUM = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:b="urn:bank" xsi:type="b:Premium"';

function answerOf(request: string): string {
  const operation = /Body>\s*<(?:\w+:)?(\w+)/.exec(request)?.[1] ?? '';
  const id = /id[^>]*>([^<]*)</.exec(request)?.[1] ?? '';
  const answer = (content: string): string =>
    `<${operation}Response xmlns="urn:bank">${content}</${operation}Response>`;
  if (id === 'trouble') {
    return `<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring><detail><Trouble xmlns="urn:bank"><account><id>1</id><iban>${SECRETS.iban}</iban></account><why>full</why></Trouble></detail></E:Fault>`;
  }
  if (operation === 'GetCustomer') return answer(customer('customer', id, 2, id.startsWith('p') ? PREMIUM : ''));
  if (operation === 'GetSecret') return answer(`<secret>${SECRETS.secret}</secret>`);
  if (operation === 'ChangeIban') return answer(`<old>${SECRETS.iban}</old><at>now</at>`);
  return answer(customer('customers', '1', 1) + customer('customers', 'p2', 1, PREMIUM));
}

export interface Bank {
  readonly gateway: TestGateway;
  readonly backend: RecordingBackend;
  /** The operations that the backend was called for. */
  called(): readonly string[];
  close(): Promise<void>;
}

/** Keys of the clients `<name>-key-0000000000` by class; `service` and `more` are YAML of the service and beside it. */
export async function startBank(
  classes: Readonly<Record<string, string>>,
  service: string,
  more = '',
  clients = '',
): Promise<Bank> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  await writeFile(join(home, 'bank.wsdl'), WSDL);
  const backend = await startRecordingBackend(({ body }, response) => {
    const answer = `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>${answerOf(body.toString())}</E:Body></E:Envelope>`;
    response.writeHead(answer.includes('Fault>') ? 500 : 200, { 'content-type': 'text/xml; charset=utf-8' });
    response.end(answer);
  });
  const gateway = await startTestGateway(bankConfig(backend.url, classes, service, more, clients), home);
  return {
    gateway,
    backend,
    called: () => backend.complete.map(({ body }) => /Body>\s*<(?:\w+:)?(\w+)/.exec(body.toString())?.[1] ?? ''),
    async close() {
      await gateway.close();
      await backend.close();
      await rm(home, { recursive: true });
    },
  };
}

const bankConfig = (
  url: string,
  classes: Readonly<Record<string, string>>,
  service: string,
  more: string,
  clients: string,
): string => `clients:
${clients}  address: { class: ${Object.keys(classes)[0]} }
  apiKeys:
    clients:
${Object.keys(classes)
  .map((name) => `      ${name}: { class: ${name}, keys: [${name}-key-0000000000] }`)
  .join('\n')}
  classes:
${Object.entries(classes)
  .map(([name, keys]) => `    ${name}: ${keys}`)
  .join('\n')}
services:
  bank:
    wsdl: bank.wsdl
    url: ${url}
${service}
${more}`;

export const keyOf = (name: string): Readonly<Record<string, string>> => ({ 'x-api-key': `${name}-key-0000000000` });
