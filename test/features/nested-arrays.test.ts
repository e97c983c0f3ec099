import t from 'tap';
import { desk, graphql, startDesk } from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';
import { useBackend, useGateway } from '../kit/use.js';

const ENC = 'http://schemas.xmlsoap.org/soap/encoding/';
const array = (name: string, items: string): string =>
  `<xs:complexType name="${name}"><xs:complexContent><xs:restriction base="enc:Array"><xs:attribute ref="enc:arrayType" wsdl:arrayType="${items}"/></xs:restriction></xs:complexContent></xs:complexType>`;
const BOUND = `<soap:body use="encoded" namespace="urn:e" encodingStyle="${ENC}"/>`;
const PARTS = '<part name="m" type="e:Matrix"/><part name="n" type="e:Nested"/><part name="s" type="e:Shelves"/>';
const ENCODED = `<definitions targetNamespace="urn:e" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:e="urn:e" xmlns:enc="${ENC}">
<types><xs:schema targetNamespace="urn:e">${array('Row', 'xs:int[]')}${array('Matrix', 'e:Row[]')}${array('Nested', 'xs:string[][]')}
<xs:complexType name="Book"><xs:sequence><xs:element name="title" type="xs:string"/></xs:sequence></xs:complexType>${array('Shelf', 'e:Book[]')}${array('Shelves', 'e:Shelf[]')}</xs:schema></types>
<message name="In">${PARTS}</message><message name="Out">${PARTS}</message>
<portType name="P"><operation name="echo"><input message="e:In"/><output message="e:Out"/></operation></portType>
<binding name="B" type="e:P"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/><operation name="echo"><soap:operation soapAction=""/><input>${BOUND}</input><output>${BOUND}</output></operation></binding>
<service name="S"><port name="p" binding="e:B"><soap:address location="http://x/"/></port></service></definitions>`;

t.test('arrays of encoded arrays are lists of lists in arguments and in replies', async (t) => {
  const backend = await useBackend(t, answerWith(''));
  const folder = t.testdir({ 'e.wsdl': ENCODED });
  const gateway = await useGateway(t, `services:\n  e:\n    wsdl: e.wsdl\n    url: ${backend.url}/e\n`, folder);
  backend.answer = ({ body }, response) => {
    const sent = body.toString().replace(/(<\/?\w+:)echo\b/g, '$1echoResponse');
    answerWith(sent, 'text/xml')({ method: '', target: '', headers: {}, body }, response);
  };
  const given = {
    m: [[1, 2], [], null, [3, null]],
    n: [['a'], ['b', 'c']],
    s: [[{ title: 'x' }, { title: 'y' }], [null]],
  };
  const query = `query ($m: [[Int]], $n: [[String]], $s: [[BookInput]]) { echo(m: $m, n: $n, s: $s) { m n s { title } } }`;
  t.strictSame(await graphql(gateway, query, given), { data: { echo: given } });
  const sent = backend.complete.at(-1)?.body.toString() ?? '';
  t.match(
    sent,
    /enc:arrayType="(n\d):Row\[4\]"><item xsi:type="\1:Row" enc:arrayType="xsd:int\[2\]"><item xsi:type="xsd:int">1</,
  );
  t.match(sent, 'enc:arrayType="xsd:string[][2]"><item xsi:type="enc:Array" enc:arrayType="xsd:string[1]">');
  const wrong = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><e:echoResponse xmlns:e="urn:e" xmlns:enc="${ENC}"><m><i><i>1</i><i>x</i></i><i enc:offset="[1]"><i>2</i></i></m></e:echoResponse></s:Body></s:Envelope>`;
  backend.answer = answerWith(wrong, 'text/xml');
  t.match(await graphql(gateway, '{ echo { again: m m } }'), {
    data: {
      echo: {
        again: [
          [1, null],
          [null, 2],
        ],
        m: [
          [1, null],
          [null, 2],
        ],
      },
    },
    errors: [{ path: ['echo', 'm', 0, 1] }, { path: ['echo', 'again', 0, 1] }],
  });
});

t.test('a list whose items are too many is null in the list around it', async (t) => {
  const backend = await useBackend(t, answerWith(''));
  const folder = t.testdir({ 'e.wsdl': ENCODED });
  const limits = 'limits: { codec: { listItems: 3 } }\n';
  const gateway = await useGateway(
    t,
    `services:\n  e:\n    wsdl: e.wsdl\n    url: ${backend.url}/e\n${limits}`,
    folder,
  );
  const rows = [3, 4].map((count) => `<r>${'<i>1</i>'.repeat(count)}</r>`).join('');
  backend.answer = answerWith(
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><e:echoResponse xmlns:e="urn:e"><m>${rows}</m></e:echoResponse></s:Body></s:Envelope>`,
    'text/xml',
  );
  t.match(await graphql(gateway, '{ echo { m } }'), {
    data: { echo: { m: [[1, 1, 1], null] } },
    errors: [{ path: ['echo', 'm', 1], extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }],
  });
});

t.test('ArrayOfArrayOfX is written as it is read', async (t) => {
  const types = `<xs:complexType name="ArrayOfInt"><xs:sequence><xs:element name="int" type="xs:int" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="ArrayOfArrayOfInt"><xs:sequence><xs:element name="ArrayOfInt" type="t:ArrayOfInt" minOccurs="0" maxOccurs="unbounded" nillable="true"/></xs:sequence></xs:complexType>`;
  const particle = '<xs:element name="m" type="t:ArrayOfArrayOfInt" minOccurs="0"/>';
  const { ask, sent } = await startDesk(t, { 'desk.wsdl': desk({ types, request: particle, reply: particle }) });
  const m = [{ int: [1, 2] }, null, { int: [] }];
  const wire =
    '<t:m><t:ArrayOfInt><t:int>1</t:int><t:int>2</t:int></t:ArrayOfInt><t:ArrayOfInt xsi:nil="true"/><t:ArrayOfInt/></t:m>';
  const answer = await ask(
    'query ($m: [ArrayOfIntInput]) { get(m: $m) { int } }',
    `<t:GetResponse>${wire}</t:GetResponse>`,
    { m },
  );
  t.strictSame(answer, { data: { get: m } });
  t.match(sent().replace(/n\d:/g, 't:'), wire);
});
