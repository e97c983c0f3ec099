import { printSchema, validateSchema } from 'graphql';
import t, { type Test } from 'tap';
import type { Naming } from '../../src/graphql/schema/types/naming.js';
import { modelOf, wsdlWith } from '../wsdl/written.js';
import { builtOf } from './built.js';

/**
 * Names of what several operations share: answers, header blocks, Faults, and the ends of their own
 * names.
 */

const HEADERS = [
  'SecurityHeader',
  'CustomerAccount',
  'DeveloperToken',
  'ApplicationToken',
  'Locale',
];

const wsdlOf = (operations: readonly string[], use: 'literal' | 'encoded' = 'literal'): string => {
  const message = (name: string): string =>
    use === 'literal'
      ? `<message name="${name}"><part name="p" element="t:${name}"/></message>`
      : `<message name="${name}"><part name="n" type="xs:int"/></message>`;
  const body = (kind: string): string => `<soap:${kind} use="${use}" namespace="urn:r"/>`;
  const headers = HEADERS.map(
    (each) => `<soap:header message="t:H" part="${each}" use="literal"/>`,
  ).join('');
  const each = (print: (name: string) => string): string => operations.map(print).join('');
  const style = use === 'literal' ? 'document' : 'rpc';
  return wsdlWith({
    types: `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">\
${each(
  (name) => `<xs:element name="${name}"><xs:complexType><xs:sequence>\
<xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`,
)}
<xs:element name="Ack"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int"/>\
<xs:element name="text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
${HEADERS.map((name) => `<xs:element name="${name}" type="xs:string"/>`).join('')}
<xs:complexType name="ServiceException"><xs:sequence/></xs:complexType></xs:schema>`,
    messages: `${each(message)}${message('Ack')}<message name="H">\
${HEADERS.map((name) => `<part name="${name}" element="t:${name}"/>`).join('')}</message>
<message name="ServiceException"><part name="fault" type="t:ServiceException"/></message>`,
    portType:
      `<portType name="P">${each(
        (name) => `<operation name="${name}"><input message="t:${name}"/>\
<output message="t:Ack"/><fault name="ServiceException" message="t:ServiceException"/></operation>`,
      )}` + '</portType>',
    binding: `<binding name="B" type="t:P"><soap:binding style="${style}" \
transport="http://schemas.xmlsoap.org/soap/http"/>
${each(
  (name) => `<operation name="${name}"><soap:operation soapAction=""/>\
<input>${body('body')}${use === 'literal' ? headers : ''}</input><output>${body('body')}</output>\
<fault name="ServiceException">${body('fault name="ServiceException"')}</fault></operation>`,
)}\
</binding>`,
  });
};

async function build(t: Test, wsdl: string, naming: Naming) {
  const { operations } = (await modelOf(wsdl)).services[0]?.ports[0] ?? { operations: [] };
  const faults = new Map(
    operations.map(
      ({ name }) => [name, { field: null, hidden: false, faults: 'union' as const }] as const,
    ),
  );
  const { schema, warnings } = await builtOf(wsdl, { name: 'shared', mapping: faults, naming });
  t.same(validateSchema(schema), []);
  return { sdl: printSchema(schema), warnings: warnings.map(({ what }) => what) };
}

t.test(
  'an answer that several operations have is named after itself, header blocks ' +
    'after the first of them',
  async (t) => {
    const wsdl = wsdlOf(['AddCampaignsRequest', 'GetCampaignsRequest', 'DropCampaignsRequest']);
    const { sdl } = await build(t, wsdl, 'camel');
    t.match(sdl, /^type Ack \{/m);
    t.notMatch(sdl, 'RequestResult');
    t.same(
      new Set(sdl.match(/headers: \w+/g)),
      new Set(['headers: SecurityCustomerAccountHeadersInput']),
    );
  },
);

t.test('a suffix that the names of all operations share goes', async (t) => {
  const names = ['AddCampaignsRequest', 'GetCampaignsRequest'];
  const { sdl } = await build(t, wsdlOf(names), 'camel');
  t.match(sdl, / addCampaigns\(/);
  t.match(sdl, / getCampaigns\(/);
  t.match((await build(t, wsdlOf(names), 'exact')).sdl, / GetCampaignsRequest\(/);
  t.match(
    (await build(t, wsdlOf([...names, 'Ping']), 'camel')).sdl,
    / getCampaignsRequest\(/,
    'not of all',
  );
  t.match(
    (await build(t, wsdlOf(['GetRequest']), 'camel')).sdl,
    / getRequest\(/,
    'there is but one',
  );
  t.match(
    (await build(t, wsdlOf(['Request', 'GetRequest']), 'camel')).sdl,
    / getRequest\(/,
    'it is all of a name',
  );
});

t.test('the Fault of the SOAP encoding that several operations declare is one type', async (t) => {
  const wsdl = wsdlOf(['getIssue', 'getUser', 'getGroup'], 'encoded');
  const { sdl, warnings } = await build(t, wsdl, 'camel');
  t.same(sdl.match(/^type \w*Exception\w* /gm), ['type ServiceException ']);
  t.notMatch(warnings.join('\n'), 'Exception');
});
