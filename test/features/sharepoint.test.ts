import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';

/**
 * Lists of SharePoint: CAML in arguments and rows in replies, where the WSDL has mixed content of
 * any elements.
 */

const MIXED = '<xs:complexType mixed="true"><xs:sequence><xs:any/></xs:sequence></xs:complexType>';
const WSDL = desk({
  request: `<xs:element name="listName" type="xs:string" minOccurs="0"/>
    <xs:element name="query" minOccurs="0">${MIXED}</xs:element>
    <xs:element name="viewFields" minOccurs="0">${MIXED}</xs:element>`,
  reply: `<xs:element name="GetListItemsResult" minOccurs="0">${MIXED}</xs:element>`,
});

const ROWS = `<t:GetResponse><t:GetListItemsResult>\
<listitems xmlns:s="uuid:BDC6E3F0-6DA3-11d1-A2A3-00AA00C14882" \
xmlns:rs="urn:schemas-microsoft-com:rowset" xmlns:z="#RowsetSchema" \
xmlns="http://schemas.microsoft.com/sharepoint/soap/">
<rs:data ItemCount="2"><z:row ows_ID="1" ows_Title="Chairs"/><z:row ows_ID="2" ows_Title="Desks \
&amp; lamps"/></rs:data></listitems></t:GetListItemsResult></t:GetResponse>`;

const QUERY =
  'query ($query: GetQueryInput, $view: GetViewFieldsInput) { get(listName: "Stock", query: ' +
  '$query, viewFields: $view) { any { name value } } }';
const caml = (value: unknown): unknown => ({ any: { name: 'Query', value } });

t.test('CAML is JSON, and rows are values', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const where = { Eq: { FieldRef: { '@Name': 'ID' }, Value: { '@Type': 'Number', '#text': '5' } } };
  const order = { FieldRef: [{ '@Name': 'Title', '@Ascending': 'TRUE' }] };
  const view = {
    any: { name: 'ViewFields', value: { FieldRef: [{ '@Name': 'ID' }, { '@Name': 'Title' }] } },
  };
  const answer = await ask(QUERY, ROWS, { query: caml({ Where: where, OrderBy: order }), view });
  t.same(answer, {
    data: {
      get: {
        any: [
          {
            name: '{http://schemas.microsoft.com/sharepoint/soap/}listitems',
            value: {
              data: {
                '@ItemCount': '2',
                row: [
                  { '@ows_ID': '1', '@ows_Title': 'Chairs' },
                  { '@ows_ID': '2', '@ows_Title': 'Desks & lamps' },
                ],
              },
            },
          },
        ],
      },
    },
  });
  t.match(
    sent(),
    '<Query><Where><Eq><FieldRef Name="ID"/><Value Type="Number">5</Value></Eq></Where>' +
      '<OrderBy><FieldRef Name="Title" Ascending="TRUE"/></OrderBy></Query>',
  );
  t.match(sent(), '<ViewFields><FieldRef Name="ID"/><FieldRef Name="Title"/></ViewFields>');
});
