import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, item, startReplyDesk } from '../kit/reply-desk.js';
import { until } from '../kit/until.js';

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

const columns = (count: number): string =>
  Array.from({ length: count }, (_, at) => ` ows_Column${at}="v${at}"`).join('');

t.test('a row of a reply has an attribute for each of 500 columns', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const rows = (count: number): string => ROWS.replace(' ows_ID="1"', columns(count));
  const answer = await ask('{ get(listName: "Stock") { any { value } } }', rows(499));
  t.match(JSON.stringify(answer), '"@ows_Column498":"v498"');
  const refused = await ask('{ get(listName: "Stock") { any { value } } }', rows(500));
  t.match(refused, { errors: [{ extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }] });
});

t.test('replies and requests have limits of attributes of their own', async (t) => {
  const wide = (count: number): string =>
    envelope(item().replace('<t:name>', `<t:name xmlns:o="urn:o"${own(count)}>`));
  const own = (count: number): string =>
    Array.from({ length: count }, (_, at) => ` o:a${at}=""`).join('');
  const desk = await startReplyDesk(t);
  for (const [count, code, mcp] of [
    [500, null, 'nail'],
    [501, 'UPSTREAM_RESPONSE_LIMIT', '"isError":true'],
  ] as const) {
    desk.backend.answer = answerWith(wide(count));
    for (const endpoint of ENDPOINTS) {
      const { text } = await desk.call(endpoint);
      t.match(text, endpoint === 'mcp' ? mcp : (code ?? 'nail'), `${count}, ${endpoint}`);
    }
  }
  await until(() =>
    desk.gateway.logLines().some((line) => JSON.stringify(line).includes('limits.xml.attributes')),
  );
  // The reader of a reply is used again for a request, and the start tag is known by then.
  const request = (count: number): string =>
    envelope(`<t:GetItem xmlns:t="urn:t" xmlns:o="urn:o"${own(count)}><t:id>7</t:id></t:GetItem>`);
  desk.backend.answer = answerWith(wide(500));
  t.equal((await desk.send(request(100))).status, 200);
  t.match(await (await desk.send(request(101))).text(), 'XML_ATTR_LIMIT');
});

t.test('a limit of attributes that is configured holds for requests and replies', async (t) => {
  const desk = await startReplyDesk(t, { keys: '    limits: { xml: { attributes: 4 } }\n' });
  for (const [count, code, mcp] of [
    [4, null, 'nail'],
    [5, 'UPSTREAM_RESPONSE_LIMIT', '"isError":true'],
  ] as const) {
    const attributes = Array.from({ length: count }, (_, at) => ` a${at}=""`).join('');
    desk.backend.answer = answerWith(envelope(item().replace('<t:name>', `<t:name${attributes}>`)));
    for (const endpoint of ENDPOINTS) {
      const { text } = await desk.call(endpoint);
      t.match(text, endpoint === 'mcp' ? mcp : (code ?? 'nail'), `${count}, ${endpoint}`);
    }
  }
});
