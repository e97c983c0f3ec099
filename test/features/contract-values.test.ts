import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { askText, postJson } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { wsdlOf } from '../kit/wsdl.js';

/**
 * Values of enumerations: GraphQL has names, REST, OpenAPI and tools the values of the contract.
 */

const SCHEMA = `
<xs:simpleType name="Level"><xs:restriction base="xs:string">
  <xs:enumeration value="+L1"/><xs:enumeration value="-L1"/><xs:enumeration value="PLUS_L1"/>\
<xs:enumeration value="flat rate"/>
</xs:restriction></xs:simpleType>
<xs:complexType name="Tariff"><xs:sequence>
  <xs:element name="level" type="t:Level"/><xs:element name="others" type="t:Level" minOccurs="0" \
maxOccurs="unbounded"/>
  <xs:element name="base" type="t:Tariff" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:complexType name="Wanted"><xs:sequence>
  <xs:element name="level" type="t:Level"/><xs:element name="others" type="t:Level" minOccurs="0" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="Special"><xs:complexContent><xs:extension base="t:Tariff"><xs:sequence>
  <xs:element name="extra" type="t:Level"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
<xs:element name="GetTariffs"><xs:complexType><xs:sequence>
  <xs:element name="level" type="t:Level" minOccurs="0" default="+L1"/>
  <xs:element name="levels" type="t:Level" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="like" type="t:Wanted" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="GetTariffsResponse"><xs:complexType><xs:sequence>
  <xs:element name="tariff" type="t:Tariff" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType></xs:element>`;

const REPLY = `<tariff><level>+L1</level><others>-L1</others><others>flat rate</others><base>\
<level>PLUS_L1</level></base></tariff>
<tariff xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="urn:tariffs" \
xsi:type="t:Special"><level>-L1</level><extra>+L1</extra></tariff>`;

const VALUES = ['+L1', '-L1', 'PLUS_L1', 'flat rate'];

async function startTariffs(t: Test) {
  const { backend, gateway } = await useService(
    t,
    answerOperations('urn:tariffs', () => REPLY),
    (url) => `services: { tariffs: { wsdl: tariffs.wsdl, url: "${url}", rest: true } }
mcp: { operations: [tariffs.*] }
`,
    await useFolder(t, { 'tariffs.wsdl': wsdlOf('urn:tariffs', SCHEMA, ['GetTariffs']) }),
  );
  const path = `${gateway.url}/rest/tariffs/GetTariffs`;
  return {
    gateway,
    path,
    lastSent: () => backend.complete.at(-1)?.body.toString() ?? '',
    count: () => backend.complete.length,
    post: (values: object) => postJson(path, values),
    tool: async (name: string, values: object) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: name === '' ? 'tools/list' : 'tools/call',
        params: name === '' ? {} : { name, arguments: values },
      };
      const accept = 'application/json, text/event-stream';
      return JSON.parse(await (await postJson(`${gateway.url}/mcp`, message, { accept })).text())
        .result;
    },
  };
}

const FIRST = { level: '+L1', others: ['-L1', 'flat rate'] };
const SECOND = { level: '-L1', extra: '+L1' };

t.test('GraphQL has names', async (t) => {
  const { gateway } = await startTariffs(t);
  const query = '{ getTariffs(level: PLUS_L1_2, levels: [MINUS_L1]) { level others } }';
  t.match(
    await askText(gateway.url, query),
    '"level":"PLUS_L1_2","others":["MINUS_L1","flat_rate"]',
  );
});

t.test('REST answers with values of the contract, lists and lines too', async (t) => {
  const { path, post } = await startTariffs(t);
  t.match(await (await post({})).json(), [FIRST, SECOND]);
  t.match(await (await fetch(path)).json(), [FIRST, SECOND]);
  const lines = await (await fetch(path, { headers: { accept: 'application/x-ndjson' } })).text();
  t.match(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [FIRST, SECOND],
  );
});

t.test('arguments are values of the contract, or names of GraphQL', async (t) => {
  const { path, post, tool, lastSent, count } = await startTariffs(t);
  const written = (text: string): readonly (string | undefined)[] =>
    [...text.matchAll(/<(?:\w+:)?(?:level|levels|others)>([^<]*)</g)].map(([, value]) => value);
  const like = { level: '-L1', others: ['PLUS_L1', 'flat_rate'] };
  const values = { level: '+L1', levels: ['flat rate', 'MINUS_L1'], like };
  const expected = ['+L1', 'flat rate', '-L1', '-L1', 'PLUS_L1', 'flat rate'];
  t.equal((await post(values)).status, 200);
  t.same(written(lastSent()), expected);
  const query = new URLSearchParams([
    ['level', '+L1'],
    ['levels', 'flat rate'],
    ['levels', 'MINUS_L1'],
    ['like.level', '-L1'],
  ]);
  t.equal((await fetch(`${path}?${query}`)).status, 200);
  t.same(written(lastSent()), expected.slice(0, 4));
  t.match(await tool('getTariffs', values), { structuredContent: { result: [FIRST, SECOND] } });
  t.same(written(lastSent()), expected);
  const asked = count();
  const refused = await post({ level: 'L1', like: { level: 'toString' } });
  t.equal(refused.status, 400);
  const text = await refused.text();
  t.match(text, 'must be one of +L1, -L1, PLUS_L1, flat rate');
  t.match(text, '/like/level');
  t.equal(count(), asked, 'nothing is sent');
});

t.test('descriptions have the values of the contract', async (t) => {
  const { gateway, tool } = await startTariffs(t);
  const { components } = JSON.parse(await (await fetch(`${gateway.url}/rest/openapi.json`)).text());
  t.same(components.schemas.Level.enum, VALUES);
  const { tools } = await tool('', {});
  t.same(tools[0].inputSchema.$defs.Level.enum, VALUES);
  t.same(tools[0].outputSchema.$defs.Level.enum, VALUES);
});
