import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { copyWsdl } from '../../../src/wsdl/copy.js';
import { DOCTYPE_CHARS, withoutDoctype } from '../../../src/wsdl/documents/doctype.js';
import { isNearby, sharedFolder, shellWord } from '../../../src/wsdl/documents/nearby.js';
import { WELL_KNOWN } from '../../../src/wsdl/documents/well-known.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import {
  complexOf,
  FILES,
  folderWith,
  importing,
  operationOf,
  printContent,
  problemsOf,
  schemaWith,
  servedTexts,
  wsdlWith,
} from '../written.js';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';
const xsd = (content: string, attributes = 'targetNamespace="urn:u" xmlns:u="urn:u"') =>
  `<xs:schema ${XS} ${attributes}>${content}</xs:schema>`;
const typeA = (child: string, type = 'xs:int') =>
  `<xs:complexType name="A"><xs:sequence><xs:element name="${child}" type="${type}"/>` +
  '</xs:sequence></xs:complexType>';

t.test(
  'imports and includes directly in wsdl:types are read without a schema around them',
  async (t) => {
    const messages = `<message name="In"><part name="p" element="u:Get" xmlns:u="urn:u"/></message>
    <message name="Out"><part name="p" element="t:GetResponse"/></message>`;
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        messages,
        types:
          '<xs:import namespace="urn:u" schemaLocation="u.xsd"/>' +
          '<xs:include schemaLocation="t.xsd"/>',
      }),
      'u.xsd': xsd(`<xs:element name="Get" type="u:A"/>${typeA('id')}`),
      't.xsd': xsd('<xs:element name="GetResponse" type="xs:int"/>', 'targetNamespace="urn:t"'),
    });
    const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
    t.strictSame(model.warnings, []);
    t.equal(operationOf(model, 'Get').status, 'ok');
    t.match(servedTexts(model.documents, 'http://g/s')[0], /schemaLocation="http:\/\/g\/s\?xsd=1"/);
  },
);

t.test(
  'a schema with a DOCTYPE is read without its DTD, which the copies do not have',
  async (t) => {
    const doctype = `<!DOCTYPE xs:schema PUBLIC "-//W3C//DTD" "http://127.0.0.1:9/x.dtd" [
    <!-- it's a "comment" ]> --><?pi ]>?><!ENTITY % p SYSTEM "file:///etc/passwd"> %p;
    <!ATTLIST xs:schema a CDATA #FIXED "]>">
  ] >`;
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        types: schemaWith('<xs:import namespace="urn:u" schemaLocation="u.xsd"/>'),
      }),
      'u.xsd': `<?xml version="1.0"?>\n${doctype}\n${xsd(typeA('id'))}`,
    });
    const model = await readWsdl(join(directory, 'a.wsdl'), {
      ...FILES,
      fetch: () => t.fail('a connection') as never,
    });
    t.equal(printContent(complexOf(model, 'A', 'urn:u')), 'sequence(id:int)');
    t.match(model.warnings, [{ file: /u\.xsd$/, line: 2, what: /DTD, which is not read/ }]);
    for (const text of servedTexts(model.documents, 'http://g/s'))
      t.notMatch(text, /DOCTYPE|ENTITY|passwd/);
  },
);

t.test('a DTD gives no entities, and may neither be long nor stand elsewhere', async (t) => {
  const bomb = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;">]>';
  const documents: Readonly<Record<string, string>> = {
    text: `${bomb}<a>&y;</a>`,
    attribute: `${bomb}<a b="&y;"/>`,
    twice: `<!DOCTYPE a>${bomb}<a/>`,
    inside: `<a>${bomb}</a>`,
    open: '<!DOCTYPE a [ <!ENTITY x "> ]><a/>',
    long: `<!DOCTYPE a [${' '.repeat(DOCTYPE_CHARS)}]><a/>`,
  };
  const expected = {
    text: { line: 1, what: /not well-formed.*entity/, remedy: /Entities of a DTD are not read/ },
    attribute: { line: 1, what: /not well-formed.*entity/ },
    twice: { line: 1, what: /DTD stands where none may/ },
    inside: { line: 1, what: /DTD stands where none may|not well-formed/ },
    open: { what: /DTD that does not end/ },
    long: { what: /too long/ },
  };
  for (const [name, problem] of Object.entries(expected)) {
    const types = schemaWith('<xs:import namespace="urn:u" schemaLocation="u.xsd"/>');
    const directory = folderWith(t, {
      [`${name}.wsdl`]: wsdlWith({ types }),
      'u.xsd': documents[name] ?? '',
    });
    const { warnings } = await readWsdl(join(directory, `${name}.wsdl`), FILES);
    t.match(warnings.at(-1), problem, name);
  }
  const directory = folderWith(t, { 'a.wsdl': `<!DOCTYPE definitions>${wsdlWith({})}` });
  t.match(await problemsOf(join(directory, 'a.wsdl')), [
    { what: /WSDL has a DTD, which is refused/ },
  ]);
  const most = `<!DOCTYPE a${' '.repeat(DOCTYPE_CHARS - '<!DOCTYPE a>'.length)}>`;
  t.strictSame(withoutDoctype(`${most}<a/>`), {
    text: `${' '.repeat(DOCTYPE_CHARS)}<a/>`,
    start: 0,
  });
  t.equal(withoutDoctype(`${most.replace('>', ' >')}<a/>`), null, 'one character more');
});

t.test(
  'an import of a document with another target namespace is reported with both names',
  async (t) => {
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        head: '<import namespace="urn:x" location="b.wsdl"/>',
        types: schemaWith(`<xs:import namespace="urn:w" schemaLocation="u.xsd"/>
        <xs:import namespace="urn:n" schemaLocation="none.xsd"/>\
<xs:import schemaLocation="u.xsd"/>`),
      }),
      'b.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:y"/>',
      'u.xsd': xsd(typeA('id')),
      'none.xsd': xsd('', ''),
    });
    const { warnings } = await readWsdl(join(directory, 'a.wsdl'), FILES);
    t.match(
      warnings.map(({ what, line }) => [line, what]),
      [
        [5, /names the namespace urn:x, but .*b\.wsdl has the target namespace urn:y/],
        [9, /names the namespace urn:w, but .*u\.xsd has the target namespace urn:u/],
        [10, /names the namespace urn:n, but .*none\.xsd has no target namespace/],
        [10, /names no namespace, but .*u\.xsd has the target namespace urn:u/],
      ],
    );
    t.match(warnings[1]?.remedy, /correct one of the two/);
  },
);

t.test(
  'declarations met twice are compared by meaning: prefixes, annotations, defaults do not count',
  async (t) => {
    const first = xsd(
      `<xs:element name="E" type="u:A" nillable="true"/>${typeA('id')}<xs:simpleType name="S">\
<xs:union memberTypes="xs:int u:T"/></xs:simpleType>
     <xs:complexType name="B"><xs:sequence><xs:element ref="u:E" maxOccurs="1"/></xs:sequence>\
<xs:attribute name="a"/><xs:attribute name="b" use="optional"/></xs:complexType>
     <xs:simpleType name="T"><xs:restriction base="xs:string"><xs:enumeration value="x"/>\
</xs:restriction></xs:simpleType>`,
    );
    const same = `<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns="urn:u" \
targetNamespace="urn:u" elementFormDefault="unqualified">
     <s:element id="e" nillable="1" name="E" type=" A " abstract="false"><s:annotation>\
<s:documentation>An E.</s:documentation></s:annotation></s:element>
     <s:complexType name="A" mixed="false"><s:sequence minOccurs="1">\
<s:element name="id" type="s:int" form="unqualified"/></s:sequence></s:complexType>
     <s:simpleType name="S"><s:union memberTypes="s:int   T"/></s:simpleType>
     <s:complexType name="B"><s:sequence><s:element ref="E"/></s:sequence><s:attribute name="b"/>\
<s:attribute name="a"/></s:complexType>
     <s:simpleType name="T"><s:restriction base="s:string"><s:enumeration value="x"/>\
</s:restriction></s:simpleType></s:schema>`;
    const read = async (second: string): Promise<readonly string[]> => {
      const two =
        '<xs:import namespace="urn:u" schemaLocation="1.xsd"/><xs:import namespace="urn:u" ' +
        'schemaLocation="2.xsd"/>';
      const directory = folderWith(t, {
        'a.wsdl': wsdlWith({ types: schemaWith(two) }),
        '1.xsd': first,
        '2.xsd': second,
      });
      return (await readWsdl(join(directory, 'a.wsdl'), FILES)).warnings.map(({ what }) => what);
    };
    t.strictSame(await read(same), []);
    const differences: readonly (readonly [string, string, string])[] = [
      ['element E', 'nillable="1"', ''],
      ['element E', 'xmlns="urn:u"', 'xmlns="urn:other"'],
      ['complexType A', 'form="unqualified"', 'form="qualified"'],
      ['complexType B', '<s:attribute name="b"/>', '<s:attribute name="b" use="required"/>'],
      ['complexType B', '<s:attribute name="b"/>', ''],
      ['simpleType T', 'value="x"', 'value=" x"'],
    ];
    for (const [name, from, to] of differences) {
      const [what] = await read(same.replace(from, to));
      t.match(
        what,
        new RegExp(
          `^${name} is declared twice and differently; the first one is used: .*1\\.xsd:\\d+\\.`,
        ),
        to,
      );
    }
  },
);

const older = (uri: string, content: string, attributes = '') =>
  wsdlWith({
    types: `${schemaWith('')}<x:schema xmlns:x="${uri}" xmlns:u="urn:u" \
xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
      xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:u" ${attributes}>\
${content}</x:schema>`,
  });

t.test('schemas of the draft of October 2000 are read as those of 2001', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': older(
      'http://www.w3.org/2000/10/XMLSchema',
      `<x:import namespace="urn:v" schemaLocation="v.xsd"/>
       <x:complexType name="A"><x:sequence><x:element name="when" type="x:timeInstant" \
nullable="true"/><x:element name="tag" type="x:CDATA" maxOccurs="*"/></x:sequence>
         <x:attribute name="kind" type="x:string" use="default" value="a b"/>\
<x:attribute name="unit" use="fixed" value="kg"/></x:complexType>
       <x:complexType name="B"><x:complexContent><x:extension base="u:A">\
<x:element name="one" type="x:int"/><x:element name="two" type="x:year"/></x:extension>\
</x:complexContent></x:complexType>
       <x:simpleType name="P"><x:restriction base="x:decimal"><x:precision value="5"/>\
<x:scale value="2"/></x:restriction></x:simpleType>
       <x:simpleType name="Hash"><x:restriction base="x:binary"><x:encoding value="base64"/>\
</x:restriction></x:simpleType>
       <x:simpleType name="Other"><x:restriction base="x:string"><x:period value="P1D"/>\
</x:restriction></x:simpleType>
       <x:complexType name="L"><x:complexContent><x:restriction base="enc:Array">\
<x:attribute ref="enc:arrayType" wsdl:arrayType="u:A[]"/></x:restriction>\
</x:complexContent></x:complexType>`,
      'elementFormDefault="qualified"',
    ),
    'v.xsd':
      '<schema xmlns="http://www.w3.org/2000/10/XMLSchema" targetNamespace="urn:v">' +
      '<element name="E" type="uriReference"/></schema>',
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  const a = complexOf(model, 'A', 'urn:u');
  t.equal(printContent(a), 'sequence({urn:u}when:timeInstant?, {urn:u}tag:CDATA[1..*])');
  t.match(a.attributes, [
    { name: { local: 'kind' }, default: 'a b', fixed: null, required: false },
    { name: { local: 'unit' }, default: null, fixed: 'kg' },
  ]);
  t.match(
    printContent(complexOf(model, 'B', 'urn:u')),
    /tag:CDATA\[1\.\.\*\], \{urn:u\}one:int, \{urn:u\}two:year\)/,
  );
  t.match(model.types.get('{urn:u}P'), {
    builtIn: 'decimal',
    facets: { totalDigits: 5, fractionDigits: 2 },
  });
  t.match(model.types.get('{urn:u}Hash'), { builtIn: 'base64Binary' });
  t.match(complexOf(model, 'L', 'urn:u').content, { kind: 'array', item: a, dimensions: 1 });
  t.match(model.elements.get('{urn:v}E')?.type, { builtIn: 'anyURI' });
  t.match(
    model.warnings.map(({ line, what }) => [line, what]),
    [
      [10, /of a draft of XML Schema, .*2000\/10.*read as one of 2001/],
      [17, /period is of a draft of XML Schema: it is not read/],
    ],
  );
});

t.test('schemas of the drafts of 1999 are read as those of 2001', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': older(
      'http://www.w3.org/1999/XMLSchema',
      `<x:complexType name="A" content="elementOnly"><x:element name="id" type="x:int"/>\
<x:element name="more" type="u:Size" minOccurs="0"/><x:attribute name="a" type="x:string" \
minOccurs="1"/></x:complexType>
       <x:complexType name="B" base="u:A" derivedBy="extension"><x:all>\
<x:element name="b" type="x:ur-type"/></x:all></x:complexType>
       <x:complexType name="Price" base="x:decimal" derivedBy="extension">\
<x:attribute name="currency" type="x:string"/></x:complexType>
       <x:complexType name="Text" content="textOnly"><x:attribute name="lang" type="x:string"/>\
</x:complexType>
       <x:complexType name="Mixed" content="mixed"><x:element name="b" type="x:int"/>\
</x:complexType>
       <x:complexType name="Either"><x:group order="choice" maxOccurs="*">\
<x:element name="x" type="x:int"/><x:element name="y" type="x:int"/></x:group></x:complexType>
       <x:complexType name="None" content="empty"/>
       <x:simpleType name="Size" base="x:string"><x:enumeration value="S"/>\
<x:enumeration value="L"/></x:simpleType>
       <x:simpleType name="Sizes" base="u:Size" derivedBy="list"/>
       <x:complexType name="ArrayOfA" base="enc:Array"><x:attribute ref="enc:arrayType" \
wsdl:arrayType="u:A[,]"/></x:complexType>
       <x:archetype name="Early"/>`,
    ),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  const content = (name: string): string => printContent(complexOf(model, name, 'urn:u'));
  t.equal(content('A'), 'sequence(id:int, more:Size[0..1])');
  t.match(complexOf(model, 'A', 'urn:u').attributes, [{ name: { local: 'a' }, required: true }]);
  t.match(content('B'), /^sequence\(id:int, more:Size\[0\.\.1\], (?:all|sequence)\(b:anyType\)\)/);
  t.equal(complexOf(model, 'B', 'urn:u').base, complexOf(model, 'A', 'urn:u'));
  t.equal(content('Price'), 'text decimal');
  t.match(complexOf(model, 'Price', 'urn:u').attributes, [{ name: { local: 'currency' } }]);
  t.equal(content('Text'), 'text string');
  t.match(complexOf(model, 'Mixed', 'urn:u').content, { kind: 'opaque', mixed: {} });
  t.equal(content('Either'), 'choice(x:int, y:int)[1..*]');
  t.equal(content('None'), 'empty');
  t.match(model.types.get('{urn:u}Size'), {
    builtIn: 'string',
    enumeration: [{ value: 'S' }, { value: 'L' }],
  });
  t.match(model.types.get('{urn:u}Sizes'), {
    variety: 'list',
    item: model.types.get('{urn:u}Size'),
  });
  t.match(complexOf(model, 'ArrayOfA', 'urn:u').content, { kind: 'array', dimensions: 2 });
  t.match(model.warnings, [
    { what: /draft of XML Schema, .*1999/ },
    { what: /archetype is of a draft/ },
  ]);
});

t.test(
  'well-known schemas are read from the copies that come along where a WSDL does not bring them',
  async (t) => {
    const wsa = 'http://www.w3.org/2005/08/addressing';
    const wsnt = 'http://docs.oasis-open.org/wsn/b-2';
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        head:
          '<import namespace="http://docs.oasis-open.org/wsrf/rw-2" ' +
          'location="http://docs.oasis-open.org/wsrf/rw-2.wsdl"/>',
        types: schemaWith(`<xs:import namespace="${wsa}"/><xs:import namespace="${wsnt}" \
schemaLocation="http://docs.oasis-open.org/wsn/b-2.xsd"/>
        <xs:import namespace="http://www.w3.org/2001/04/xmlenc#" schemaLocation="xenc.xsd"/>
        <xs:import namespace="urn:unknown" schemaLocation="http://unknown.example/x.xsd"/>
        <xs:element name="E" type="wsa:EndpointReferenceType" xmlns:wsa="${wsa}"/>\
<xs:element name="F" type="n:FilterType" xmlns:n="${wsnt}"/>`),
        messages: `<message name="In"><part name="p" element="t:Get"/>\
<part name="h" element="d:Security" \
xmlns:d="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"/>\
</message>
        <message name="Out"><part name="p" element="t:GetResponse"/></message>`,
      }),
    });
    const model = await readWsdl(join(directory, 'a.wsdl'), {
      ...FILES,
      fetch: () => t.fail('a connection') as never,
    });
    t.equal(model.elements.get('{urn:t}E')?.type, complexOf(model, 'EndpointReferenceType', wsa));
    t.equal(model.elements.get('{urn:t}F')?.type, complexOf(model, 'FilterType', wsnt));
    t.ok(
      model.elements.has(
        '{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}Security',
      ),
    );
    const names = model.documents.map(({ location }) => location.split('/').at(-1));
    t.equal(new Set(names).size, names.length, 'each once');
    t.ok(
      ['rw-2.wsdl', 'r-2.xsd', 'bf-2.xsd', 'xenc-schema.xsd'].every((name) => names.includes(name)),
    );
    const warnings = model.warnings.filter(({ file }) => file?.endsWith('a.wsdl'));
    t.match(
      warnings.map(({ what }) => what),
      [/names a URL/, /xenc\.xsd cannot be found\. The copy that comes with Soapstone is read/],
    );
    const [served = ''] = servedTexts(model.documents, 'http://g/s');
    t.match(
      served,
      `<xs:import schemaLocation="http://g/s?xsd=${names.indexOf('ws-addr.xsd')}" ` +
        `namespace="${wsa}"/>`,
    );
    t.match(served, `schemaLocation="http://g/s?xsd=${names.indexOf('b-2.xsd')}"`);
    const copy = t.testdir({});
    const again = await readWsdl(join(copy, await copyWsdl(model, copy)), FILES);
    const unnamed = again.documents.filter(({ location }) => location.startsWith('soapstone'));
    t.strictSame(
      unnamed.map(({ location }) => location.replace(/.*-wssecurity/, '')),
      ['-secext-1.0.xsd', '-utility-1.0.xsd'],
      'the copy has all but what no import names',
    );
    t.equal(again.types.size, model.types.size);
  },
);

t.test(
  'a document that the WSDL brings along is preferred to the copy of a well-known one',
  async (t) => {
    const wsa = 'http://www.w3.org/2005/08/addressing';
    const own = xsd('<xs:complexType name="EndpointReferenceType"/>', `targetNamespace="${wsa}"`);
    const b2 =
      '<xs:import namespace="http://docs.oasis-open.org/wsn/b-2" ' +
      'schemaLocation="http://docs.oasis-open.org/wsn/b-2.xsd"/>';
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        types: schemaWith(`${b2}<xs:import namespace="${wsa}" schemaLocation="addr.xsd"/>`),
      }),
      'addr.xsd': own,
      'inline.wsdl': wsdlWith({
        types: `${schemaWith(`${b2}<xs:import namespace="${wsa}"/>`)}${own}`,
      }),
    });
    for (const name of ['a.wsdl', 'inline.wsdl']) {
      const model = await readWsdl(join(directory, name), FILES);
      t.notOk(
        model.documents.some(({ location }) => location.endsWith('ws-addr.xsd')),
        name,
      );
      t.equal(complexOf(model, 'EndpointReferenceType', wsa).content.kind, 'empty', name);
    }
  },
);

t.test(
  'each copy of a well-known schema is there, declares its namespace, and is read whole',
  async (t) => {
    for (const [namespace, name] of WELL_KNOWN) {
      const reference = name.endsWith('.wsdl')
        ? { head: `<import namespace="${namespace}" location="http://x.example/"/>` }
        : { types: schemaWith(`<xs:import namespace="${namespace}"/>`) };
      const directory = folderWith(t, { [`${name}.wsdl`]: wsdlWith(reference) });
      const model = await readWsdl(join(directory, `${name}.wsdl`), FILES);
      t.equal(model.documents[1]?.location, `soapstone/schemas/${name}`, namespace);
      const wrong = model.warnings.filter(
        ({ what }) => !/anyAttribute|qualified names|UsingAddressing|no binding/.test(what),
      );
      t.strictSame(wrong, [], namespace);
    }
    t.strictSame(new Set(readdirSync('schemas')), new Set(['README.md', ...WELL_KNOWN.values()]));
  },
);

t.test(
  'files beside the folder of a WSDL on the command line are read, and the ' +
    'warning names their folder',
  async (t) => {
    const directory = folderWith(t, {
      'v1/air/a.wsdl': importing(
        '<xs:import namespace="urn:u" schemaLocation="../common/u.xsd"/>',
        '<xs:import namespace="urn:v" schemaLocation="../../v2/v.xsd"/>',
        '<xs:import namespace="urn:w" schemaLocation="../../v2/w.txt"/>',
        '<xs:import namespace="urn:x" schemaLocation="link.xsd"/>',
      ),
      'v1/common/u.xsd': xsd(typeA('id')),
      'v2/v.xsd': xsd('', 'targetNamespace="urn:v"'),
      'v2/w.txt': xsd('', 'targetNamespace="urn:w"'),
      'v2/x.xsd': xsd('', 'targetNamespace="urn:x"'),
    });
    symlinkSync(join(directory, 'v2/x.xsd'), join(directory, 'v1/air/link.xsd'));
    const main = join(directory, 'v1/air/a.wsdl');
    const model = await readWsdl(main, { ...FILES, nearby: true });
    t.equal(model.documents.length, 3);
    t.equal(printContent(complexOf(model, 'A', 'urn:u')), 'sequence(id:int)');
    t.match(model.warnings, [
      {
        line: 9,
        what: /outside the folder.* in 2 places, also \S+:10\.$/,
        remedy: /^Read it with: soapstone import \S+a\.wsdl -o FOLDER --root \S+wsdl$/,
      },
      { file: main, what: /outside its folder; they were read from \S+\/wsdl\.$/ },
    ]);
    t.equal((await readWsdl(main, FILES)).documents.length, 1, 'without being asked for, nothing');
    t.equal(
      (await readWsdl(main, { ...FILES, nearby: true, root: join(directory, 'v1') })).documents
        .length,
      2,
    );
  },
);

t.test('how far from the folder of a WSDL its files are read', (t) => {
  const home = '/home/user';
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['/srv/w/a/b/c/d', '/srv/w/xsd/x.xsd', true],
    ['/srv/w/a/b/c/d/e', '/srv/w/xsd/x.xsd', false],
    ['/srv/w/v1/air', '/srv/w/v1/hotel/x.xsd', true],
    ['/srv/w/v1/air', '/srv/w/v1/hotel/x.wsdl', true],
    ['/srv/w/v1/air', '/srv/w/v1/hotel/x', true],
    ['/srv/w/v1/air', '/srv/w/v1/hotel/b/x.xsd', true],
    ['/srv/w/v1/air', '/srv/w/v1/.hotel/x.xsd', false],
    ['/srv/w/v1/air', '/srv/w/hotel/x.xsd', true],
    ['/srv/w/a', '/srv/w/Schemas/X.WSDL', true],
    ['/srv/w/a', '/srv/w/v2/x.xml', true],
    ['/srv/w/a', '/srv/w/v2/S.svc?xsd=xsd0', true],
    ['/srv/w/a', '/srv/w/v2/S.svc', false],
    ['/srv/w/a', '/srv/w/v2/x.conf', false],
    ['/srv/w/a', '/srv/w/common/envelope', true],
    ['/srv/w/a', '/srv/w/common/.b/x.xsd', false],
    ['/srv/w/a', '/srv/w/common/b/.x.xsd', false],
    ['/srv/.w/a', '/srv/.w/v2.1/x.xsd', true],
    ['/srv/w/a/ver10/b', '/srv/w/a/ver10/x.xsd', true],
    ['/srv/w/a', '/srv/w/secrets/x.txt', false],
    ['/srv/w/a', '/srv/w/x.xsd', true],
    ['/srv/w', '/srv/x.xsd', false],
    ['/srv', '/x.xsd', false],
    ['/home/user/w/a', '/home/user/w/xsd/x.xsd', true],
    ['/home/user/w', '/home/user/x.xsd', false],
    ['/home/user/w', '/home/user/.ssh/id', false],
    ['/home/user/w', '/home/other/x.xsd', false],
  ];
  for (const [from, file, expected] of cases)
    t.equal(isNearby(from, file, home), expected, `${from} ${file}`);
  t.equal(sharedFolder(['/a/b/c', '/a/bb']), '/a');
  t.equal(sharedFolder(['/a', '/b']), '/');
  t.equal(shellWord("it's here"), `'it'\\''s here'`);
  t.end();
});

t.test('warnings of one cause are one, with their number, places and remedy', async (t) => {
  const elements = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
    (name) => `<xs:element name="${name}" type="m:${name}"/>`,
  );
  const directory = folderWith(t, {
    'a.wsdl': wsdlWith({
      types: schemaWith(`<xs:complexType name="T" xmlns:m="urn:missing"><xs:sequence>
        ${elements.join('\n')}<xs:element ref="m:h"/></xs:sequence>\
<xs:attribute name="i" type="m:i"/><xs:attribute ref="m:j"/></xs:complexType>
        <xs:element name="one" type="t:Missing"/>`)
        .concat(xsd('<xs:complexType name="Own"/>', ''))
        .replace('</xs:schema>', '<xs:element name="two" type="t:Own"/></xs:schema>'),
    }),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.match(model.warnings, [
    { what: /The type t:Missing is not declared/, remedy: null },
    { what: /The type t:Own is not declared/, remedy: /without targetNamespace declares it/ },
    {
      line: 10,
      what: /^No schema of the namespace urn:missing was read: .* in 10 places, also (?:\S+a\.wsdl:\d+, ){4}\S+a\.wsdl:\d+ and 4 more\.$/,
      remedy: /Import its document/,
    },
  ]);
});
