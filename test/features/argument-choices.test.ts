import t from 'tap';
import { answerOperations } from '../kit/backend.js';
import { postJson } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { wsdlOf } from '../kit/wsdl.js';

/** Choices among arguments, as descriptions and refusals of REST and of tools have them. */

const CHOICE =
  '<xs:choice><xs:element name="taxId" type="xs:string"/>' +
  '<xs:element name="phone" type="xs:string"/></xs:choice>';
const SCHEMA = `
<xs:complexType name="Wanted"><xs:sequence>${CHOICE}</xs:sequence></xs:complexType>
<xs:element name="GetPerson"><xs:complexType><xs:sequence>
  ${CHOICE}<xs:element name="like" type="t:Wanted" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="GetPersonResponse"><xs:complexType><xs:sequence>
  <xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`;

const RULE = 'Exactly one must be given: `taxId`, `phone`.';

t.test('a choice among arguments is described, and refused in whole sentences', async (t) => {
  const { backend, gateway } = await useService(
    t,
    answerOperations('urn:people', () => '<name>Ada</name>'),
    (url) => `services: { people: { wsdl: people.wsdl, url: "${url}", rest: true } }
mcp: { operations: [people.*] }
`,
    await useFolder(t, { 'people.wsdl': wsdlOf('urn:people', SCHEMA, ['GetPerson']) }),
  );
  const agent = async (method: string, params: object) => {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    const accept = 'application/json, text/event-stream';
    return JSON.parse(await (await postJson(`${gateway.url}/mcp`, message, { accept })).text())
      .result;
  };
  const { components } = JSON.parse(await (await fetch(`${gateway.url}/rest/openapi.json`)).text());
  t.match(components.schemas['getPerson.Arguments'].description, RULE);
  t.match(components.schemas.WantedInput.description, RULE);
  const { tools } = await agent('tools/list', {});
  t.match(tools[0].inputSchema.description, RULE);
  t.match(tools[0].inputSchema.$defs.WantedInput.description, RULE);
  const refused = async (values: object): Promise<string> =>
    (await agent('tools/call', { name: 'getPerson', arguments: values })).content[0].text;
  t.equal(await refused({}), 'Exactly one must be provided of taxId, phone.');
  t.equal(
    await refused({ taxId: '1', like: {} }),
    '/like must have exactly one of the fields of type "WantedInput".',
  );
  const answer = await postJson(`${gateway.url}/rest/people/GetPerson`, { taxId: '1', phone: '2' });
  t.match(await answer.json(), {
    status: 400,
    detail: 'Exactly one must be provided of taxId, phone.',
  });
  t.equal(backend.complete.length, 0);
});
