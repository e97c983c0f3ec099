import type { Test } from 'tap';

import type { GraphqlAnswer } from './answers.js';
import { answerOperations } from './backend.js';
import { envelope, faultOf, operationIn, postSoap, textIn } from './envelope.js';
import { askText } from './graphql-client.js';
import { useFolder, useService } from './use.js';
import { wsdlOf } from './wsdl.js';

/**
 * A bank whose customers have account numbers: behind a base type, in lists, beside wildcards and
 * in Faults.
 */
const SCHEMA = `
<xs:complexType name="Customer"><xs:sequence>
  <xs:element name="id" type="xs:string"/><xs:element name="iban" type="xs:string"/>
  <xs:element name="pins" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="notes" type="t:ArrayOfNote" minOccurs="0"/>
  <xs:element name="friend" type="t:Customer" minOccurs="0"/>
  <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded" namespace="##any"/>
</xs:sequence><xs:attribute name="tax" type="xs:string"/></xs:complexType>
<xs:complexType name="Premium"><xs:complexContent><xs:extension base="t:Customer"><xs:sequence>
  <xs:element name="advisor" type="xs:string" minOccurs="0"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
<xs:complexType name="ArrayOfNote"><xs:sequence><xs:element name="Note" type="xs:string" \
minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
${['GetCustomer', 'GetSecret', 'ChangeIban']
  .map(
    (name) => `<xs:element name="${name}">\
<xs:complexType><xs:sequence><xs:element name="id" type="xs:string"/>\
<xs:element name="iban" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>`,
  )
  .join('\n')}
<xs:element name="GetCustomerResponse"><xs:complexType><xs:sequence>\
<xs:element name="customer" type="t:Customer" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="GetSecretResponse"><xs:complexType><xs:sequence>\
<xs:element name="secret" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="ChangeIbanResponse"><xs:complexType><xs:sequence>\
<xs:element name="old" type="xs:string"/><xs:element name="at" type="xs:string"/></xs:sequence>\
</xs:complexType></xs:element>
<xs:element name="Find"><xs:complexType><xs:sequence><xs:element name="ids" type="xs:string" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="FindResponse"><xs:complexType><xs:sequence>\
<xs:element name="customers" type="t:Customer" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType></xs:element>
<xs:complexType name="Account"><xs:sequence><xs:element name="id" type="xs:string"/>\
<xs:element name="iban" type="xs:string"/></xs:sequence></xs:complexType>
<xs:element name="Trouble"><xs:complexType><xs:sequence>\
<xs:element name="account" type="t:Account"/><xs:element name="why" type="xs:string"/>\
</xs:sequence></xs:complexType></xs:element>`;

const WSDL = wsdlOf('urn:bank', SCHEMA, ['GetCustomer', 'GetSecret', 'ChangeIban', 'Find'], {
  faults: ['Trouble'],
});

/** Values that no caller without the right may ever be sent. */
export const SECRETS = {
  iban: 'DE00-SECRET-IBAN-3000',
  pin: 'SECRET-PIN-7777',
  tax: 'SECRET-TAX-5555',
  note: 'SECRET-NOTE-9999',
  secret: 'SECRET-TEXT-1111',
} as const;

const customer = (element: string, id: string, depth: number, type = ''): string =>
  `<${element}${type} tax="${SECRETS.tax}"><id>${id}</id><iban>${SECRETS.iban}</iban><pins>` +
  `${SECRETS.pin}</pins><pins>${SECRETS.pin}</pins><notes><Note>${SECRETS.note}</Note></notes>` +
  `${depth === 0 ? '' : customer('friend', `${id}.f`, depth - 1, PREMIUM)}` +
  `${type === '' ? `<iban>${SECRETS.iban}</iban><extra>${SECRETS.iban}</extra>` : '<advisor>A</advisor>'}` +
  `</${element}>`;

const PREMIUM =
  ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:b="urn:bank" xsi:type="b:Premium"';

function contentOf(operation: string, request: string): string {
  const id = textIn(request, 'id') ?? '';
  if (id === 'trouble') {
    const trouble =
      `<Trouble xmlns="urn:bank"><account><id>1</id><iban>${SECRETS.iban}</iban></account>` +
      '<why>full</why></Trouble>';
    return faultOf('s:Server', 'no', trouble);
  }
  if (operation === 'GetCustomer')
    return customer('customer', id, 2, id.startsWith('p') ? PREMIUM : '');
  if (operation === 'GetSecret') return `<secret>${SECRETS.secret}</secret>`;
  if (operation === 'ChangeIban') return `<old>${SECRETS.iban}</old><at>now</at>`;
  return customer('customers', '1', 1) + customer('customers', 'p2', 1, PREMIUM);
}

export type Bank = Awaited<ReturnType<typeof useBank>>;

/**
 * Keys of the clients `<name>-key-0000000000` by class; `service` and `more` are YAML of the
 * service and beside it.
 */
export async function useBank(
  t: Test,
  classes: Readonly<Record<string, string>>,
  service: string,
  more = '',
  clients = '',
) {
  const home = await useFolder(t, { 'bank.wsdl': WSDL });
  const config = (url: string): string => bankConfig(url, classes, service, more, clients);
  const { backend, gateway } = await useService(
    t,
    answerOperations('urn:bank', contentOf),
    config,
    home,
  );
  return {
    gateway,
    backend,
    /** The operations that the backend was called for. */
    called: (): readonly string[] => backend.complete.map(({ body }) => operationIn(body)),
    /** Asks in GraphQL as this client: the answer and its text. */
    async ask(
      query: string,
      name: string | null = null,
    ): Promise<GraphqlAnswer & { readonly text: string }> {
      const text = await askText(gateway.url, query, name === null ? {} : keyOf(name));
      return { ...JSON.parse(text), text };
    },
    /** Calls an operation in SOAP as this client. */
    call: (operation: string, name: string, query = ''): Promise<Response> =>
      postSoap(
        `${gateway.url}/soap/bank${query}`,
        envelope(
          `<${operation} xmlns="urn:bank"><id>1</id><iban>${SECRETS.iban}</iban></${operation}>`,
        ),
        { soapaction: `"${operation}"`, ...keyOf(name) },
      ),
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

export const keyOf = (name: string): Readonly<Record<string, string>> => ({
  'x-api-key': `${name}-key-0000000000`,
});
