import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { readMockRecording } from '../../src/cli/mock/mock-recording.js';
import { runProgram } from '../../src/cli/program.js';
import { answerBy } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** Recorded exchanges that are sent to another backend, and that a mock answers by. */

const WSDL = wsdlOf(
  'urn:t',
  wrapper('GetOrder', element('id', 'xs:int')) +
    wrapper(
      'GetOrderResponse',
      element('id', 'xs:int') + element('total', 'xs:decimal') + element('serial', 'xs:string'),
    ) +
    wrapper('PlaceOrder', element('id', 'xs:int')) +
    wrapper('PlaceOrderResponse', element('id', 'xs:int')),
  ['GetOrder', 'PlaceOrder'],
);

const idIn = (text: string): string => /<(?:\w+:)?id>(\d+)</.exec(text)?.[1] ?? '';

/** The old backend; `other` is a new one that writes the same in other ways. */
const old = (text: string): string =>
  text.includes('PlaceOrder')
    ? `<PlaceOrderResponse xmlns="urn:t"><id>${idIn(text)}</id></PlaceOrderResponse>`
    : `<GetOrderResponse xmlns="urn:t"><id>${idIn(text)}</id><total>1.50</total>` +
      '<serial>a</serial></GetOrderResponse>';
const other =
  (total: string, serial: string) =>
  (text: string): string =>
    `<n:GetOrderResponse xmlns:n="urn:t">\n<n:id>0${idIn(text)}</n:id><n:total>${total}</n:total>` +
    `<n:serial>${serial}</n:serial></n:GetOrderResponse>`;

const request = (operation: string, id: number): string =>
  envelope(`<${operation} xmlns="urn:t"><id>${id}</id></${operation}>`);

/** A recording of two reads and a write. */
async function useRecording(t: Test, values = 'keep') {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const { send } = await useService(
    t,
    answerBy(old),
    (url) =>
      `services: { a: { wsdl: a.wsdl, url: "${url}", record: { folder: rec, \
values: ${values} } } }`,
    folder,
  );
  for (const text of [request('GetOrder', 7), request('GetOrder', 8), request('PlaceOrder', 9)]) {
    t.equal((await send(text)).status, 200);
  }
  const recording = join(folder, 'rec');
  await until(() => {
    try {
      const names = readdirSync(recording, { recursive: true, encoding: 'utf8' });
      return names.filter((name) => name.endsWith('exchange.json')).length === 3;
    } catch {
      return false;
    }
  });
  return { folder, recording };
}

async function run(...args: readonly string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runProgram(args, {
    out: (text) => lines.push(text),
    error: (text) => errors.push(text),
  });
  return { code, out: lines.join('\n'), error: errors.join('\n') };
}

t.test('recorded reads are compared by meaning with the replies of a new backend', async (t) => {
  const { recording, folder } = await useRecording(t);
  const backend = await useBackend(t, answerBy(other('1.5', 'a')));
  const same = await run('replay', recording, '--against', backend.url);
  t.equal(same.code, 0, same.error);
  t.match(same.out, '2 exchanges sent: 2 the same, 0 different, 0 failed. 1 not sent');
  t.equal(backend.complete.length, 2);
  t.equal(backend.complete[0]?.headers['soapaction'], '"GetOrder"');

  backend.answer = answerBy(other('1.51', 'b'));
  const junit = join(folder, 'report.xml');
  const args = ['--header', 'Authorization: Bearer x', '--rate', '1000', '--junit', junit];
  const different = await run('replay', recording, '--against', backend.url, ...args);
  t.equal(different.code, 1);
  t.match(different.out, /2x +GetOrder +GetOrderResponse\/total/);
  t.equal(backend.complete.at(-1)?.headers['authorization'], 'Bearer x');
  t.match(
    readFileSync(junit, 'utf8'),
    /<testsuite name="GetOrder" tests="2" failures="2" errors="0">/,
  );

  const ignored = await run(
    ...['replay', recording, '--against', backend.url, '--json'],
    ...['--ignore', 'GetOrderResponse/total', '--ignore', 'GetOrderResponse/serial'],
  );
  t.equal(ignored.code, 0);
  t.match(JSON.parse(ignored.out), { sent: 2, same: 2, different: 0, failed: 0, skipped: 1 });
});

t.test('writes are sent by name alone', async (t) => {
  const { recording } = await useRecording(t);
  const backend = await useBackend(t, answerBy(old));
  const all = await run('replay', recording, '--against', backend.url, '--writes', 'PlaceOrder');
  t.equal(all.code, 0);
  t.match(all.out, '3 exchanges sent: 3 the same');
});

t.test('a backend that fails, or is none, makes it fail', async (t) => {
  const { recording } = await useRecording(t);
  const backend = await useBackend(t, (_message, response) => response.end('hello'));
  const answered = await run('replay', recording, '--against', backend.url);
  t.equal(answered.code, 1);
  t.match(answered.out, 'the reply is no SOAP message');
  t.notMatch(answered.out, 'hello');
  const gone = await run('replay', recording, '--against', 'http://127.0.0.1:9/');
  t.equal(gone.code, 1);
  t.match(gone.out, '2 failed');
});

t.test('wrong input is refused with 2', async (t) => {
  const { recording, folder } = await useRecording(t, 'replace');
  const backend = await useBackend(t, answerBy(old));
  const refused = async (message: string, ...args: readonly string[]): Promise<void> => {
    const { code, error } = await run('replay', ...args);
    t.equal(code, 2, error);
    t.match(error, message);
  };
  await refused('were replaced', recording, '--against', backend.url);
  t.equal(backend.complete.length, 0);
  t.equal((await run('replay', recording, '--against', backend.url, '--replaced')).code, 1);
  t.equal(backend.complete.length, 2);
  await refused('no address', recording, '--against', 'ftp://x');
  await refused('no rate', recording, '--against', backend.url, '--rate', '0');
  await refused('has no recorded read', folder, '--against', backend.url);
  await refused('no folder', join(folder, 'none'), '--against', backend.url);
  await refused('--against', recording);
});

t.test('a configuration has the credentials of the service', async (t) => {
  const { recording } = await useRecording(t);
  const files = await useFolder(t, {
    'a.wsdl': WSDL,
    'a.yaml':
      'services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:9/", headers: { x-key: k }, ' +
      'auth: { basic: { username: u, password: p } } } }',
  });
  const backend = await useBackend(t, answerBy(old));
  const { code, error } = await run(
    ...['replay', recording, '--against', backend.url, '-c', join(files, 'a.yaml')],
  );
  t.equal(code, 0, error);
  t.equal(backend.complete[0]?.headers['x-key'], 'k');
  t.equal(backend.complete[0]?.headers['authorization'], 'Basic dTpw');
});

t.test('a mock answers by operation and arguments', async (t) => {
  const { recording, folder } = await useRecording(t);
  const mock = await readMockRecording(recording);
  const written = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
    <o:GetOrder xmlns:o="urn:t"><o:id>8</o:id></o:GetOrder></e:Body></e:Envelope>`;
  t.match((await mock?.find('GetOrder', Buffer.from(written)))?.body, /<id>8<\/id>/);
  t.equal(await mock?.find('GetOrder', Buffer.from(request('GetOrder', 6))), null);
  t.equal(await readMockRecording(folder), null);
});

t.test('ids that join elements count by what they join, of SOAP encoding alone', async (t) => {
  const encoded = (first: string, second: string, seat: string, style = STYLE): string =>
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body ${style}>` +
    `<n:Book xmlns:n="urn:t"><who href="#${first}"/><seat href="#${second}"/></n:Book>` +
    `<multiRef id="${first}">Ann</multiRef><multiRef id="${second}">${seat}</multiRef>` +
    '</s:Body></s:Envelope>';
  const recording = await useFolder(t, {
    '2026-11-29/1-a-Book/exchange.json': JSON.stringify({
      ...{ format: 1, operation: 'Book', types: 'a.json', reply: { status: 200 } },
    }),
    '2026-11-29/1-a-Book/request.xml': encoded('zq7', 'zq8', '12A'),
    '2026-11-29/1-a-Book/reply.xml': '<booked/>',
  });
  const mock = await readMockRecording(recording);
  const find = (text: string) => mock?.find('Book', Buffer.from(text));
  t.same(await find(encoded('id0', 'id1', '12A')), { status: 200, body: '<booked/>' });
  t.equal(await find(encoded('id0', 'id1', '14C')), null, 'another value');
  t.equal(await find(encoded('id0', 'id0', '12A')), null, 'one element for two');
  t.equal(await find(encoded('id0', 'id1', '12A', '')), null, 'data without an encoding');
});

const STYLE = 's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"';

t.test('messages in other encodings are recorded and sent again in UTF-8', async (t) => {
  for (const [charset, encoding] of [
    ['iso-8859-1', 'latin1'],
    ['utf-16', 'utf16le'],
  ] as const) {
    const mark = charset === 'utf-16' ? '\ufeff' : '';
    const type = `text/xml; charset=${charset}`;
    const folder = await useFolder(t, { 'a.wsdl': WSDL });
    const reply = envelope(old(request('GetOrder', 7)).replace('>a<', '>Zoë<'));
    const { gateway, backend } = await useService(
      t,
      (_message, response) => {
        response.writeHead(200, { 'content-type': type });
        response.end(Buffer.from(mark + reply, encoding));
      },
      (url) =>
        `services: { a: { wsdl: a.wsdl, url: "${url}", record: { folder: rec, values: keep } } }`,
      folder,
    );
    const sent = envelope('<GetOrder xmlns="urn:t" xmlns:h="urn:é"><id>7</id></GetOrder>');
    const answer = await fetch(`${gateway.url}/soap/a`, {
      method: 'POST',
      headers: { 'content-type': type, soapaction: '""' },
      body: new Uint8Array(Buffer.from(mark + sent, encoding)),
    });
    t.equal(answer.status, 200, charset);
    const recording = join(folder, 'rec');
    const written = (): readonly string[] =>
      existsSync(recording) ? readdirSync(recording, { recursive: true, encoding: 'utf8' }) : [];
    await until(() => written().some((name) => name.endsWith('exchange.json')));
    const replyFile = written().find((name) => name.endsWith('reply.xml')) ?? '';
    t.match(readFileSync(join(recording, replyFile), 'utf8'), '>Zoë<', charset);
    const before = backend.complete.length;
    const replayed = await run('replay', recording, '--against', backend.url);
    t.equal(replayed.code, 0, replayed.out);
    const again = backend.complete[before];
    t.match(again?.headers['content-type'], 'charset=utf-8');
    t.match(String(again?.body), 'urn:é');
  }
});

t.test('an address with credentials is an error that does not show them', async (t) => {
  const { recording } = await useRecording(t);
  const { code, error } = await run('replay', recording, '--against', 'http://me:secret@host/a');
  t.equal(code, 2);
  t.match(error, "--header 'Authorization: ...'");
  t.notMatch(error, 'secret');
});
