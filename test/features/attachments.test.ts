import t, { type Test } from 'tap';

import { errorWith } from '../kit/answers.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

const FIELDS = `${element('name', 'xs:string')}${element('content', 'xs:base64Binary')}`;
const REPLY = wrapper('GetResponse', wrapper('file', FIELDS, 'maxOccurs="unbounded"'));
const WSDL = wsdlOf('urn:d', `${wrapper('Get')}${REPLY}`, ['Get']);

const include = (id: string): string =>
  '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" ' +
  `href="cid:${encodeURIComponent(id)}"/>`;
const file = (name: string, content: string): string =>
  `<d:file><d:name>${name}</d:name><d:content>${content}</d:content></d:file>`;
const reply = (files: string): string =>
  envelope(`<d:GetResponse xmlns:d="urn:d">${files}</d:GetResponse>`);

interface Part {
  readonly id: string;
  readonly content: Buffer;
  readonly coding?: string;
}

function message(files: string, parts: readonly Part[]): Buffer {
  const pieces = [
    Buffer.from(
      '--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\n' +
        `Content-ID: <root@d>\r\n\r\n${reply(files)}`,
    ),
    ...parts.flatMap(({ id, content, coding = 'binary' }) => [
      Buffer.from(
        '\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: ' +
          `${coding}\r\nContent-ID: <${id}>\r\n\r\n`,
      ),
      content,
    ]),
    Buffer.from('\r\n--b--\r\n'),
  ];
  return Buffer.concat(pieces);
}

const TYPE =
  'multipart/related; boundary=b; type="application/xop+xml"; ' +
  'start="<root@d>"; start-info="text/xml"';

async function startFiles(t: Test, more = '', keys = '') {
  const folder = await useFolder(t, { 'files.wsdl': WSDL });
  const operations = 'operations: { Get: { field: Query.files } }';
  const yaml = (url: string): string =>
    `services: { files: { wsdl: files.wsdl, url: "${url}/f", ${operations}${keys} } }\n${more}`;
  return useService(t, answerWith(''), yaml, folder);
}

const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7) & 0xff));

t.test(
  'attachments are the values that refer to them, beside values in the envelope (case 21)',
  async (t) => {
    const { backend, ask } = await startFiles(t);
    const files =
      file('a', include('1@d')) + file('b', 'QUJD') + file('c', ` ${include('2 ö@d')}\n`);
    const parts = [
      { id: '1@d', content: BYTES },
      { id: '2 ö@d', content: Buffer.from('SGVs\r\nbG8=\r\n'), coding: 'base64' },
      { id: 'stray@d', content: BYTES },
    ];
    const others = parts.filter(({ id }) => !id.includes('ö'));
    backend.answer = answerWith(message(files, others), TYPE);
    t.match(
      await ask('{ files { name } }'),
      errorWith('UPSTREAM_INVALID_RESPONSE'),
      'a part is missing',
    );
    const plain = parts.map((part) => ({ ...part, id: part.id.replace(' ö', '') }));
    backend.answer = answerWith(message(files.replaceAll('%20%C3%B6', ''), plain), TYPE);
    t.same(await ask('{ files { name content again: content } }'), {
      data: {
        files: [
          { name: 'a', content: BYTES.toString('base64'), again: BYTES.toString('base64') },
          { name: 'b', content: 'QUJD', again: 'QUJD' },
          { name: 'c', content: 'SGVsbG8=', again: 'SGVsbG8=' },
        ],
      },
    });
    t.same(await ask('{ files { name } }'), {
      data: { files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    });
  },
);

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
  t.same(
    await ask('{ files { name } }'),
    { data: { files: [{ name: 'a' }] } },
    'what is not asked for does not count',
  );
  backend.answer = answerWith(
    message(file('a', include('1@d')), [
      { id: '1@d', content: Buffer.from('a=20b'), coding: 'x-uuencode' },
    ]),
    TYPE,
  );
  t.match(await ask('{ files { content } }'), errorWith('UPSTREAM_INVALID_RESPONSE'));
  backend.answer = answerWith(reply(file('a', include('1@d'))));
  t.match(
    await ask('{ files { content } }'),
    {
      errors: [{ path: ['files', 0, 'content'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
    },
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
