import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema, validateSchema } from 'graphql';
import t, { type Test } from 'tap';
import { buildSchema } from '../../src/graphql/schema.js';
import type { Naming } from '../../src/graphql/types/naming.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { FILES } from '../wsdl/written.js';

/** Names of what several operations share: answers, header blocks, Faults, and the ends of their own names. */

const HEADERS = ['SecurityHeader', 'CustomerAccount', 'DeveloperToken', 'ApplicationToken', 'Locale'];

const wsdlOf = (operations: readonly string[], use: 'literal' | 'encoded' = 'literal'): string => {
  const message = (name: string): string =>
    use === 'literal'
      ? `<message name="${name}"><part name="p" element="t:${name}"/></message>`
      : `<message name="${name}"><part name="n" type="xs:int"/></message>`;
  const body = (kind: string): string => `<soap:${kind} use="${use}" namespace="urn:r"/>`;
  const headers = HEADERS.map((each) => `<soap:header message="t:H" part="${each}" use="literal"/>`).join('');
  return `<definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t">
<types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${operations.map((name) => `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`).join('')}
<xs:element name="Ack"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int"/><xs:element name="text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
${HEADERS.map((name) => `<xs:element name="${name}" type="xs:string"/>`).join('')}
<xs:complexType name="ServiceException"><xs:sequence/></xs:complexType></xs:schema></types>
${operations.map(message).join('')}${message('Ack')}<message name="H">${HEADERS.map((name) => `<part name="${name}" element="t:${name}"/>`).join('')}</message>
<message name="ServiceException"><part name="fault" type="t:ServiceException"/></message>
<portType name="P">${operations.map((name) => `<operation name="${name}"><input message="t:${name}"/><output message="t:Ack"/><fault name="ServiceException" message="t:ServiceException"/></operation>`).join('')}</portType>
<binding name="B" type="t:P"><soap:binding style="${use === 'literal' ? 'document' : 'rpc'}" transport="http://schemas.xmlsoap.org/soap/http"/>
${operations.map((name) => `<operation name="${name}"><soap:operation soapAction=""/><input>${body('body')}${use === 'literal' ? headers : ''}</input><output>${body('body')}</output><fault name="ServiceException">${body('fault name="ServiceException"')}</fault></operation>`).join('')}</binding>
<service name="S"><port name="Soap" binding="t:B"><soap:address location="http://127.0.0.1:9/"/></port></service></definitions>`;
};

async function build(t: Test, wsdl: string, naming: Naming) {
  const file = join(t.testdir({}), 'shared.wsdl');
  writeFileSync(file, wsdl);
  const model = await readWsdl(file, FILES);
  const operations = model.services[0]?.ports[0]?.operations ?? [];
  const lists = { knownTypes: [...model.types.values()], elements: [...model.elements.values()] };
  const faults = new Map(
    operations.map(({ name }) => [name, { field: null, hidden: false, faults: 'union' as const }] as const),
  );
  const { schema, warnings } = buildSchema([{ name: 'shared', operations, mapping: faults, naming, ...lists }]);
  t.same(validateSchema(schema), []);
  return { sdl: printSchema(schema), warnings: warnings.map(({ what }) => what) };
}

t.test(
  'an answer that several operations have is named after itself, header blocks after the first of them',
  async (t) => {
    const wsdl = wsdlOf(['AddCampaignsRequest', 'GetCampaignsRequest', 'DropCampaignsRequest']);
    const { sdl } = await build(t, wsdl, 'camel');
    t.match(sdl, /^type Ack \{/m);
    t.notMatch(sdl, 'RequestResult');
    t.same(new Set(sdl.match(/headers: \w+/g)), new Set(['headers: SecurityCustomerAccountHeadersInput']));
    const old = (await build(t, wsdl, 'camel-0.1')).sdl;
    t.match(old, /^type AddCampaignsRequestResult \{/m);
    t.match(old, 'headers: AddCampaignsRequestHeadersInput');
  },
);

t.test('a suffix that the names of all operations share goes', async (t) => {
  const names = ['AddCampaignsRequest', 'GetCampaignsRequest'];
  const { sdl } = await build(t, wsdlOf(names), 'camel');
  t.match(sdl, / addCampaigns\(/);
  t.match(sdl, / getCampaigns\(/);
  t.match((await build(t, wsdlOf(names), 'camel-0.1')).sdl, / getCampaignsRequest\(/);
  t.match((await build(t, wsdlOf(names), 'exact')).sdl, / GetCampaignsRequest\(/);
  t.match((await build(t, wsdlOf([...names, 'Ping']), 'camel')).sdl, / getCampaignsRequest\(/, 'not of all');
  t.match((await build(t, wsdlOf(['GetRequest']), 'camel')).sdl, / getRequest\(/, 'there is but one');
  t.match((await build(t, wsdlOf(['Request', 'GetRequest']), 'camel')).sdl, / getRequest\(/, 'it is all of a name');
});

t.test('the Fault of the SOAP encoding that several operations declare is one type', async (t) => {
  const wsdl = wsdlOf(['getIssue', 'getUser', 'getGroup'], 'encoded');
  const { sdl, warnings } = await build(t, wsdl, 'camel');
  t.same(sdl.match(/^type \w*Exception\w* /gm), ['type ServiceException ']);
  t.notMatch(warnings.join('\n'), 'Exception');
});
