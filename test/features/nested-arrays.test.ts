import t, { type Test } from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';
import { answerBy, answerWith, type RecordingBackend } from '../kit/backend.js';
import { useFolder, useService } from '../kit/use.js';

const ENC = 'http://schemas.xmlsoap.org/soap/encoding/';
const array = (name: string, items: string): string =>
  `<xs:complexType name="${name}"><xs:complexContent><xs:restriction base="enc:Array">` +
  `<xs:attribute ref="enc:arrayType" wsdl:arrayType="${items}"/></xs:restriction>` +
  '</xs:complexContent></xs:complexType>';
const BOUND = `<soap:body use="encoded" namespace="urn:e" encodingStyle="${ENC}"/>`;
const PARTS =
  '<part name="m" type="e:Matrix"/><part name="n" type="e:Nested"/>' +
  '<part name="s" type="e:Shelves"/>';
const ENCODED = `<definitions targetNamespace="urn:e" xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:e="urn:e" xmlns:enc="${ENC}">
<types><xs:schema targetNamespace="urn:e">${array('Row', 'xs:int[]')}${array('Matrix', 'e:Row[]')}\
${array('Nested', 'xs:string[][]')}
<xs:complexType name="Book"><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence>\
</xs:complexType>${array('Shelf', 'e:Book[]')}${array('Shelves', 'e:Shelf[]')}</xs:schema></types>
<message name="In">${PARTS}</message><message name="Out">${PARTS}</message>
<portType name="P"><operation name="echo"><input message="e:In"/><output message="e:Out"/>\
</operation></portType>
<binding name="B" type="e:P"><soap:binding style="rpc" \
transport="http://schemas.xmlsoap.org/soap/http"/><operation name="echo">\
<soap:operation soapAction=""/><input>${BOUND}</input><output>${BOUND}</output></operation>\
</binding>
<service name="S"><port name="p" binding="e:B"><soap:address location="http://x/"/></port>\
</service></definitions>`;

async function useEncoded(t: Test, answer: RecordingBackend['answer'], more = '') {
  const folder = await useFolder(t, { 'e.wsdl': ENCODED });
  return useService(
    t,
    answer,
    (url) => `services: { e: { wsdl: e.wsdl, url: "${url}/e" } }\n${more}`,
    folder,
  );
}

t.test('arrays of encoded arrays are lists of lists in arguments and in replies', async (t) => {
  const { ask, backend, sent } = await useEncoded(t, (message, response) => {
    const echo = message.body.toString().replace(/(<\/?\w+:)echo\b/g, '$1echoResponse');
    answerWith(echo, 'text/xml')(message, response);
  });
  const given = {
    m: [[1, 2], [], null, [3, null]],
    n: [['a'], ['b', 'c']],
    s: [[{ title: 'x' }, { title: 'y' }], [null]],
  };
  const query =
    'query ($m: [[Int]], $n: [[String]], $s: [[BookInput]]) { echo(m: $m, n: $n, s: ' +
    '$s) { m n s { title } } }';
  t.strictSame(await ask(query, given), { data: { echo: given } });
  t.match(
    sent(),
    /enc:arrayType="(n\d):Row\[4\]"><item xsi:type="\1:Row" enc:arrayType="xsd:int\[2\]"><item xsi:type="xsd:int">1</,
  );
  t.match(
    sent(),
    'enc:arrayType="xsd:string[][2]"><item xsi:type="enc:Array" enc:arrayType="xsd:string[1]">',
  );
  const rows = '<i><i>1</i><i>x</i></i><i enc:offset="[1]"><i>2</i></i>';
  backend.answer = answerBy(
    () => `<e:echoResponse xmlns:e="urn:e" xmlns:enc="${ENC}"><m>${rows}</m></e:echoResponse>`,
  );
  const m = [
    [1, null],
    [null, 2],
  ];
  t.match(await ask('{ echo { again: m m } }'), {
    data: { echo: { again: m, m } },
    errors: [{ path: ['echo', 'm', 0, 1] }, { path: ['echo', 'again', 0, 1] }],
  });
});

t.test('a list whose items are too many is null in the list around it', async (t) => {
  const rows = [3, 4].map((count) => `<r>${'<i>1</i>'.repeat(count)}</r>`).join('');
  const answer = answerBy(() => `<e:echoResponse xmlns:e="urn:e"><m>${rows}</m></e:echoResponse>`);
  const { ask } = await useEncoded(t, answer, 'limits: { codec: { listItems: 3 } }\n');
  t.match(await ask('{ echo { m } }'), {
    data: { echo: { m: [[1, 1, 1], null] } },
    errors: [{ path: ['echo', 'm', 1], extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }],
  });
});

t.test('ArrayOfArrayOfX is written as it is read', async (t) => {
  const types = `<xs:complexType name="ArrayOfInt"><xs:sequence>\
<xs:element name="int" type="xs:int" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType>
<xs:complexType name="ArrayOfArrayOfInt"><xs:sequence><xs:element name="ArrayOfInt" \
type="t:ArrayOfInt" minOccurs="0" maxOccurs="unbounded" nillable="true"/>\
</xs:sequence></xs:complexType>`;
  const particle = '<xs:element name="m" type="t:ArrayOfArrayOfInt" minOccurs="0"/>';
  const { ask, sent } = await startDesk(t, desk({ types, request: particle, reply: particle }));
  const m = [{ int: [1, 2] }, null, { int: [] }];
  const wire =
    '<t:m><t:ArrayOfInt><t:int>1</t:int><t:int>2</t:int></t:ArrayOfInt>' +
    '<t:ArrayOfInt xsi:nil="true"/><t:ArrayOfInt/></t:m>';
  const answer = await ask(
    'query ($m: [ArrayOfIntInput]) { get(m: $m) { int } }',
    `<t:GetResponse>${wire}</t:GetResponse>`,
    { m },
  );
  t.strictSame(answer, { data: { get: m } });
  t.match(sent().replace(/n\d:/g, 't:'), wire);
});
