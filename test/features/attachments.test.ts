import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:d="urn:d"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:d"><types><xs:schema targetNamespace="urn:d" elementFormDefault="qualified">
  <xs:element name="Get"><xs:complexType/></xs:element>
  <xs:element name="GetResponse"><xs:complexType><xs:sequence><xs:element name="file" maxOccurs="unbounded"><xs:complexType><xs:sequence>
    <xs:element name="name" type="xs:string"/><xs:element name="content" type="xs:base64Binary"/>
  </xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema></types>
  <message name="Get"><part name="p" element="d:Get"/></message><message name="GetResponse"><part name="p" element="d:GetResponse"/></message>
  <portType name="Files"><operation name="Get"><input message="d:Get"/><output message="d:GetResponse"/></operation></portType>
  <binding name="Files" type="d:Files"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get"><soap:operation soapAction=""/>
    <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
  <service name="Files"><port name="Files" binding="d:Files"><soap:address location="http://h/"/></port></service></definitions>`;

const include = (id: string): string =>
  `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:${encodeURIComponent(id)}"/>`;
const file = (name: string, content: string): string =>
  `<d:file><d:name>${name}</d:name><d:content>${content}</d:content></d:file>`;
const envelope = (files: string): string =>
  `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns:d="urn:d"><E:Body><d:GetResponse>${files}</d:GetResponse></E:Body></E:Envelope>`;

interface Part {
  readonly id: string;
  readonly content: Buffer;
  readonly coding?: string;
}

function message(files: string, parts: readonly Part[]): Buffer {
  const pieces = [
    Buffer.from(
      `--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\nContent-ID: <root@d>\r\n\r\n${envelope(files)}`,
    ),
    ...parts.flatMap(({ id, content, coding = 'binary' }) => [
      Buffer.from(
        `\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: ${coding}\r\nContent-ID: <${id}>\r\n\r\n`,
      ),
      content,
    ]),
    Buffer.from('\r\n--b--\r\n'),
  ];
  return Buffer.concat(pieces);
}

const TYPE = 'multipart/related; boundary=b; type="application/xop+xml"; start="<root@d>"; start-info="text/xml"';

async function startFiles(t: Test, more = '', keys = '') {
  const backend = await useBackend(t, answerWith(''));
  const directory = t.testdir({ 'files.wsdl': WSDL });
  const gateway = await useGateway(
    t,
    `services: { files: { wsdl: ${directory}/files.wsdl, url: "${backend.url}/f", operations: { Get: { field: Query.files } }${keys} } }\n${more}`,
  );
  return {
    backend,
    async ask(query: string): Promise<unknown> {
      return askGraphql(gateway.url, query);
    },
  };
}

const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7) & 0xff));

t.test('attachments are the values that refer to them, beside values in the envelope (case 21)', async (t) => {
  const { backend, ask } = await startFiles(t);
  const files = file('a', include('1@d')) + file('b', 'QUJD') + file('c', ` ${include('2 ö@d')}\n`);
  const parts = [
    { id: '1@d', content: BYTES },
    { id: '2 ö@d', content: Buffer.from('SGVs\r\nbG8=\r\n'), coding: 'base64' },
    { id: 'stray@d', content: BYTES },
  ];
  backend.answer = answerWith(
    message(
      files,
      parts.filter(({ id }) => !id.includes('ö')),
    ),
    TYPE,
  );
  t.match(
    await ask('{ files { name } }'),
    { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] },
    'a part is missing',
  );
  backend.answer = answerWith(
    message(
      files.replaceAll('%20%C3%B6', ''),
      parts.map((part) => ({ ...part, id: part.id.replace(' ö', '') })),
    ),
    TYPE,
  );
  t.same(await ask('{ files { name content again: content } }'), {
    data: {
      files: [
        { name: 'a', content: BYTES.toString('base64'), again: BYTES.toString('base64') },
        { name: 'b', content: 'QUJD', again: 'QUJD' },
        { name: 'c', content: 'SGVsbG8=', again: 'SGVsbG8=' },
      ],
    },
  });
  t.same(await ask('{ files { name } }'), { data: { files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } });
});

t.test('attachments of a reply whose elements may refer to others', async (t) => {
  const { backend, ask } = await startFiles(t, '', ', dataContractReferences: true');
  const ser = 'xmlns:z="http://schemas.microsoft.com/2003/10/Serialization/"';
  const first = file('a', include('1@d')).replace('<d:file>', `<d:file z:Id="1" ${ser}>`);
  backend.answer = answerWith(
    message(`${first}<d:file z:Ref="1" ${ser}/>`, [
      { id: '1@d', content: BYTES },
      { id: 'stray@d', content: BYTES },
    ]),
    TYPE,
  );
  const content = BYTES.toString('base64');
  t.same(await ask('{ files { content } }'), { data: { files: [{ content }, { content }] } });
});

t.test('what cannot be had of an attachment is an error', async (t) => {
  const { backend, ask } = await startFiles(t, 'limits: { codec: { attachmentBytes: 1000 } }\n');
  const big = message(file('a', include('1@d')), [{ id: '1@d', content: BYTES }]);
  backend.answer = answerWith(big, TYPE);
  t.match(await ask('{ files { content } }'), {
    data: { files: null },
    errors: [{ extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }],
  });
  t.same(await ask('{ files { name } }'), { data: { files: [{ name: 'a' }] } }, 'what is not asked for does not count');
  backend.answer = answerWith(
    message(file('a', include('1@d')), [{ id: '1@d', content: Buffer.from('a=20b'), coding: 'x-uuencode' }]),
    TYPE,
  );
  t.match(await ask('{ files { content } }'), { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
  backend.answer = answerWith(envelope(file('a', include('1@d'))));
  t.match(
    await ask('{ files { content } }'),
    { errors: [{ path: ['files', 0, 'content'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }] },
    'an Include outside of a package',
  );
  backend.answer = answerWith(
    message(file('a', `QUJD${include('1@d')}`), [{ id: '1@d', content: Buffer.from('x') }]),
    TYPE,
  );
  t.match(
    await ask('{ files { content } }'),
    { errors: [{ path: ['files', 0, 'content'] }] },
    'text beside an Include',
  );
});
