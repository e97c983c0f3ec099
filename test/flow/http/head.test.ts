import t from 'tap';

import { answerWith, startRecordingBackend } from '../../kit/backend.js';
import { startTestGateway } from '../../kit/gateway.js';
import { chunked, sendRaw } from '../../kit/raw-client.js';

/** What Node's parser lets through and two servers could read in two ways: refused at every door before anything else. */

const ENVELOPE =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><m:Ping xmlns:m="urn:m"/></E:Body></E:Envelope>';

t.test('heads that can be read in two ways are refused at every door', async (t) => {
  const backend = await startRecordingBackend(answerWith(ENVELOPE));
  const gateway = await startTestGateway(
    `services:\n  s:\n    url: ${backend.url}\nroutes:\n  - path: /files\n    url: ${backend.url}\n`,
  );
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  const good = ['Host: a', 'Content-Type: text/xml', 'SOAPAction: ""', `Content-Length: ${ENVELOPE.length}`];
  const withLength = (fields: readonly string[], version = 'HTTP/1.1'): [string, string, string] => [
    version,
    fields.join('\r\n'),
    ENVELOPE,
  ];
  const inChunks = (coding: string, version = 'HTTP/1.1'): [string, string, string] => [
    version,
    `Host: a\r\nContent-Type: text/xml\r\n${coding}`,
    chunked(ENVELOPE).toString(),
  ];
  const cases: readonly (readonly [string, number, [string, string, string]])[] = [
    ['H03 a coding before chunked', 501, inChunks('Transfer-Encoding: gzip, chunked')],
    ['H03 chunked twice', 400, inChunks('Transfer-Encoding: chunked, chunked')],
    ['H03 chunked in two fields', 400, inChunks('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked')],
    ['H03 an unknown coding', 501, inChunks('Transfer-Encoding: x-chunked')],
    ['H04 chunks in HTTP/1.0', 400, inChunks('Transfer-Encoding: chunked', 'HTTP/1.0')],
    ['H01 both framings', 400, inChunks(`Transfer-Encoding: chunked\r\nContent-Length: ${ENVELOPE.length}`)],
    ['H06 two Hosts', 400, withLength([...good, 'Host: b'])],
    ['H06 the same Host twice', 400, withLength([...good, 'host: a'])],
    ['H06 no Host', 400, withLength(good.slice(1))],
    ['H07 version 2.0', 505, withLength(good, 'HTTP/2.0')],
    ['H07 version 0.9', 505, withLength(good, 'HTTP/0.9')],
    ['H16 two types', 400, withLength([...good, 'Content-Type: text/xml'])],
    ['S09 two actions', 400, withLength([...good, 'SOAPAction: "b"'])],
    ['S09 a long action', 400, withLength(good.with(2, `SOAPAction: "${'a'.repeat(1024)}"`))],
    ['H02 two lengths', 400, withLength([...good, 'Content-Length: 1'])],
  ];
  let arrived = 0;
  for (const path of ['/soap/s', '/files/a', '/graphql']) {
    for (const [name, status, [version, fields, body]] of cases) {
      const answer = await sendRaw(gateway.url, `POST ${path} ${version}\r\n${fields}\r\n\r\n${body}`);
      t.equal(answer.status, status, `${path}: ${name}`);
      t.equal(answer.body, '', `${path}: ${name}`);
      t.equal(answer.headers.get('connection')?.toLowerCase(), 'close', `${path}: ${name}: closed`);
    }
    t.equal(backend.begun, arrived, `${path}: nothing arrived`);
    if (path === '/graphql') continue;
    const plain = await sendRaw(gateway.url, `POST ${path} HTTP/1.1\r\n${good.join('\r\n')}\r\n\r\n${ENVELOPE}`);
    t.equal(plain.status, 200, 'the same without the trick');
    const [version, fields, body] = inChunks('Transfer-Encoding: Chunked');
    t.equal(
      (await sendRaw(gateway.url, `POST ${path} ${version}\r\n${fields}\r\n\r\n${body}`)).status,
      200,
      'in chunks',
    );
    arrived = backend.begun;
  }
});
