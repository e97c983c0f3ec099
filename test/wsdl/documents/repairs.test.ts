import { join } from 'node:path';
import t from 'tap';
import type { WsdlModel } from '../../../src/wsdl/model.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import {
  complexOf,
  FILES,
  folderWith,
  modelOf,
  operationOf,
  printContent,
  problemsOf,
  schemaWith,
  wsdlWith,
} from '../written.js';

/** WSDLs of one deviation each, in the manner of samples of node-soap, which loads them. */
const REPAIRED: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a prefix of definitions and elements that is not declared': [
    wsdlWith({}).replace(' xmlns:t="urn:t"', ''),
    /The binding t:B uses a prefix that is not declared; the only one of that name is taken/,
  ],
  'such a prefix, and no target namespace': [
    wsdlWith({}).replace(' xmlns:t="urn:t"', '').replaceAll(' targetNamespace="urn:t"', ''),
    /The element t:Get uses a prefix that is not declared/,
  ],
  'a namespace of definitions with a slip of the pen': [
    wsdlWith({}).replace('binding="t:B"', 'binding="x:B" xmlns:x="urn:typo"'),
    /The binding x:B is not defined; the only one of that name is taken/,
  ],
  'two declarations of one prefix': [
    wsdlWith({}).replace(
      'xmlns:soap="',
      'xmlns:soap="http://www.w3.org/2003/05/soap-encoding" xmlns:soap="',
    ),
    /An attribute is given twice; the last one counts/,
  ],
  'a binding in the namespace of SOAP 1.1 envelopes': [
    wsdlWith({}).replace(
      'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
      'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"',
    ),
    /soap\/envelope\/ is read as http:\/\/schemas\.xmlsoap\.org\/wsdl\/soap\//,
  ],
  'a binding in the namespace of SOAP 1.2 envelopes': [
    wsdlWith({}).replace(
      'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
      'xmlns:soap="http://www.w3.org/2003/05/soap-envelope"',
    ),
    /soap-envelope is read as http:\/\/schemas\.xmlsoap\.org\/wsdl\/soap12\//,
  ],
  'elements of a binding with an undeclared prefix': [
    wsdlWith({}).replaceAll(/ *xmlns:soap(12)?="[^"]*"/g, ''),
    /The prefix soap of the element binding is not declared: it is read in the namespace .*\/soap\//,
  ],
  'an undeclared prefix where SOAP 1.2 is declared': [
    wsdlWith({}).replace(
      'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
      'xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"',
    ),
    /The prefix soap of the element binding .* http:\/\/schemas\.xmlsoap\.org\/wsdl\/soap12\//,
  ],
  'the namespace of bindings without its last stroke': [
    wsdlWith({}).replaceAll('wsdl/soap/"', 'wsdl/soap"'),
    /wsdl\/soap is read as/,
  ],
  'the namespace of WSDL without its last stroke': [
    wsdlWith({}).replace('xmlns="http://schemas.xmlsoap.org/wsdl/"', (found) =>
      found.replace('/"', '"'),
    ),
    /wsdl is read as/,
  ],
  'the namespace of XML Schema with a stroke at the end': [
    wsdlWith({}).replace('2001/XMLSchema"', '2001/XMLSchema/"'),
    /XMLSchema\/ is read as/,
  ],
  'a prefix that the schema alone declares': [
    wsdlWith({
      types:
        '<xs:schema xmlns:e="urn:e" targetNamespace="urn:e"><xs:element name="Get"/></xs:schema>' +
        schemaWith('').replace(/<xs:element name="Get">.*?<\/xs:element>(?=\n)/s, ''),
    }).replace('element="t:Get"', 'element="e:Get"'),
    /The element e:Get uses a prefix that is not declared; \{urn:e\}Get is taken/,
  ],
  'a message that is not defined, with the name of an element': [
    wsdlWith({}).replace('<output message="t:Out"/>', '<output message="t:GetResponse"/>'),
    /The message t:GetResponse is not defined; the element of that name is taken/,
  ],
  'document/encoded, with parts that are elements': [
    wsdlWith({}).replaceAll('use="literal"', 'use="encoded" encodingStyle="urn:enc"'),
    /The message is document\/encoded, and its parts are elements: it is read as document\/literal/,
  ],
  'a policy whose prefix is not declared': [
    wsdlWith({ head: '<wsp:Policy wsu:Id="a"><wsp:ExactlyOne/></wsp:Policy>' }),
    /The prefix wsp of the element Policy is not declared/,
  ],
  'no prefix at all, and its own namespace by default': [
    wsdlWith({})
      .replaceAll(/<(\/?)(?:soap|xs):/g, '<$1')
      .replaceAll('type="xs:', 'type="')
      .replaceAll('"t:', '"')
      .replace('xmlns="http://schemas.xmlsoap.org/wsdl/"', 'xmlns="urn:t"')
      .replaceAll(/ xmlns:\w+="[^"]*"/g, ''),
    /The namespace urn:t is read as http:\/\/schemas\.xmlsoap\.org\/wsdl\//,
  ],
};

const dialectOf = ({ services: [service] }: WsdlModel): string | undefined =>
  service?.ports[0]?.dialect;

t.test('what a WSDL gets wrong in one way only is repaired, with a warning', async (t) => {
  for (const [name, [wsdl, warning]] of Object.entries(REPAIRED)) {
    const model = await modelOf(wsdl);
    t.equal(operationOf(model, 'Get').status, 'ok', name);
    t.ok(
      model.warnings.some(({ what }) => warning.test(what)),
      `${name}: ${model.warnings.map(({ what }) => what).join(' ')}`,
    );
    t.equal(dialectOf(model), /SOAP 1\.2/.test(name) ? '1.2' : '1.1', name);
  }
});

t.test(
  'names of types without a prefix, or with an undeclared one, are of the schema',
  async (t) => {
    const types = schemaWith(
      '<xs:complexType name="A"><xs:sequence><xs:element name="own" type="q:Own"/>' +
        '<xs:element name="built" type="string"/><xs:element name="other" type="xsd:float"/>' +
        '<xs:element ref="q:Get"/><xs:element name="none" type="q:Missing"/></xs:sequence>' +
        '<q:attribute name="a" type="s:boolean"/></xs:complexType>' +
        '<xs:simpleType name="Own"><xs:restriction base="int"/></xs:simpleType>' +
        '<xs:complexType name="B"><xs:complexContent><xs:extension base="q:A"><xs:sequence>' +
        '<xs:element name="more" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent>' +
        '</xs:complexType>',
      'xmlns="urn:t" elementFormDefault="unqualified"',
    );
    const model = await modelOf(wsdlWith({ types }));
    const a = complexOf(model, 'A');
    t.match(printContent(a), /own:Own, built:string, other:float, \{urn:t\}Get:\S+, none:\S+\)$/);
    t.match(a.attributes, [{ name: { local: 'a' }, type: { builtIn: 'boolean' } }]);
    t.match(printContent(complexOf(model, 'B')), /own:Own.*more:int/);
    t.match(model.warnings.map(({ what }) => what).sort(), [
      /^The prefix q of the element attribute is not declared/,
      /^The type q:Missing uses a prefix that is not declared; it is kept as XML/,
      /^int is not declared; the built-in type of that name is taken/,
      /^q:A uses a prefix that is not declared; the declaration of its own schema/,
      /^q:Get uses a prefix/,
      /^q:Own uses a prefix/,
      /^s:boolean uses a prefix that is not declared; the built-in type/,
      /^string is not declared; the built-in type/,
      /^xsd:float uses a prefix/,
    ]);
  },
);

t.test(
  'a reference is read that names its document by the attribute of the other kind',
  async (t) => {
    const types = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"';
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        head: '<import namespace="urn:w" schemaLocation="b.wsdl"/>',
        types: schemaWith('<xs:include location="t.xsd"/><xs:element name="E" type="t:A"/>'),
      }),
      'b.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:w"/>',
      't.xsd': `${types} targetNamespace="urn:t"><xs:complexType name="A"/></xs:schema>`,
    });
    const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
    t.equal(model.documents.length, 3);
    t.equal(model.elements.get('{urn:t}E')?.type, complexOf(model, 'A'));
    t.match(model.warnings, [
      { what: /The import names its document by schemaLocation: it is read as location/ },
      { what: /The include names its document by location: it is read as schemaLocation/ },
    ]);
  },
);

t.test('a name that two definitions have is not guessed', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': wsdlWith({
      head:
        '<import namespace="urn:b" location="b.wsdl"/><import namespace="urn:c" ' +
        'location="c.wsdl"/>',
    }).replace('binding="t:B"', 'binding="t:Other"'),
    'b.wsdl': other('urn:b'),
    'c.wsdl': other('urn:c'),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.notOk(model.services.some(({ ports }) => ports.some(({ address }) => address !== null)));
  t.match(await problemsOf(join(folderWith(t, { 'x.wsdl': '<p:a/>' }), 'x.wsdl')), [
    { what: /Unbound namespace prefix/ },
  ]);
});

const other = (target: string): string =>
  '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" ' +
  `xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="${target}">` +
  '<portType name="P"/><binding name="Other"><soap:binding/></binding></definitions>';
