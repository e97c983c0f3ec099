import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';

/** Mixed content with declared elements: names and addresses of HL7, criteria of SharePoint. */

const TYPES = `<xs:complexType name="Name" mixed="true"><xs:sequence>\
<xs:element name="given" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>\
<xs:element name="family" type="xs:string"/><xs:element name="born" type="xs:date" minOccurs="0"/>\
</xs:sequence><xs:attribute name="use" type="xs:string"/></xs:complexType>
<xs:complexType name="Words" mixed="true"/>
<xs:complexType name="Titled" mixed="true"><xs:complexContent><xs:extension base="t:Name">\
<xs:sequence><xs:element name="title" type="xs:string" minOccurs="0"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
<xs:complexType name="Note" mixed="true"><xs:sequence><xs:element name="text" type="xs:int" \
minOccurs="0"/><xs:any processContents="lax" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:complexType name="Tags" mixed="true"><xs:sequence><xs:element name="tag" type="xs:string" \
minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>`;
const CONTENT = ['name:Name', 'words:Words', 'note:Note', 'tags:Tags']
  .map((each) => each.split(':'))
  .map(([name, type]) => `<xs:element name="${name}" type="t:${type}" minOccurs="0"/>`)
  .join('');
const WSDL = desk({ types: TYPES, request: CONTENT, reply: CONTENT });
const reply = (content: string): string => `<t:GetResponse>${content}</t:GetResponse>`;

t.test('declared elements of mixed content are fields beside its text and its XML', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const { data, errors } = await ask(
    '{ get { name { __typename use given family born text xml ... on Titled { title } } words ' +
      'note { text textContent any { name value } } tags { tag text } } }',
    reply(`<t:name xsi:type="t:Titled" use="L">Dr. <t:given>Zoë</t:given> <t:given>B</t:given> \
<t:family>Søn</t:family> jr.<t:title>Dr</t:title></t:name>
      <t:words>just a text</t:words><t:note>see <t:text>5</t:text>\
<o:more xmlns:o="urn:o">m</o:more></t:note><t:tags><t:tag>a</t:tag></t:tags>`),
  );
  t.equal(errors, undefined);
  t.match(data, {
    get: {
      name: {
        __typename: 'Titled',
        use: 'L',
        given: ['Zoë', 'B'],
        family: 'Søn',
        born: null,
        text: /^Dr\. +jr\.$/,
        title: 'Dr',
        xml: /^<name .*>Dr\. <given>Zoë<\/given> <given>B<\/given> <family>Søn<\/family> jr\.<title>Dr<\/title><\/name>$/,
      },
      words: 'just a text',
      note: { text: 5, textContent: 'see', any: [{ name: '{urn:o}more', value: 'm' }] },
      tags: { tag: ['a'], text: '' },
    },
  });
});

t.test('mixed content is written from its fields or as XML', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const send = async (args: string): Promise<string> => {
    const { errors } = await ask(`{ get(${args}) { words } }`, reply(''));
    return errors === undefined
      ? sent().replace(/.*?<\w+:Get[^>]*>|<\/\w+:Get>.*/gs, '')
      : (errors[0]?.message ?? '');
  };
  t.match(
    await send(
      'name: { name: { text: "Dr. ", given: ["A"], family: "B", born: "2024-02-29", use: "L" } }',
    ),
    /^<(\w+):name use="L">Dr\. <\1:given>A<\/\1:given><\1:family>B<\/\1:family><\1:born>2024-02-29<\/\1:born><\/\1:name>$/,
  );
  t.match(await send('words: "a < b"'), /:words>a &lt; b</);
  t.match(
    await send('name: { name: { xml: "<name xmlns=\'urn:t\'>a <family>B</family> c</name>" } }'),
    /^<(\w+):name>a <\1:family>B<\/\1:family> c<\/\1:name>$/,
  );
  t.match(
    await send('note: { any: { name: "{urn:c}Where", value: { Eq: "x" } } }'),
    /<(n\d):Where><\1:Eq>x<\/\1:Eq><\/\1:Where><\/\w+:note>/,
  );
  t.match(await send('name: { name: { text: "x" } }'), /family: a value is required/);
  t.match(await send('name: { name: { family: "B", born: "2024-02-30" } }'), /born/);
  t.match(
    await send('name: { name: { family: "B", xml: "<name/>" } }'),
    /must have nothing beside xml/,
  );
  t.match(
    await send(`note: { textContent: "${'x'.repeat(1_048_577)}" }`),
    /longer than allowed|LIMIT|too/i,
  );
});
