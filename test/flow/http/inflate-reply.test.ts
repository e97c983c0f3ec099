import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { answerWith, type RecordingBackend } from '../../kit/backend.js';
import { envelope } from '../../kit/envelope.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { post, RawClient, type RawReply, sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';
import { include, printPackage } from '../../soap/packages.js';

const CALL = envelope('<m:Ping xmlns:m="urn:m"/>');
const PACKAGE_TYPE =
  'multipart/related; type="application/xop+xml"; start="<r>"; ' +
  'start-info="text/xml"; boundary="uuid:b"';
const packageOf = (message: string): Buffer =>
  printPackage({
    boundary: 'uuid:b',
    parts: [
      {
        head: [
          'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
          'Content-ID: <r>',
        ],
        content: message,
      },
      { head: ['Content-Type: image/png', 'Content-ID: <a>'], content: 'PNG' },
    ],
  });

async function startPath(t: Test, more = '') {
  const backend = await useBackend(t, answerWith(CALL));
  const gateway = await useGateway(t, `services:\n  s:\n    url: ${backend.url}/\n${more}`);
  return {
    backend,
    gateway,
    ask: (): Promise<RawReply> => sendRaw(gateway.url, post('/soap/s', 'text/xml', CALL)),
  };
}

/** Answers with gzip. */
const zipped =
  (body: string | Buffer, type = 'text/xml'): RecordingBackend['answer'] =>
  (_message, response) => {
    const bytes = gzipSync(body);
    response.writeHead(200, {
      'content-type': type,
      'content-encoding': 'gzip',
      'content-length': bytes.length,
    });
    response.end(bytes);
  };

t.test(
  'a caller that leaves while its answer is still decoded ends it, though the call is over',
  async (t) => {
    const { backend, gateway } = await startPath(t, 'limits:\n  xml:\n    messageBytes: 256MiB\n');
    // Text that compresses to a fiftieth, so that the backend is done long before its answer is.
    const line = `${'0123456789'.repeat(40)}\n`;
    const text = Array.from({ length: 75_000 }, (_, index) => `${index}${line}`).join('');
    backend.answer = zipped(envelope(`<m:PingResponse xmlns:m="urn:m">${text}</m:PingResponse>`));
    const client = await RawClient.connect(gateway.url);
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.once('data', () => {
      client.socket.pause();
      // Some turns later everything the backend has to say was taken in.
      let turns = 200;
      const wait = (): void => {
        if (--turns > 0) setImmediate(wait);
        else client.close();
      };
      wait();
    });
    await client.send(post('/soap/s', 'text/xml', CALL));
    await closed;
    const accessLine = await gateway.accessLine();
    t.equal(accessLine['outcome'], 'aborted');
    t.equal(accessLine['status'], 200);
    t.ok(Number(accessLine['bytesOut']) < text.length, 'not all of it was decoded for nobody');
  },
);

t.test('an empty answer under a coding is an empty answer', async (t) => {
  const { backend, ask } = await startPath(t);
  backend.answer = (_message, response) => {
    response.writeHead(202, { 'content-encoding': 'gzip', 'content-length': 0 });
    response.end();
  };
  t.equal((await ask()).status, 202);
});

t.test('a Fault is a Fault under a coding and in a package', async (t) => {
  const { backend, ask } = await startPath(t);
  const fault = (detail: string): string =>
    envelope(
      `<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring>${detail}</s:Fault>`,
    );
  const leak =
    '<detail><stackTrace>at com.example.Secret</stackTrace><m:Known xmlns:m="urn:m"/></detail>';
  for (const [name, answer] of [
    ['under a coding', zipped(fault(leak))],
    ['in a package', answerWith(packageOf(fault(leak)), PACKAGE_TYPE)],
    ['in a package under a coding', zipped(packageOf(fault(leak)), PACKAGE_TYPE)],
  ] as const) {
    backend.answer = answer;
    const { status, body, headers } = await ask();
    t.equal(status, 500, `${name}: the status of a Fault`);
    t.notMatch(body, 'com.example.Secret', `${name}: nothing of the inside`);
    t.match(body, '<faultstring>no</faultstring>', name);
    t.match(headers.get('content-type'), 'text/xml', `${name}: what it is`);
  }
  backend.answer = answerWith(packageOf(fault('')), PACKAGE_TYPE);
  const { status, body, headers } = await ask();
  t.equal(status, 500);
  t.equal(
    body,
    packageOf(fault('')).toString(),
    'a package whose Fault may be told passes as it is',
  );
  t.equal(headers.get('content-type'), PACKAGE_TYPE);
});

t.test('GraphQL reads an answer under a coding and in a package', async (t) => {
  const backend = await useBackend(t, answerWith(CALL));
  const gateway = await useGateway(
    t,
    `services:
  s:
    url: ${backend.url}/
    namespace: urn:m
    types: |
      type Query { ping: Pong }
      type Pong { text: String }
    operations:
      Ping: { field: Query.ping }
`,
  );
  const pong = (text: string): string =>
    envelope(`<PingResponse xmlns="urn:m"><text>${text}</text></PingResponse>`);
  const ask = async (answer: RecordingBackend['answer']): Promise<unknown> => {
    backend.answer = answer;
    const response = await postGraphql(gateway.url, { query: '{ ping { text } }' });
    const { data, errors } = (await response.json()) as {
      data: unknown;
      errors?: readonly { readonly extensions: { readonly code: string } }[];
    };
    return errors === undefined ? data : errors[0]?.extensions.code;
  };
  const expected = { ping: { text: 'hello' } };
  t.same(await ask(zipped(pong('hello'))), expected);
  t.same(await ask(answerWith(packageOf(pong('hello')), PACKAGE_TYPE)), expected);
  t.same(await ask(zipped(packageOf(pong('hello')), PACKAGE_TYPE)), expected);
  t.equal(
    await ask(answerWith(packageOf(pong(include('cid:a'))), PACKAGE_TYPE)),
    'UPSTREAM_SCHEMA_INVALID',
    'an Include is no text',
  );
  t.equal(
    await ask(answerWith(packageOf(pong(include('file:///a'))), PACKAGE_TYPE)),
    'UPSTREAM_INVALID_RESPONSE',
  );
  t.equal(
    await ask(answerWith(packageOf(pong('')).subarray(0, -4), PACKAGE_TYPE)),
    'UPSTREAM_INVALID_RESPONSE',
  );
  const broken: RecordingBackend['answer'] = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' });
    response.end(gzipSync(pong('hello')).subarray(0, -1));
  };
  t.equal(await ask(broken), 'UPSTREAM_INVALID_RESPONSE');
});
