import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { copyNames, copyWsdl } from '../../src/wsdl/copy.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { reportRows } from '../../src/wsdl/report.js';
import { documentAddress, requestedDocument } from '../../src/wsdl/serve.js';
import { FILES, folderWith, schemaWith, servedTexts, wsdlWith } from './written.js';

const GATEWAY = 'http://gateway:4000/soap/a&b';
const SERVED = 'http://gateway:4000/soap/a&amp;b';

const main = wsdlWith({
  head: "<import namespace='urn:x' location = 'more/b.wsdl' />",
  types: schemaWith(
    `<!-- TODO of http://jenkins.internal.example --><?note C:\\build\\7?><xs:include\r\n\
  schemaLocation="more/c.xsd"/>
     <xs:include id="schemaLocation" schemaLocation=' ./more/c.xsd '/>\
<xs:import namespace="urn:gone" schemaLocation = 'http://internal.example/gone.xsd'/>
     <xs:include schemaLocation="../outside.xsd"/><xs:redefine schemaLocation="lost.xsd">\
<xs:simpleType name="S"/></xs:redefine>
     <xs:import namespace="http://schemas.xmlsoap.org/soap/encoding/" \
schemaLocation="http://schemas.xmlsoap.org/soap/encoding/"/>`,
  ),
  binding:
    '<binding name="B" type="t:P"><soap:binding style="document"/><operation name="Get">' +
    '<soap:operation soapAction="http://internal.example/get"/></operation></binding>',
  service: `<service name="S"><port name="Eleven" binding="t:B">\
<soap:address location="http://internal.example/get?a=1&amp;b=&quot;"/></port>
    <port name="Twelve" binding="t:B"><soap12:address location='http://internal.example/12'/>
      <e:EndpointReference xmlns:e="http://www.w3.org/2005/08/addressing">\
<e:Address>http://internal.example/ref</e:Address></e:EndpointReference></port>
    <port name="Plain" binding="t:B"><http:address location="http://internal.example/plain"/>\
</port></service>`,
});
const more = `<?xml version='1.0' encoding='iso-8859-1'?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:x">\
<documentation>Größe</documentation><import namespace="urn:t" location="../a.wsdl"/></definitions>`;
const schema = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"/>';

const folder = (test: Test): string =>
  join(
    folderWith(test, {
      'a.wsdl': main,
      'more/b.wsdl': Buffer.from(more, 'latin1'),
      'more/c.xsd': schema,
    }),
    'a.wsdl',
  );

t.test(
  'a served document has the addresses of the gateway, and nothing of the inside',
  async (t) => {
    const model = await readWsdl(folder(t), FILES);
    const [first, second, third] = servedTexts(model.documents, GATEWAY);
    t.equal(
      first,
      main
        .replace("'more/b.wsdl'", `'${SERVED}?wsdl=1'`)
        .replace('\n  schemaLocation="more/c.xsd"', `\n  schemaLocation="${SERVED}?xsd=2"`)
        .replace("' ./more/c.xsd '", `'${SERVED}?xsd=2'`)
        .replace(/<!--.*?-->|<\?note.*?\?>/g, '')
        .replace(" schemaLocation = 'http://internal.example/gone.xsd'", '')
        .replace('<xs:include schemaLocation="../outside.xsd"/>', '')
        .replace(/<xs:redefine.*<\/xs:redefine>/, '')
        .replace('http://internal.example/get?a=1&amp;b=&quot;', SERVED)
        .replace('http://internal.example/12', SERVED)
        .replace('http://internal.example/ref', SERVED)
        .replace('http://internal.example/plain', SERVED),
    );
    t.equal(
      second,
      more.replace('iso-8859-1', 'UTF-8').replace('../a.wsdl', `${SERVED}?wsdl`),
      'UTF-8, whatever it was',
    );
    t.equal(third, schema);
    t.match(
      first,
      'soapAction="http://internal.example/get"',
      'an action is a name and no address',
    );
  },
);

t.test('the addresses that are served are the ones that are answered', async (t) => {
  const { documents } = await readWsdl(folder(t), FILES);
  t.strictSame(
    documents.map(({ index, kind }) => documentAddress(index, kind, '/s')),
    ['/s?wsdl', '/s?wsdl=1', '/s?xsd=2'],
  );
  for (const document of documents) {
    const query = documentAddress(document.index, document.kind, '');
    t.equal(requestedDocument(documents, query), document, query);
    t.equal(requestedDocument(documents, query.slice(1)), document, query);
  }
  t.equal(requestedDocument(documents, '?WSDL'), documents[0]);
  for (const query of [
    '',
    '?',
    'xsd',
    'xsd=',
    'xsd=1',
    'xsd=0',
    'wsdl=2',
    'xsd=9',
    'xsd=../a',
    'xsd=2&wsdl',
    'xsd=02',
    'xsd=-1',
    'xsd=1e0',
  ]) {
    t.equal(requestedDocument(documents, query), null, query);
  }
});

t.test('a copy is flat, keeps its addresses and means the same', async (t) => {
  const main = folder(t);
  const model = await readWsdl(main, FILES);
  const target = join(main, '..', 'new', 'copy');
  t.equal(await copyWsdl(model, target), 'a.wsdl');
  t.strictSame(readdirSync(target).sort(), ['a.wsdl', 'b.wsdl', 'c.xsd']);
  const copied = readFileSync(join(target, 'a.wsdl'), 'utf8');
  t.match(copied, 'location="http://internal.example/get?a=1&amp;b=&quot;"');
  t.match(copied, "location = 'b.wsdl'");
  const again = await readWsdl(join(target, 'a.wsdl'), FILES);
  t.strictSame(again.services, model.services);
  t.strictSame(
    [...again.types.keys(), ...again.elements.keys()],
    [...model.types.keys(), ...model.elements.keys()],
  );
  t.equal(again.documents.length, 3);
});

t.test('names of copies are safe and distinct', (t) => {
  const names = copyNames(
    [
      'http://h/ws/orders?wsdl',
      'http://h/ws/orders?wsdl=2',
      'C:\\x\\Orders.WSDL',
      'http://h/..',
      'http://h/%2e%2e%2fetc',
      '/a/.hidden.wsdl',
      `http://h/${'x'.repeat(300)}`,
      '/a/größe;rm -rf.wsdl',
    ].map((location) => ({ kind: 'wsdl', location })),
  );
  t.strictSame(names, [
    'orders.wsdl',
    'orders-2.wsdl',
    'Orders-3.wsdl',
    'wsdl.wsdl',
    '2e-2e-2fetc.wsdl',
    'hidden.wsdl',
    `${'x'.repeat(64)}.wsdl`,
    'gr--e-rm--rf.wsdl',
  ]);
  t.strictSame(copyNames([{ kind: 'schema', location: 'http://h/ws?xsd=1' }]), ['ws.xsd']);
  t.end();
});

t.test('the report has a row for each operation of each port', async (t) => {
  const model = await readWsdl(folder(t), FILES);
  t.strictSame(
    reportRows(model).map(({ operation, port, status }) => [operation, port, status]),
    [
      ['Get', 'Eleven', 'ok'],
      ['Get', 'Twelve', 'ok'],
      ['Get', 'Plain', 'ok'],
    ],
  );
});
