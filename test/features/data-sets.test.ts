import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';

/** Data sets as ASP.NET writes them: the schema in the reply, then a diffgram. */

const SET = (any = '<xs:any/>'): string =>
  '<xs:element name="result" minOccurs="0"><xs:complexType><xs:sequence>' +
  `<xs:element ref="xs:schema"/>${any}</xs:sequence></xs:complexType></xs:element>`;
const WSDL = desk({ reply: SET() });
const COLUMNS = [
  ['OrderID', 'xs:int'],
  ['Unit_x0020_Price', 'xs:decimal'],
  ['Placed', 'xs:dateTime'],
  ['Paid', 'xs:boolean'],
  ['Serial', 'xs:long'],
];
const SCHEMA =
  '<xs:schema id="NewDataSet" xmlns="" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata">' +
  '<xs:element name="NewDataSet" msdata:IsDataSet="true" msdata:UseCurrentLocale="true">' +
  '<xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="Orders">' +
  `<xs:complexType><xs:sequence>${COLUMNS.map(
    ([name, type]) => `<xs:element name="${name}" \
type="${type}" minOccurs="0"/>`,
  ).join('')}` +
  '<xs:element name="Code" minOccurs="0"><xs:simpleType><xs:restriction base="xs:int">' +
  '<xs:maxLength value="3"/></xs:restriction></xs:simpleType></xs:element></xs:sequence>' +
  '</xs:complexType></xs:element></xs:choice></xs:complexType></xs:element></xs:schema>';
const GRAM =
  'xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1" ' +
  'xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"';
const reply = (content: string): string =>
  `<t:GetResponse><t:result>${content}</t:result></t:GetResponse>`;
const rows = `<diffgr:diffgram ${GRAM}><NewDataSet xmlns="">
  <Orders diffgr:id="Orders1" msdata:rowOrder="0"><OrderID>1</OrderID>\
<Unit_x0020_Price>9.50</Unit_x0020_Price><Placed>2024-02-29T00:00:00+01:00</Placed>\
<Paid>true</Paid><Serial>9007199254740993</Serial><Code>007</Code></Orders>
  <Orders diffgr:id="Orders2" msdata:rowOrder="1" diffgr:hasChanges="inserted"><OrderID>2</OrderID>\
</Orders>
  <Orders diffgr:id="Orders3" msdata:rowOrder="2" diffgr:hasChanges="modified"><OrderID>3</OrderID>\
</Orders>
  <Orders diffgr:id="Orders4" msdata:rowOrder="3"/>
  <Notes diffgr:id="Notes1" msdata:rowOrder="0"><Text>a &amp; b</Text></Notes></NewDataSet>
  <diffgr:before><Orders diffgr:id="Orders3" msdata:rowOrder="2" xmlns=""><OrderID>30</OrderID>\
</Orders><Orders diffgr:id="Orders5" xmlns=""><OrderID>5</OrderID></Orders></diffgr:before>
  <diffgr:errors><Orders diffgr:id="Orders1" diffgr:Error="bad" xmlns=""/>\
</diffgr:errors></diffgr:diffgram>`;

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

t.test('a data set is tables of rows, typed by the schema in the reply', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const { data, errors } = await ask(
    '{ get { tables { __typename name all: rows before } } }',
    reply(`${SCHEMA}${rows}`),
  );
  t.equal(errors, undefined);
  t.same(plain(data), {
    get: {
      tables: [
        {
          __typename: 'AnyDataTable',
          name: 'Orders',
          all: [
            {
              OrderID: 1,
              'Unit Price': '9.50',
              Placed: '2024-02-29T00:00:00+01:00',
              Paid: true,
              Serial: '9007199254740993',
              Code: 7,
            },
            { $state: 'inserted', $id: 'Orders2', OrderID: 2 },
            { $state: 'modified', $id: 'Orders3', OrderID: 3 },
            {},
          ],
          before: [
            { $id: 'Orders3', OrderID: 30 },
            { $id: 'Orders5', OrderID: 5 },
          ],
        },
        { __typename: 'AnyDataTable', name: 'Notes', all: [{ Text: 'a & b' }], before: [] },
      ],
    },
  });
});

t.test('a data set without a schema, without a diffgram, empty or nil', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const tables = async (content: string): Promise<unknown> => {
    const { data, errors } = await ask('{ get { tables { name rows } } }', content);
    t.equal(errors, undefined, content);
    return plain(data);
  };
  const one = { get: { tables: [{ name: 'Notes', rows: [{ Text: 'a' }] }] } };
  const set = '<Set xmlns=""><Notes><Text>a</Text></Notes></Set>';
  t.same(
    await tables(reply(`<diffgr:diffgram ${GRAM}>${set}</diffgr:diffgram>`)),
    one,
    'columns are texts',
  );
  t.same(await tables(reply(set)), one);
  t.same(await tables(reply(`${SCHEMA}<diffgr:diffgram ${GRAM}/>`)), { get: { tables: [] } });
  t.same(await tables('<t:GetResponse/>'), { get: null });
  const { data } = await ask('{ get { xml } }', reply(set));
  t.match(data, { get: { xml: /^<result .*<Text>a<\/Text>/ } });
});

t.test('a data set whose schema comes with the WSDL has its types', async (t) => {
  const types =
    '<xs:element name="Set"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">' +
    '<xs:element name="Line"><xs:complexType><xs:sequence><xs:element name="No" type="xs:int"/>' +
    '<xs:element name="Price" type="xs:decimal" minOccurs="0"/></xs:sequence></xs:complexType>' +
    '</xs:element><xs:element name="Note"><xs:complexType><xs:sequence>' +
    '<xs:element name="At" type="xs:date"/><xs:element name="Count" type="xs:int"/>' +
    '</xs:sequence></xs:complexType></xs:element></xs:choice></xs:complexType></xs:element>';
  const { ask } = await startDesk(t, desk({ types, reply: SET('<xs:any namespace="urn:t"/>') }));
  const { data, errors } = await ask(
    '{ get { tables { name rows } } }',
    reply(
      `<diffgr:diffgram ${GRAM}><Set xmlns="urn:t"><Line diffgr:id="L1"><No>1</No>` +
        '<Price>2.0</Price></Line><Note><At>2024-02-29</At><Count>3</Count></Note>' +
        '</Set></diffgr:diffgram>',
    ),
  );
  t.equal(errors, undefined);
  t.same(plain(data), {
    get: {
      tables: [
        { name: 'Line', rows: [{ No: 1, Price: '2.0' }] },
        { name: 'Note', rows: [{ At: '2024-02-29', Count: 3 }] },
      ],
    },
  });
});

t.test(
  'a data set has as many rows as a list may have items, each as long as XML may be',
  async (t) => {
    const { ask } = await startDesk(t, WSDL);
    const of = (count: number, text: string): string =>
      reply(`<Set xmlns="">${`<N><T>${text}</T></N>`.repeat(count)}</Set>`);
    const query = '{ get { tables { name rows } } }';
    const refused = [{ path: ['get', 'tables'], extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }];
    const full = await ask(query, of(10_000, 'x'));
    t.equal(full.errors, undefined);
    const more = await ask(query, of(10_001, 'x'));
    t.match(more, { data: { get: { tables: null } }, errors: refused });
    t.equal(
      (await ask(query, of(30, 'x'.repeat(60_000)))).errors,
      undefined,
      'rows are measured one by one',
    );
    t.match((await ask(query, of(1, 'x'.repeat(65_537)))).errors, refused);
    const schema = `<xs:schema>${`<xs:element name="${'e'.repeat(1000)}"/>`.repeat(66)}</xs:schema>`;
    t.match((await ask(query, reply(`${schema}<Set xmlns=""><N/></Set>`))).errors, refused);
  },
);

t.test('a data set needs the rules of all fields, for its rows may hold any', async (t) => {
  const types =
    '<xs:complexType name="Customer"><xs:sequence><xs:element name="iban" type="xs:string"/>' +
    '</xs:sequence></xs:complexType>';
  const customer = '<xs:element name="customer" type="t:Customer" minOccurs="0"/>';
  const { ask } = await startDesk(
    t,
    desk({ types, reply: `${SET()}${customer}` }),
    '    schema: { types: { Customer: { fields: { iban: { scopes: [bank] } } } } }\n',
  );
  const { data, errors } = await ask(
    '{ get { result { tables { rows } xml } } }',
    reply('<Set xmlns=""><Customer><iban>DE1</iban></Customer></Set>'),
  );
  t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }, { extensions: { code: 'FORBIDDEN' } }]);
  t.same(plain(data), { get: { result: { tables: null, xml: null } } });
});
