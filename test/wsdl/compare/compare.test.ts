import { join } from 'node:path';
import t from 'tap';
import { type Comparison, compareWsdls } from '../../../src/wsdl/compare/compare.js';
import { runCommand } from '../../kit/command.js';
import { modelOf, schemaWith, wsdlWith } from '../written.js';

/** Both directions carry `t:Order`, so that each change is seen from either side. */
const service = (
  content: string,
  more: { readonly binding?: string; readonly portType?: string } = {},
): string =>
  wsdlWith({
    types: `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
<xs:element name="Get" type="t:Order"/><xs:element name="GetResponse" type="t:Order"/>
${content}</xs:schema>`,
    ...more,
  });

const order = (inside: string, more = ''): string =>
  `<xs:complexType name="Order">${inside}</xs:complexType>${more}`;
const sequence = (...elements: readonly string[]): string =>
  `<xs:sequence>${elements.join('')}</xs:sequence>`;
const element = (name: string, type: string, more = ''): string =>
  `<xs:element name="${name}" type="${type}" ${more}/>`;
const simple = (restriction: string): string =>
  `<xs:simpleType name="Code"><xs:restriction ${restriction}</xs:restriction></xs:simpleType>`;

const compare = async (before: string, after: string): Promise<Comparison> =>
  compareWsdls(await modelOf(before), await modelOf(after));

const printed = ({ changes }: Comparison): readonly string[] =>
  changes.map(({ severity, where, what }) => `${severity}: ${where} ${what}`);

const A = element('a', 'xs:int');
const values = (...all: readonly string[]): string =>
  '<xs:simpleType><xs:restriction base="xs:string">' +
  `${all.map((value) => `<xs:enumeration value="${value}"/>`).join('')}</xs:restriction>` +
  '</xs:simpleType>';

/** Name, the type before and after, and what is said of it. */
const CASES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['nothing changed', order(sequence(A)), order(sequence(A)), []],
  [
    'an optional element more',
    order(sequence(A)),
    order(sequence(A, element('b', 'xs:int', 'minOccurs="0"'))),
    [
      'safe: Get request: Get/b is new',
      'dangerous: Get reply: GetResponse/b is new: strict readers do not expect it',
    ],
  ],
  [
    'a required element more',
    order(sequence(A)),
    order(sequence(A, element('b', 'xs:int'))),
    [
      'breaking: Get request: Get/b is new and required',
      'dangerous: Get reply: GetResponse/b is new: strict readers do not expect it',
    ],
  ],
  [
    'an element less',
    order(sequence(A, element('b', 'xs:int'))),
    order(sequence(A)),
    ['breaking: Get request: Get/b is gone', 'breaking: Get reply: GetResponse/b is gone'],
  ],
  [
    'required becomes optional',
    order(sequence(A)),
    order(sequence(element('a', 'xs:int', 'minOccurs="0"'))),
    [
      'safe: Get request: Get/a may be absent now',
      'breaking: Get reply: GetResponse/a may be absent now',
    ],
  ],
  [
    'one becomes many',
    order(sequence(A)),
    order(sequence(element('a', 'xs:int', 'maxOccurs="unbounded"'))),
    [
      'safe: Get request: Get/a may stand there any number of times now',
      'breaking: Get reply: GetResponse/a may stand there any number of times now',
    ],
  ],
  [
    'a choice makes its branches optional',
    order(sequence(A, element('b', 'xs:int'))),
    order(`<xs:choice>${A}${element('b', 'xs:int')}</xs:choice>`),
    [
      'safe: Get request: Get/a may be absent now',
      'safe: Get request: Get/b may be absent now',
      'breaking: Get request: Get has only one of a and b now',
      'breaking: Get reply: GetResponse/a may be absent now',
      'breaking: Get reply: GetResponse/b may be absent now',
      'safe: Get reply: GetResponse has only one of a and b now',
    ],
  ],
  [
    'two that may be absent exclude each other',
    order(
      sequence(element('a', 'xs:int', 'minOccurs="0"'), element('b', 'xs:int', 'minOccurs="0"')),
    ),
    order(`<xs:choice>${A}${element('b', 'xs:int')}</xs:choice>`),
    [
      'breaking: Get request: Get has only one of a and b now',
      'safe: Get reply: GetResponse has only one of a and b now',
    ],
  ],
  [
    'two that excluded each other may stand together',
    order(`<xs:choice>${A}${element('b', 'xs:int')}</xs:choice>`),
    order(
      sequence(element('a', 'xs:int', 'minOccurs="0"'), element('b', 'xs:int', 'minOccurs="0"')),
    ),
    [
      'safe: Get request: Get may have both a and b now',
      'dangerous: Get reply: GetResponse may have both a and b now',
    ],
  ],
  [
    'a choice in a choice and groups of one mean nothing',
    order(`<xs:choice>${A}${element('b', 'xs:int')}${element('c', 'xs:int')}</xs:choice>`),
    order(
      `<xs:sequence><xs:choice><xs:choice>${A}<xs:sequence>` +
        `${element('b', 'xs:int')}</xs:sequence></xs:choice>` +
        `${element('c', 'xs:int')}</xs:choice></xs:sequence>`,
    ),
    [],
  ],
  [
    'a choice that may be left out must be taken',
    order(`<xs:choice minOccurs="0">${A}${element('b', 'xs:int')}</xs:choice>`),
    order(`<xs:choice>${A}${element('b', 'xs:int')}</xs:choice>`),
    [
      'dangerous: Get request: Get has its elements in other groups',
      'dangerous: Get reply: GetResponse has its elements in other groups',
    ],
  ],
  [
    'room for anything is gone',
    order(sequence(A, '<xs:any processContents="lax" minOccurs="0"/>'), ''),
    order(sequence(A)),
    [
      'breaking: Get request: Get allows no further elements any more',
      'breaking: Get reply: GetResponse allows no further elements any more',
    ],
  ],
  [
    'room for any attribute is new',
    order(sequence(A)),
    order(`${sequence(A)}<xs:anyAttribute/>`),
    [
      'safe: Get request: Get allows further attributes now',
      'dangerous: Get reply: GetResponse allows further attributes now',
    ],
  ],
  [
    'room for anything of another namespace',
    order(`${sequence(A, '<xs:any namespace="urn:x urn:y" minOccurs="0"/>')}<xs:anyAttribute/>`),
    order(`${sequence(A, '<xs:any namespace="urn:y" minOccurs="0"/>')}<xs:anyAttribute/>`),
    [
      'dangerous: Get request: Get lets in other further elements than before',
      'dangerous: Get reply: GetResponse lets in other further elements than before',
    ],
  ],
  [
    'an attribute has another value of its own',
    order('<xs:attribute name="p" fixed="1"/><xs:attribute name="q" default="1"/>'),
    order('<xs:attribute name="p" fixed="2"/><xs:attribute name="q" default="2"/>'),
    [
      'dangerous: Get request: Get/@p has another fixed value',
      'dangerous: Get request: Get/@q has another default',
      'dangerous: Get reply: GetResponse/@p has another fixed value',
      'dangerous: Get reply: GetResponse/@q has another default',
    ],
  ],
  [
    'a list of fewer values',
    order(
      sequence(element('a', 't:Code')),
      `<xs:simpleType name="Code"><xs:list>${values('A', 'B')}</xs:list></xs:simpleType>`,
    ),
    order(
      sequence(element('a', 't:Code')),
      `<xs:simpleType name="Code"><xs:list>${values('A')}</xs:list></xs:simpleType>`,
    ),
    [
      'breaking: Get request: Get/a, its items the value "B" is gone',
      'safe: Get reply: GetResponse/a, its items the value "B" is gone',
    ],
  ],
  [
    'a union of other members',
    order(
      sequence(element('a', 't:Code')),
      '<xs:simpleType name="Code"><xs:union memberTypes="xs:int xs:date">' +
        `${values('A', 'B')}</xs:union></xs:simpleType>`,
    ),
    order(
      sequence(element('a', 't:Code')),
      '<xs:simpleType name="Code"><xs:union memberTypes="xs:boolean xs:int xs:time">' +
        `${values('A')}</xs:union></xs:simpleType>`,
    ),
    [
      'safe: Get request: Get/a has the new member time in its union',
      'breaking: Get request: Get/a, a member of it is of type boolean instead of date',
      'breaking: Get request: Get/a, a member of it the value "B" is gone',
      'dangerous: Get reply: GetResponse/a has the new member time in its union',
      'breaking: Get reply: GetResponse/a, a member of it is of type boolean instead of date',
      'safe: Get reply: GetResponse/a, a member of it the value "B" is gone',
    ],
  ],
  [
    'another order',
    order(sequence(A, element('b', 'xs:int'))),
    order(sequence(element('b', 'xs:int'), A)),
    [
      'breaking: Get request: Get has its elements in another order',
      'dangerous: Get reply: GetResponse has its elements in another order',
    ],
  ],
  [
    'nil',
    order(sequence(A)),
    order(sequence(element('a', 'xs:int', 'nillable="true"'))),
    [
      'safe: Get request: Get/a may be nil now',
      'breaking: Get reply: GetResponse/a may be nil now',
    ],
  ],
  [
    'a wider type',
    order(sequence(A)),
    order(sequence(element('a', 'xs:long'))),
    [
      'dangerous: Get request: Get/a is of type long instead of int',
      'breaking: Get reply: GetResponse/a is of type long instead of int',
    ],
  ],
  [
    'a value more',
    order(sequence(element('a', 't:Code')), simple('base="xs:string"><xs:enumeration value="A"/>')),
    order(
      sequence(element('a', 't:Code')),
      simple('base="xs:string"><xs:enumeration value="A"/><xs:enumeration value="B"/>'),
    ),
    [
      'safe: Get request: Get/a the value "B" is new',
      'dangerous: Get reply: GetResponse/a the value "B" is new',
    ],
  ],
  [
    'a tighter facet',
    order(sequence(element('a', 't:Code')), simple('base="xs:string"><xs:maxLength value="9"/>')),
    order(sequence(element('a', 't:Code')), simple('base="xs:string"><xs:maxLength value="8"/>')),
    [
      'breaking: Get request: Get/a has maxLength 8 instead of 9',
      'safe: Get reply: GetResponse/a has maxLength 8 instead of 9',
    ],
  ],
  [
    'an attribute required',
    order('<xs:attribute name="id" type="xs:int"/>'),
    order('<xs:attribute name="id" type="xs:int" use="required"/>'),
    [
      'breaking: Get request: Get/@id is required now',
      'safe: Get reply: GetResponse/@id is required now',
    ],
  ],
  [
    'a derived type more',
    order(sequence(A)),
    order(
      sequence(A),
      '<xs:complexType name="Rush"><xs:complexContent><xs:extension base="t:Order"/>' +
        '</xs:complexContent></xs:complexType>',
    ),
    [
      'safe: Get request: Get may be of the new type Rush',
      'dangerous: Get reply: GetResponse may be of the new type Rush',
    ],
  ],
  [
    'a structure becomes a value',
    order(
      sequence(element('a', 't:Inner')),
      `<xs:complexType name="Inner">${sequence(A)}</xs:complexType>`,
    ),
    order(sequence(A)),
    [
      'breaking: Get request: Get/a is a simple value now',
      'breaking: Get reply: GetResponse/a is a simple value now',
    ],
  ],
  [
    'a type within itself is compared once',
    order(sequence(A, element('next', 't:Order', 'minOccurs="0"'))),
    order(sequence(element('a', 'xs:string'), element('next', 't:Order', 'minOccurs="0"'))),
    [
      'breaking: Get request: Get/a is of type string instead of int',
      'breaking: Get reply: GetResponse/a is of type string instead of int',
    ],
  ],
];

for (const [name, before, after, expected] of CASES) {
  t.test(`changes of types: ${name}`, async (t) => {
    t.strictSame(printed(await compare(service(before), service(after))), expected);
  });
}

const BINDING = (action: string, extra = ''): string =>
  '<binding name="B" type="t:P"><soap:binding style="document" ' +
  'transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get">' +
  `<soap:operation soapAction="${action}"/><input><soap:body use="literal"/></input><output>` +
  `<soap:body use="literal"/></output></operation>${extra}</binding>`;
const ADD =
  '<operation name="Add"><soap:operation soapAction=""/><input>' +
  '<soap:body use="literal"/></input></operation>';
const PORT_TYPE =
  '<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/>' +
  '</operation><operation name="Add"><input message="t:In"/></operation></portType>';

t.test('changes of operations', async (t) => {
  const plain = service(order(sequence(A)));
  const other = service(order(sequence(A)), { binding: BINDING('urn:other') });
  t.strictSame(printed(await compare(plain, other)), ['breaking: Get has another SOAPAction']);
  const more = service(order(sequence(A)), {
    binding: BINDING('urn:get', ADD),
    portType: PORT_TYPE,
  });
  const isAlike = (owner: string): readonly string[] => [
    `dangerous: Add the operation is new, and its requests look like those of ${owner}`,
  ];
  t.strictSame(printed(await compare(plain, more)), isAlike('Get'), 'by its request element');
  t.strictSame(printed(await compare(more, plain)), ['breaking: Add the operation is gone']);
  const own = (text: string, action = 'urn:add'): string =>
    text
      .replace('</xs:schema>', '<xs:element name="Add" type="xs:string"/></xs:schema>')
      .replace(
        '<portType',
        '<message name="AddIn"><part name="p" element="t:Add"/></message><portType',
      )
      .replace(
        '<operation name="Add"><input message="t:In"/>',
        '<operation name="Add"><input message="t:AddIn"/>',
      )
      .replace('soapAction=""', `soapAction="${action}"`);
  t.strictSame(printed(await compare(plain, own(more))), ['safe: Add the operation is new']);
  t.strictSame(
    printed(await compare(plain, own(more, 'urn:get'))),
    isAlike('Get'),
    'by its action',
  );
  const port = (text: string): string =>
    text
      .replace(
        '</service>',
        '<port name="Other" binding="t:B2"><soap:address location="http://a/"/></port></service>',
      )
      .replace(
        '<service ',
        `<portType name="P2">${PORT_TYPE.slice(PORT_TYPE.indexOf('<operation name="Add"'))}` +
          `${BINDING('urn:get', ADD)
            .replace('name="B" type="t:P"', 'name="B2" type="t:P2"')
            .replace(/<operation name="Get">.*?<\/operation>/, '')}` +
          '<service ',
      );
  t.strictSame(printed(await compare(plain, port(plain))), [
    'safe: port Other is new',
    ...isAlike('Get'),
  ]);
  const unknown = own(more).replace('element="t:Add"', 'element="t:Nowhere"');
  t.match(printed(await compare(plain, unknown)), [
    /^dangerous: Add the operation is new, and its requests/,
  ]);
});

t.test('changes of messages of several parts', async (t) => {
  const parts = (...elements: readonly string[]): string =>
    `<message name="In">${elements
      .map(
        (name, at) => `<part name="p${at}" \
element="t:${name}"/>`,
      )
      .join('')}` +
    '</message><message name="Out"><part name="p" element="t:GetResponse"/></message>';
  const wsdl = (type: string, ...elements: readonly string[]): string =>
    wsdlWith({
      types: schemaWith(`<xs:element name="Page" type="${type}"/>`),
      messages: parts(...elements),
    });
  const changes = async (before: string, after: string) => printed(await compare(before, after));
  const one = wsdl('xs:int', 'Get');
  const two = wsdl('xs:int', 'Get', 'Page');
  t.strictSame(await changes(two, two), []);
  t.strictSame(await changes(one, two), [
    'breaking: Get request has 2 elements in Body, and had one element',
  ]);
  t.strictSame(await changes(two, one), [
    'breaking: Get request has one element in Body, and had 2 elements',
  ]);
  t.strictSame(await changes(two, wsdl('xs:string', 'Get', 'Page')), [
    'breaking: Get request: Page is of type string instead of int',
  ]);
  t.match(await changes(two, wsdl('xs:int', 'Page', 'Get')), [
    'breaking: Get request is another element: Page in urn:t',
    /./,
    'breaking: Get request is another element: Get in urn:t',
  ]);
  t.strictSame(await changes(two, wsdl('xs:int')), ['breaking: Get request is empty now']);
});

t.test(
  'attachments of a request are required, further ones of a reply are more to select',
  async (t) => {
    const content = (part: string): string =>
      `<mime:part><mime:content part="${part}" type="image/png"/></mime:part>`;
    const none = '<soap:body use="literal" parts="p"/>';
    const wsdl = (input: string, output: string): string =>
      wsdlWith({
        types: schemaWith(''),
        messages: `<message name="In"><part name="p" element="t:Get"/>\
<part name="a" type="xs:string"/></message>
        <message name="Out"><part name="p" element="t:GetResponse"/>\
<part name="a" type="xs:string"/><part name="b" type="xs:string"/></message>`,
        binding: `<binding name="B" type="t:P">\
<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get">\
<soap:operation soapAction="urn:get"/>
        <input>${input}</input><output>${output}</output></operation></binding>`,
      });
    const related = (...parts: readonly string[]): string =>
      `<mime:multipartRelated><mime:part>${none}</mime:part>${parts.map(content).join('')}` +
      '</mime:multipartRelated>';
    const changes = async (before: string, after: string) => printed(await compare(before, after));
    const both = wsdl(related('a'), related('a'));
    t.strictSame(await changes(both, both), []);
    t.strictSame(await changes(wsdl(none, none), both), [
      'breaking: Get request the attachment a is new',
      'breaking: Get reply the attachment a is new',
    ]);
    t.strictSame(await changes(both, wsdl(related('a'), related('b', 'a'))), [
      'safe: Get reply the attachment b is new',
    ]);
    t.strictSame(await changes(both, wsdl(none, none)), [
      'breaking: Get request the attachment a is gone',
      'breaking: Get reply the attachment a is gone',
    ]);
  },
);

t.test('the command prints the worst first and exits with 1 when something breaks', async (t) => {
  const folder = t.testdir({
    'one.wsdl': wsdlWith({}),
    'two.wsdl': wsdlWith({ binding: BINDING('urn:other') }),
  });
  const [one, two] = [join(folder, 'one.wsdl'), join(folder, 'two.wsdl')];
  t.match(await runCommand('diff', one, two), {
    code: 1,
    all: /^breaking {2}Get {2}has another SOAPAction\n1 breaking, 0 dangerous, 0 safe\.$/,
  });
  t.match(await runCommand('diff', one, one), { code: 0, all: /^No changes\.$/ });
  t.match(await runCommand('diff', one, join(folder, 'none.wsdl')), {
    code: 2,
    all: /cannot be found/,
  });
});
