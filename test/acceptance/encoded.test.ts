import t from 'tap';
import { startDesk } from './desk.js';

/** A WSDL in rpc/encoded style with one operation `Get`, whose result has this type. */
const encodedDesk = (types: string, result: string): string => `<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
  xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t">
<types><xs:schema targetNamespace="urn:t">${types}</xs:schema></types>
<message name="In"/><message name="Out"><part name="result" type="${result}"/></message>
<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/>\
</operation></portType>
<binding name="B" type="t:P"><soap:binding style="rpc" \
transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="Get"><soap:operation soapAction="urn:t#Get"/>
    <input><soap:body use="encoded" namespace="urn:t" \
encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
    <output><soap:body use="encoded" namespace="urn:t" \
encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output>
  </operation></binding>
<service name="S"><port name="P" binding="t:B"><soap:address location="http://127.0.0.1:1/"/>\
</port></service>
</definitions>`;

const ITEMS = `
<xs:complexType name="Item"><xs:sequence><xs:element name="id" type="xs:int"/>\
<xs:element name="note" type="xs:string"/></xs:sequence></xs:complexType>
<xs:complexType name="Items"><xs:complexContent><xs:restriction base="enc:Array">\
<xs:attribute ref="enc:arrayType" wsdl:arrayType="t:Item[]"/></xs:restriction>\
</xs:complexContent></xs:complexType>`;

const item = (id: string, note: string): string =>
  `<item xsi:type="t:Item"><id xsi:type="xs:int">${id}</id>${note}</item>`;

t.test(
  'a nil or absent accessor of an encoded struct is null, and the struct is there',
  async (t) => {
    const shop = await startDesk(t, encodedDesk(ITEMS, 't:Items'));
    const body = `<t:GetResponse><result xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" \
xsi:type="enc:Array" enc:arrayType="t:Item[3]">
    ${item('1', '<note xsi:type="xs:string">a</note>')}${item('2', '<note xsi:nil="true"/>')}\
${item('3', '')}</result></t:GetResponse>`;
    t.same(await shop.ask('{ get { id note } }', body), {
      data: {
        get: [
          { id: 1, note: 'a' },
          { id: 2, note: null },
          { id: 3, note: null },
        ],
      },
    });
  },
);

t.test('accessors of encoded structs are non-null where the mapping says so', async (t) => {
  const more = `    schema: { types: { Item: { fields: { note: { nullable: false } } } } }\n`;
  const shop = await startDesk(t, encodedDesk(ITEMS, 't:Item'), more);
  const { data, errors } = await shop.ask(
    '{ get { id note } }',
    '<t:GetResponse><result><note xsi:nil="true"/></result></t:GetResponse>',
  );
  t.same(data, { get: null });
  t.match(errors, [{ path: ['get', 'note'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }]);
});

t.test(
  'a struct that is the result under another name is read, in no namespace or that of the answer',
  async (t) => {
    const shop = await startDesk(t, encodedDesk(ITEMS, 't:Item'));
    const list = await startDesk(t, encodedDesk(ITEMS, 't:Items'));
    const members = '<note xsi:type="xs:string">a</note><id xsi:type="xs:int">1</id>';
    const enc = 'http://schemas.xmlsoap.org/soap/encoding/';
    for (const names of ['xmlns="urn:t"', 'xmlns=""', 'xmlns="" xmlns:n="urn:t"']) {
      // As SOAP::Lite writes it: a generated name, the default namespace, a type of its own.
      const body =
        `<GetResponse xmlns="urn:t"><s-gensym3 ${names} ` +
        'xmlns:p="http://namespaces.soaplite.com/perl" xsi:type="p:Item">' +
        `${members}</s-gensym3></GetResponse>`;
      t.same(
        await shop.ask('{ get { id note } }', body),
        { data: { get: { id: 1, note: 'a' } } },
        names,
      );
    }
    const items =
      `<GetResponse xmlns="urn:t"><e:Array xmlns:e="${enc}" e:arrayType="xs:ur-type[1]"><item>` +
      `${members}</item></e:Array></GetResponse>`;
    t.same(await list.ask('{ get { id note } }', items), { data: { get: [{ id: 1, note: 'a' }] } });
  },
);
