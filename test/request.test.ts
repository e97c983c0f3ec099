import type { Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { REFUSALS } from '../src/config/refusal-tables.js';
import type { RefusalCode } from '../src/core/refusals/refusals.js';
import { DIALECT_NAMES, DIALECTS, type DialectName } from '../src/soap/dialect.js';
import {
  answerWith,
  type RecordingBackend,
  startRecordingBackend,
  startScriptedBackend,
} from './kit/backend.js';
import { useCrm } from './kit/crm.js';
import { startTestGateway, type TestGateway } from './kit/gateway.js';
import { chunked, post, RawClient, type RawReply, sendRaw } from './kit/raw-client.js';
import { useBackend, useGateway } from './kit/use.js';
import { fill } from './perimeter/case-file.js';
import { ENVELOPE_CASES } from './soap/cases.js';

const TEMPLATE =
  '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Body><m:Ping xmlns:m="urn:m"/>' +
  '</E:Body></E:Envelope>';
const request = (dialect: DialectName): string => fill(TEMPLATE, dialect);
const reply = (dialect: DialectName, content = '<m:PingResponse xmlns:m="urn:m"/>'): string =>
  fill(
    `<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Body>${content}</E:Body></E:Envelope>`,
    dialect,
  );
const fault = (dialect: DialectName): string =>
  reply(dialect, '<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring></E:Fault>');
const path = (dialect: DialectName): string => `/soap/s${dialect.replaceAll(/[^0-9]/g, '')}`;
const type = (dialect: DialectName): string => `${DIALECTS[dialect].mediaType}; charset=utf-8`;

/** One service for each dialect, and one that speaks them all, before the same backend. */
const services = (url: string, more = ''): string =>
  `${DIALECT_NAMES.map(
    (name) =>
      `  s${name.replaceAll(/[^0-9]/g, '')}:\n    url: ${url}/base\n    versions: ["${name}"]\n${more}`,
  ).join('')}  ` + `all:\n    url: ${url}/base\n    versions: ["1.1", "1.2", "2001-12"]\n${more}`;

async function startBoth(
  t: Test,
  limits = '',
): Promise<{ backend: RecordingBackend; gateway: TestGateway }> {
  const backend = await useBackend(t, (message, response) => {
    const dialect =
      DIALECT_NAMES.find((name) => message.body.includes(DIALECTS[name].envelopeUri)) ?? '1.1';
    answerWith(reply(dialect), type(dialect))(message, response);
  });
  const gateway = await useGateway(t, `services:\n${services(backend.url)}${limits}`);
  return { backend, gateway };
}

/** The answer of catalogue convention D1 for a refusal of the caller's message. */
function expectRefusal(
  t: Test,
  answer: RawReply,
  dialect: DialectName,
  code: RefusalCode,
  name: string,
): void {
  const row = DIALECTS[dialect];
  const kind: { readonly undecodable?: boolean; readonly fault?: string; readonly blame: string } =
    REFUSALS[code];
  if (kind.undecodable === true && row.undecodable === 'empty 400') {
    t.equal(answer.status, 400, `${name}: 400`);
    t.equal(answer.headers.get('content-length'), '0', `${name}: nothing in it`);
    return;
  }
  const faultCode = kind.fault ?? (kind.blame === 'upstream' ? row.receiverCode : row.senderCode);
  t.equal(answer.status, faultCode === 'Sender' ? 400 : 500, `${name}: status`);
  t.ok(answer.headers.get('content-type')?.startsWith(row.mediaType), `${name}: media type`);
  t.match(answer.body, `"${row.envelopeUri}"`, `${name}: dialect`);
  t.match(
    answer.body,
    `${row.faultCodesAreQNames ? 'soap:' : '>'}${faultCode}<`,
    `${name}: fault code`,
  );
  t.match(answer.body, `code="${code}"`, `${name}: our code`);
}

t.test('every rule of the envelope over real sockets: whole, in bytes and in chunks', async (t) => {
  const { backend, gateway } = await startBoth(t);
  for (const { name, dialect, message, forwarded, refusal } of ENVELOPE_CASES) {
    const bytes = Buffer.from(message);
    const whole = post(path(dialect), type(dialect), bytes);
    const bytewise = await RawClient.connect(gateway.url);
    const sending = (async () => {
      for (const byte of whole) await bytewise.send(Uint8Array.of(byte));
    })();
    const replies = [await sendRaw(gateway.url, whole), await bytewise.reply()];
    await sending;
    bytewise.close();
    if (dialect !== '2001-12') {
      const head = post(path(dialect), type(dialect), '', {
        'Content-Length': null,
        'Transfer-Encoding': 'chunked',
      });
      const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)].filter(
        (half) => half.length > 0,
      );
      replies.push(await sendRaw(gateway.url, Buffer.concat([head, chunked(...halves)])));
    }
    for (const answer of replies) {
      if (refusal === null) t.equal(answer.status, 200, `${dialect}: ${name}: accepted`);
      else expectRefusal(t, answer, dialect, refusal as RefusalCode, `${dialect}: ${name}`);
    }
    t.equal(
      backend.complete.length,
      refusal === null ? replies.length : 0,
      `${dialect}: ${name}: arrivals`,
    );
    for (const arrived of backend.complete)
      t.same(arrived.body, Buffer.from(forwarded), `${dialect}: ${name}: byte for byte`);
    backend.complete.length = 0;
  }
});

t.test('what reaches the backend and what comes back', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const fields = {
    SOAPAction: '"urn:m/Ping"',
    Authorization: 'Basic YTpi',
    Cookie: 'a=b',
    'X-Other': 'c',
    Connection: 'x-other',
  };
  const answer = await sendRaw(
    gateway.url,
    post('/soap/all?x=1', 'text/xml', request('1.1'), fields),
  );
  t.equal(answer.body, reply('1.1'), 'the reply, byte for byte');
  const [message] = backend.complete;
  t.equal(message?.target, '/base?x=1');
  t.equal(message?.headers['soapaction'], '"urn:m/Ping"');
  t.equal(message?.headers['authorization'], 'Basic YTpi');
  t.equal(message?.headers['content-length'], String(request('1.1').length));
  t.equal(message?.headers['transfer-encoding'], undefined, 'one framing');
  t.equal(message?.headers['cookie'], undefined);
  t.equal(message?.headers['x-other'], undefined);
  const line = await gateway.accessLine();
  t.match(line, {
    route: 'all',
    operation: '_other',
    dialect: '1.1',
    status: 200,
    outcome: 'ok',
    client: '127.0.0.1',
    method: 'POST',
  });
  t.equal(line['bytesIn'], request('1.1').length);
  t.equal(line['bytesOut'], reply('1.1').length);
  t.notMatch(JSON.stringify(gateway.logLines()), 'YTpi', 'no credentials');
});

t.test('the HTTP side: methods, media types, lengths', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const url = gateway.url;
  const bare = (method: string, target: string, more = ''): string =>
    `${method} ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    const answer = await sendRaw(url, bare(method, '/soap/all'));
    t.equal(answer.status, 405, method);
    t.equal(answer.headers.get('allow'), 'GET, POST');
  }
  t.equal((await sendRaw(url, bare('GET', '/nowhere'))).status, 404);
  t.equal(
    (await sendRaw(url, bare('GET', '/soap/all', 'Content-Length: 3\r\n'))).status,
    400,
    'GET with a body',
  );
  t.equal(
    (await sendRaw(url, post('/soap/all', null, request('1.1')))).status,
    415,
    'no Content-Type',
  );
  for (const wrong of [
    'text/html',
    'application/json',
    'multipart/mixed; boundary=a',
    'text',
    'text/xml; charset',
  ]) {
    t.equal((await sendRaw(url, post('/soap/all', wrong, request('1.1')))).status, 415, wrong);
  }
  t.equal(
    (await sendRaw(url, post('/soap/s11', 'application/soap+xml', request('1.1')))).status,
    415,
    'the other version',
  );
  t.equal(
    (await sendRaw(url, post('/soap/all', 'text/xml', 'x', { 'Content-Encoding': 'br' }))).status,
    415,
  );
  t.equal(
    (await sendRaw(url, post('/soap/all', 'text/xml', '', { 'Content-Length': '10485761' })))
      .status,
    413,
  );
  t.equal((await sendRaw(url, bare('GET', `/${'a'.repeat(9000)}`))).status, 414);
  t.equal((await sendRaw(url, bare('GET', '/soap/all', 'A: b\r\n'.repeat(100)))).status, 431);
  t.equal((await sendRaw(url, bare('GET', '/soap/all', 'Expect: wonders\r\n'))).status, 417);
  t.equal((await sendRaw(url, 'GET /soap/all\r\n\r\n')).status, 505, 'HTTP 0.9');
  t.equal(
    (await sendRaw(url, bare('GET', '/soap/all').replace('1.1', '2.0'))).status,
    505,
    'HTTP 2.0',
  );
  t.equal((await sendRaw(url, 'hello\r\n\r\n')).status, 400, 'not HTTP');
  for (const dialect of DIALECT_NAMES) {
    const head = post(path(dialect), type(dialect), '', {
      'Content-Length': null,
      'Transfer-Encoding': 'chunked',
    });
    const answer = await sendRaw(url, Buffer.concat([head, chunked(request(dialect))]));
    t.equal(answer.status, dialect === '2001-12' ? 411 : 200, `${dialect} without Content-Length`);
  }
  t.equal(backend.complete.length, 2, 'nothing refused arrived');
});

t.test(
  'the media type of one version around the envelope of the other is a version mismatch',
  async (t) => {
    const { backend, gateway } = await startBoth(t);
    const crossed = await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.2')));
    expectRefusal(t, crossed, '1.2', 'VERSION_MISMATCH', '1.2 as text/xml');
    t.match(crossed.body, 'SupportedEnvelope', 'the versions spoken here');
    expectRefusal(
      t,
      await sendRaw(gateway.url, post('/soap/all', type('1.2'), request('1.1'))),
      '1.1',
      'VERSION_MISMATCH',
      '1.1',
    );
    t.equal(backend.complete.length, 0);
  },
);

t.test('Expect: 100-continue is answered here, once, and not forwarded', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const client = await RawClient.connect(gateway.url);
  const whole = post('/soap/all', 'text/xml', request('1.1'), { Expect: '100-continue' });
  const head = whole.indexOf('\r\n\r\n') + 4;
  await client.send(whole.subarray(0, head));
  t.equal((await client.reply()).status, 100);
  await client.send(whole.subarray(head));
  t.equal((await client.reply()).status, 200);
  t.equal(backend.complete[0]?.headers['expect'], undefined);
  client.close();
  const refused = await sendRaw(
    gateway.url,
    post('/soap/all', 'text/html', '', { Expect: '100-continue', 'Content-Length': '9' }),
  );
  t.equal(refused.status, 415, 'no 100 for a head that is refused');
});

t.test('GET is forwarded and its reply validated', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const get = (): Promise<RawReply> =>
    sendRaw(gateway.url, 'GET /soap/all?op=Ping&a=%20 HTTP/1.1\r\nHost: a\r\n\r\n');
  t.equal((await get()).body, reply('1.1'));
  t.equal(backend.complete[0]?.method, 'GET');
  t.equal(backend.complete[0]?.target, '/base?op=Ping&a=%20');
  backend.answer = answerWith('<html>hello</html>', 'text/html');
  expectRefusal(t, await get(), '1.1', 'UPSTREAM_INVALID_RESPONSE', 'HTML');
});

t.test(
  'a query without a message may call any operation, which a service with a WSDL refuses',
  async (t) => {
    const called = async (keys: string) => {
      const { backend, gateway } = await useCrm(t, keys);
      const answer = await sendRaw(
        gateway.url,
        'GET /soap/crm?method=GetSecret HTTP/1.1\r\nHost: a\r\n\r\n',
      );
      return {
        body: answer.body,
        targets: backend.complete.map(({ target }) => target),
        line: await gateway.accessLine(),
      };
    };
    t.match(await called(''), {
      body: /no such operation/,
      targets: [],
      line: { code: 'UNKNOWN_OPERATION' },
    });
    t.match(await called(', unknownOperations: pass'), { targets: [/method=GetSecret/] });
    t.match(await called(', mode: monitor'), { targets: [/method=GetSecret/] });
  },
);

t.test('a reply of monitor mode without content has no length', async (t) => {
  const { backend, gateway } = await useCrm(t, ', mode: monitor');
  backend.answer = (_message, response) => response.writeHead(204).end();
  const response = await fetch(`${gateway.url}/soap/crm?ping`);
  t.equal(response.status, 204);
  t.equal(response.headers.get('content-length'), null);
});

const BIG = 'x'.repeat(300_000);
const bigMessage = (tail: string): string =>
  `${request('1.1').split('<m:Ping')[0]}<m:Ping xmlns:m="urn:m">${BIG}${tail}`;

t.test('a long message streams; a late violation never completes it at the backend', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const good = bigMessage('</m:Ping></E:Body></E:Envelope>');
  const passed = await sendRaw(gateway.url, post('/soap/all', 'text/xml', good));
  t.equal(passed.status, 200);
  t.equal(backend.complete[0]?.body.toString(), good, 'byte for byte');
  t.equal(backend.complete[0]?.headers['content-length'], String(good.length));
  backend.complete.length = 0;

  for (const tail of [
    '</m:Ping></E:Body><b/></E:Envelope>',
    '</m:Ping></E:Body></E:Envelope>x',
    '</m:Ping></E:Body>',
  ]) {
    const bad = bigMessage(tail);
    expectRefusal(
      t,
      await sendRaw(gateway.url, post('/soap/all', 'text/xml', bad)),
      '1.1',
      tail.endsWith('Envelope>x') || tail.endsWith('Body>')
        ? 'XML_NOT_WELLFORMED'
        : 'SOAP_STRUCTURE',
      `late ${tail}`,
    );
    const head = post('/soap/all', 'text/xml', '', {
      'Content-Length': null,
      'Transfer-Encoding': 'chunked',
    });
    t.equal((await sendRaw(gateway.url, Buffer.concat([head, chunked(bad)]))).status, 500);
  }
  t.equal(backend.complete.length, 0, 'none of them arrived whole');
});

t.test('a request that breaks off reaches the backend incomplete or not at all', async (t) => {
  const { backend, gateway } = await startBoth(t);
  for (const [index, length] of [100, 200_000].entries()) {
    const client = await RawClient.connect(gateway.url);
    const head = post('/soap/all', 'text/xml', '', { 'Content-Length': String(300_100) });
    await client.send(Buffer.concat([head, Buffer.from(bigMessage('').slice(0, length))]));
    client.close();
    t.match(await gateway.accessLine(index + 1), { outcome: 'refused', code: 'HTTP_BAD_REQUEST' });
  }
  t.equal(backend.complete.length, 0);
});

/** What backends do instead of answering, and what a caller must be told. */
const FAILURES: readonly {
  readonly name: string;
  readonly script: (socket: Socket) => void;
  readonly code: RefusalCode;
}[] = [
  { name: 'closes without an answer', script: (socket) => socket.end(), code: 'UPSTREAM_RESET' },
  { name: 'resets', script: (socket) => socket.resetAndDestroy(), code: 'UPSTREAM_RESET' },
  { name: 'is silent', script: () => {}, code: 'UPSTREAM_TIMEOUT' },
  {
    name: 'stops in its answer',
    script: (socket) => socket.write(http('text/xml', '<a', 100)),
    code: 'UPSTREAM_IDLE_TIMEOUT',
  },
  {
    name: 'is cut in its answer',
    script: (socket) => socket.end(http('text/xml', '<a', 100)),
    code: 'UPSTREAM_TRUNCATED',
  },
  {
    name: 'answers half an envelope',
    script: (socket) => socket.end(http('text/xml', reply('1.1').slice(0, 90))),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers HTML',
    script: (socket) => socket.end(http('text/html', '<html><br></html>')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers HTML as XML',
    script: (socket) => socket.end(http('text/xml', '<html><br></html>')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers JSON',
    script: (socket) => socket.end(http('application/json', '{"a":1}')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers nothing',
    script: (socket) => socket.end(http('text/xml', '')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers a DTD',
    script: (socket) => socket.end(http('text/xml', `<!DOCTYPE a>${reply('1.1')}`)),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers junk before the envelope',
    script: (socket) => socket.end(http('text/xml', `<br />${reply('1.1')}`)),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers what is not HTTP',
    script: (socket) => socket.end('hello\r\n\r\n'),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    name: 'answers a redirect',
    script: (socket) =>
      socket.end(
        'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
      ),
    code: 'UPSTREAM_REDIRECT',
  },
  {
    name: 'is overloaded',
    script: (socket) => socket.end('HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n'),
    code: 'UPSTREAM_OVERLOADED',
  },
  {
    name: 'compresses unasked',
    script: (socket) => socket.end(http('text/xml\r\nContent-Encoding: gzip', 'x')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
];

const http = (
  contentType: string,
  body: string,
  length = Buffer.byteLength(body),
  status = '200 OK',
): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n` +
  `Connection: close\r\n\r\n${body}`;

const QUICK = 'limits:\n  upstream: { headersMillis: 300, idleMillis: 300, breakerFailures: 0 }\n';

t.test(
  'whatever the backend does instead of answering becomes a Fault in the dialect of the caller',
  async (t) => {
    let script = (_socket: Socket): void => {};
    const backend = await startScriptedBackend((socket) => script(socket));
    const gateway = await useGateway(t, `services:\n${services(backend.url)}${QUICK}`);
    t.teardown(() => backend.close());
    for (const failure of FAILURES) {
      script = failure.script;
      for (const dialect of DIALECT_NAMES) {
        const answer = await sendRaw(
          gateway.url,
          post(path(dialect), type(dialect), request(dialect)),
        );
        expectRefusal(t, answer, dialect, failure.code, `${dialect}: the backend ${failure.name}`);
        t.notMatch(answer.body, /html|127\.0\.0\.1|\{/, 'nothing of the backend leaks');
      }
    }
    script = (socket) =>
      socket.end(
        http('text/xml', reply('1.1', '<E:Fault><faultcode>E:Server</faultcode></E:Fault>')),
      );
    const fault = await sendRaw(gateway.url, post('/soap/s11', 'text/xml', request('1.1')));
    t.equal(fault.status, 500, 'a Fault that came with 200');
    t.match(fault.body, 'E:Server');
  },
);

t.test('a backend that is not there becomes a Fault at once', async (t) => {
  const gone = await startRecordingBackend(() => {});
  await gone.close();
  const gateway = await useGateway(t, `services:\n${services(gone.url)}`);
  for (const dialect of DIALECT_NAMES) {
    const answer = await sendRaw(gateway.url, post(path(dialect), type(dialect), request(dialect)));
    expectRefusal(t, answer, dialect, 'UPSTREAM_UNREACHABLE', dialect);
  }
  t.match(await gateway.accessLine(), {
    outcome: 'failed',
    code: 'UPSTREAM_UNREACHABLE',
    level: 'error',
  });
});

t.test('a long reply streams, and is cut when it goes wrong after its status is out', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const long = reply('1.1', `<m:r xmlns:m="urn:m">${BIG}</m:r>`);
  backend.answer = answerWith(long);
  t.equal((await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.1')))).body, long);
  for (const bad of [
    long.replace('</E:Envelope>', ''),
    long.replace('</m:r>', '</m:q>'),
    `${long}<a/>`,
  ]) {
    backend.answer = answerWith(bad);
    const answer = await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.1')));
    t.equal(answer.status, 200);
    t.equal(answer.isCut, true, 'no clean end');
  }
  backend.answer = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-length': long.length });
    response.write(long.slice(0, 200_000), () => response.destroy());
  };
  t.equal(
    (await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.1')))).isCut,
    true,
    'dies in its answer',
  );
  t.match(await gateway.accessLine(5), { outcome: 'aborted', code: 'UPSTREAM_TRUNCATED' });
});

t.test('a caller that leaves ends the call upstream', async (t) => {
  let closed = (): void => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { backend, gateway } = await startBoth(t);
  backend.answer = (_message, response) => {
    response.once('close', closed);
    client.close();
  };
  const client = await RawClient.connect(gateway.url);
  await client.send(post('/soap/all', 'text/xml', request('1.1')));
  await gone;
  t.match(await gateway.accessLine(), { outcome: 'aborted', code: 'CLIENT_GONE' });
});

t.test('a one-way answer is 202 and nothing', async (t) => {
  const { backend, gateway } = await startBoth(t);
  backend.answer = (_message, response) =>
    response.writeHead(202, { 'content-type': 'text/html' }).end();
  const answer = await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.1')));
  t.equal(answer.status, 202);
  t.equal(answer.headers.get('content-length'), '0');
});

t.test(
  'what the WSDL says of an operation decides what an empty answer means, ' +
    'and a Fault always arrives',
  async (t) => {
    const backend = await useBackend(t, () => {});
    const gateway = await useGateway(
      t,
      `services:\n  desk:\n    wsdl: ${process.cwd()}/config/demo/legacy.wsdl\n` +
        `    url: ${backend.url}/\n`,
    );
    const call = (operation: string): Promise<RawReply> => {
      const message =
        `<E:Envelope xmlns:E="${DIALECTS['1.1'].envelopeUri}"><E:Body>` +
        `<${operation} xmlns="http://legacy.example.com/desk"/></E:Body></E:Envelope>`;
      return sendRaw(gateway.url, post('/soap/desk', 'text/xml', message));
    };
    const fault = reply(
      '1.1',
      '<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring></E:Fault>',
    );
    for (const status of [200, 202]) {
      backend.answer = answerWith('', 'text/xml', status);
      t.equal((await call('NotifyShipment')).status, 202, `one-way, ${status} and nothing`);
      expectRefusal(
        t,
        await call('GetOrder'),
        '1.1',
        'UPSTREAM_INVALID_RESPONSE',
        `two-way, ${status} and nothing`,
      );
    }
    backend.answer = answerWith(reply('1.1'));
    const dropped = await call('NotifyShipment');
    t.equal(dropped.status, 202, 'an answer nobody asked for is dropped');
    t.equal(dropped.body, '');
    backend.answer = answerWith(fault, 'text/xml', 500);
    t.match(await call('NotifyShipment'), { status: 500, body: fault });
  },
);

t.test('a refused message is logged with its operation, as far as that was known', async (t) => {
  const backend = await useBackend(t, answerWith(reply('1.1')));
  const gateway = await useGateway(
    t,
    `services:\n  desk:\n    wsdl: ${process.cwd()}/config/demo/legacy.wsdl\n` +
      `    url: ${backend.url}/\n`,
  );
  const envelope = (body: string): string =>
    `<E:Envelope xmlns:E="${DIALECTS['1.1'].envelopeUri}"><E:Body>${body}</E:Body></E:Envelope>`;
  const order = '<GetOrder xmlns="http://legacy.example.com/desk"/>';
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['XML_NOT_WELLFORMED', '', envelope('').replace('<E:Body>', '<E:Body'), '""'],
    ['UNKNOWN_OPERATION', '_other', envelope('<Nothing/>'), '""'],
    ['ACTION_MISMATCH', 'GetOrder', envelope(order), '"urn:another"'],
    ['XML_NOT_WELLFORMED', 'GetOrder', envelope(order.replace('/>', '><a></GetOrder>')), '""'],
    [
      'SOAP_STRUCTURE',
      'GetOrder',
      envelope(order).replace('</E:Envelope>', '<after/></E:Envelope>'),
      '""',
    ],
  ];
  for (const [index, [code, operation, message, soapAction]] of cases.entries()) {
    await sendRaw(gateway.url, post('/soap/desk', 'text/xml', message, { SOAPAction: soapAction }));
    t.match(
      await gateway.accessLine(index + 1),
      { code, operation },
      `${code} of ${operation || 'none'}`,
    );
  }
});

t.test(
  'an answer that goes wrong is reset, so that HTTP/1.0 does not take it for a whole one',
  async (t) => {
    const { backend, gateway } = await startBoth(t);
    backend.answer = answerWith(`${reply('1.1', `<m:r xmlns:m="urn:m">${BIG}</m:r>`)}<a/>`);
    const client = await RawClient.connect(gateway.url);
    const ended = new Promise((resolve) =>
      client.socket.once('error', resolve).once('end', () => resolve('a clean end')),
    );
    await client.send(
      post('/soap/all', 'text/xml', request('1.1')).toString().replace('HTTP/1.1', 'HTTP/1.0'),
    );
    t.match(await ended, { code: 'ECONNRESET' });
  },
);

t.test('monitor mode passes what it would refuse, counts and logs it', async (t) => {
  const backend = await useBackend(t, answerWith(reply('1.1')));
  const gateway = await useGateway(t, `services:\n${services(backend.url, '    mode: monitor\n')}`);
  const bad = request('1.1').replace('</E:Envelope>', '<after/></E:Envelope>');
  t.equal((await sendRaw(gateway.url, post('/soap/all', 'text/xml', bad))).status, 200);
  t.equal(backend.complete[0]?.body.toString(), bad);
  t.match(
    await gateway.metrics(),
    'soapstone_monitored_violations_total{service="all",code="SOAP_STRUCTURE"} 1',
  );
  t.ok(
    gateway
      .logLines()
      .some((line) => line['msg'] === 'violation let through' && line['code'] === 'SOAP_STRUCTURE'),
  );
});

t.test('monitor mode forwards untouched what no envelope can be read of, both ways', async (t) => {
  const backend = await useBackend(t, answerWith(reply('1.1')));
  const gateway = await useGateway(t, `services:\n${services(backend.url, '    mode: monitor\n')}`);
  const requests: readonly (readonly [string, Buffer, string])[] = [
    ['another media type', post('/soap/all', 'text/html', 'hello'), 'HTTP_MEDIA_TYPE'],
    ['no media type', post('/soap/all', null, 'hello'), 'HTTP_MEDIA_TYPE'],
    [
      'an unknown charset',
      post('/soap/all', 'text/xml; charset=utf-7', request('1.1')),
      'HTTP_MEDIA_TYPE',
    ],
    [
      'another coding',
      post('/soap/all', 'text/xml', 'br?', { 'Content-Encoding': 'br' }),
      'HTTP_MEDIA_TYPE',
    ],
    ['no boundary', post('/soap/all', 'multipart/related', 'hello'), 'MTOM_STRUCTURE'],
    [
      'chunks in the first dialect',
      Buffer.concat([
        post('/soap/s200112', type('2001-12'), '', {
          'Content-Length': null,
          'Transfer-Encoding': 'chunked',
        }),
        chunked(request('2001-12')),
      ]),
      'HTTP_LENGTH_REQUIRED',
    ],
  ];
  for (const [name, bytes, code] of requests) {
    backend.complete.length = 0;
    t.equal((await sendRaw(gateway.url, bytes)).status, 200, `${name}: passes`);
    t.equal(backend.complete.length, 1, `${name}: arrives`);
    t.ok(
      gateway
        .logLines()
        .some((line) => line['msg'] === 'violation let through' && line['code'] === code),
      `${name}: told`,
    );
  }
  const replies: readonly (readonly [string, RecordingBackend['answer'], number, string])[] = [
    ['HTML', answerWith('<html>', 'text/html'), 200, '<html>'],
    ['nothing', answerWith('', 'text/html'), 200, ''],
    ['401', answerWith('who?', 'text/plain', 401), 401, 'who?'],
    ['a redirect', answerWith('there', 'text/plain', 302), 302, 'there'],
    ['a Fault with 200', answerWith(fault('1.1'), type('1.1')), 200, fault('1.1')],
    [
      'gzip',
      (_message, response) =>
        response
          .writeHead(200, { 'content-type': type('1.1'), 'content-encoding': 'gzip' })
          .end(gzipSync(reply('1.1'))),
      200,
      reply('1.1'),
    ],
  ];
  for (const [name, answer, status, body] of replies) {
    backend.answer = answer;
    const passed = await sendRaw(gateway.url, post('/soap/all', 'text/xml', request('1.1')));
    t.equal(passed.status, status, `${name}: status`);
    t.equal(passed.body, body, `${name}: body`);
    t.equal(passed.headers.get('content-encoding') ?? null, null, `${name}: as it says`);
  }
});

t.test(
  'draining: requests in flight finish, kept connections are closed, nothing is lost',
  async (t) => {
    const backend = await useBackend(t, () => {});
    const audit = `audit: { file: ${join(t.testdir(), 'audit.log')} }\n`;
    const gateway = await startTestGateway(`${audit}services:\n${services(backend.url)}`);
    const waiting = new Promise<() => void>((resolve) => {
      backend.answer = (message, response) =>
        resolve(() => answerWith(reply('1.1'))(message, response));
    });
    const slow = await RawClient.connect(gateway.url);
    const kept = await RawClient.connect(gateway.url);
    await slow.send(post('/soap/all', 'text/xml', request('1.1')));
    const release = await waiting;
    t.equal((await fetch(`${gateway.adminUrl}/ready`)).status, 200);
    const drained = gateway.drain();
    t.equal((await fetch(`${gateway.adminUrl}/ready`)).status, 503);
    t.equal((await fetch(`${gateway.adminUrl}/live`)).status, 200);
    backend.answer = answerWith(reply('1.1'));
    await kept.send(post('/soap/all', 'text/xml', request('1.1')));
    const late = await kept.reply();
    t.equal(late.status, 200, 'a request on a kept connection is served');
    t.equal(late.headers.get('connection'), 'close');
    await kept.ended();
    release();
    t.equal((await slow.reply()).status, 200, 'the one in flight finishes');
    t.equal(await drained, 0, 'nothing was cut');
    t.equal(await gateway.drain(), 0, 'a second drain closes nothing twice');
    await t.rejects(RawClient.connect(gateway.url), 'and nobody gets in any more');
  },
);
