import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend } from '../../kit/backend.js';
import type { TestGateway } from '../../kit/gateway.js';
import { sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';

const DEMO = resolve('config/demo/legacy.wsdl');

async function start(
  t: Test,
  wsdl = DEMO,
  more = '',
): Promise<{ readonly backend: RecordingBackend; readonly gateway: TestGateway }> {
  const backend = await useBackend(t, answerWith('', 'text/html'));
  // Paths in a configuration start where it lies.
  const gateway = await useGateway(
    t,
    `${more}services:\n  orders:\n    url: ${backend.url}/internal\n` +
      `    wsdl: ${relativeToTemporary(wsdl)}\n`,
  );
  return { backend, gateway };
}

/** Test configurations lie in a folder of their own directly below the temporary one. */
const relativeToTemporary = (path: string): string =>
  `${'../'.repeat(resolve(tmpdir()).split('/').length)}${path.replace(/^\//, '')}`;

const ask = (method: string, target: string, host = 'gateway.example:8080', more = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;

const GATEWAY = 'http://gateway.example:8080/soap/orders';

t.test('the WSDL is served with the address of the gateway at every port', async (t) => {
  const { backend, gateway } = await start(t);
  const answer = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl'));
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'text/xml; charset=utf-8');
  t.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.body)));
  const addresses = [...answer.body.matchAll(/<\w+:address\s+location="([^"]*)"/g)].map(
    ([, address]) => address,
  );
  t.ok(addresses.length >= 2, 'every port of the demonstration');
  for (const address of addresses) t.equal(address, GATEWAY);
  t.notMatch(answer.body, /127\.0\.0\.1|localhost/, 'nothing of the inside');
  t.equal(backend.begun, 0, 'the backend is not asked');
  t.match(await gateway.accessLine(), {
    route: 'orders',
    operation: 'wsdl',
    status: 200,
    outcome: 'ok',
  });
  for (const same of ['?WSDL', '?Wsdl', '?wsdl=0', '?singleWsdl', '?singlewsdl', '?wsdl=']) {
    const again = await sendRaw(gateway.url, ask('GET', `/soap/orders${same}`));
    if (same === '?wsdl=') t.match(String(again.status), /^4/, same);
    else t.equal(again.body, answer.body, same);
  }
});

t.test('imported schemas come through the gateway too', async (t) => {
  const { gateway } = await start(t);
  const main = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl'));
  const locations = [
    ...main.body.matchAll(/(?:schemaLocation|<\w+:import[^>]* location)="([^"]*)"/g),
  ].map(([, location]) => location ?? '');
  t.ok(locations.length >= 1, 'the demonstration imports a schema');
  for (const location of locations) {
    t.ok(location.startsWith(`${GATEWAY}?xsd=`), location);
    const schema = await sendRaw(
      gateway.url,
      ask('GET', location.slice('http://gateway.example:8080'.length)),
    );
    t.equal(schema.status, 200);
    t.match(schema.body, /<\w+:schema\b/);
  }
});

t.test('HEAD says what GET would', async (t) => {
  const { gateway } = await start(t);
  const full = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl'));
  const head = await sendRaw(
    gateway.url,
    ask('HEAD', '/soap/orders?wsdl', undefined, 'Connection: close\r\n'),
  );
  t.equal(head.status, 200);
  t.equal(head.headers.get('content-length'), full.headers.get('content-length'));
  t.equal(head.body, '');
});

t.test('an invalid Host appears in no answer', async (t) => {
  const { gateway } = await start(t);
  for (const host of [
    'a"><x',
    'a b',
    'user@a',
    'a/b',
    'a?b',
    'a&b',
    "a'b",
    'a:port',
    'a:123456',
    '[::1',
    `${'a'.repeat(300)}`,
    '',
  ]) {
    const answer = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl', host));
    t.equal(answer.status, 400, host);
    if (host.length > 2) t.notMatch(answer.body, host, 'nothing of it in the answer');
  }
  for (const host of ['a', 'a.example:443', '10.0.0.1:1', '[::1]:4000', 'A-b.Example']) {
    const answer = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl', host));
    t.match(answer.body, `location="http://${host}/soap/orders"`, host);
  }
});

t.test('the public address wins over the Host', async (t) => {
  const { gateway } = await start(t, DEMO, 'publicUrl: https://public.example/\n');
  const answer = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl', 'evil.example'));
  t.match(answer.body, 'location="https://public.example/soap/orders"');
  t.notMatch(answer.body, 'evil.example');
});

t.test('only documents of the model are served', async (t) => {
  const { backend, gateway } = await start(t);
  for (const query of [
    '?xsd=99',
    '?wsdl=99',
    '?xsd=0',
    '?wsdl=1',
    '?xsd=99999',
    '?xsd=999999',
    '?xsd=01',
    '?xsd',
  ]) {
    const answer = await sendRaw(gateway.url, ask('GET', `/soap/orders${query}`));
    t.equal(answer.status, 404, query);
  }
  for (const query of [
    '?xsd=../../../etc/passwd',
    '?xsd=..%2f..%2fetc%2fpasswd',
    '?wsdl=../legacy.wsdl',
    '?xsd=legacy.xsd',
    '?xsd=-1',
    '?xsd=1e1',
    '?xsd=http://other.example/a.xsd',
    '?xsd=__proto__',
    '?xsd=',
  ]) {
    const answer = await sendRaw(gateway.url, ask('GET', `/soap/orders${query}`));
    t.equal(answer.status, 400, query);
    t.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8', query);
    t.notMatch(answer.body, query.slice(1), query);
  }
  t.equal(backend.begun, 0, 'none of them reaches the backend');
});

t.test('a copy that is still good is not sent again', async (t) => {
  const { gateway } = await start(t);
  const first = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl'));
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^"[\w-]{20,}"$/, 'a strong tag');
  t.equal(first.headers.get('cache-control'), 'no-cache');
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*', ` ${tag},"x"`]) {
    for (const method of ['GET', 'HEAD']) {
      const request = ask(
        method,
        '/soap/orders?wsdl',
        undefined,
        `If-None-Match: ${known}\r\nConnection: close\r\n`,
      );
      const again = await sendRaw(gateway.url, request);
      t.equal(again.status, 304, `${method} ${known}`);
      t.equal(again.headers.get('etag'), tag);
      t.equal(again.body, '');
    }
  }
  for (const unknown of ['"other"', tag.slice(1, -1), '', `${tag}x`]) {
    const again = await sendRaw(
      gateway.url,
      ask('GET', '/soap/orders?wsdl', undefined, `If-None-Match: ${unknown}\r\n`),
    );
    t.equal(again.status, 200, unknown);
    t.equal(again.body, first.body);
  }
  const { headers } = await sendRaw(
    gateway.url,
    ask('HEAD', '/soap/orders?wsdl', undefined, 'Connection: close\r\n'),
  );
  t.equal(headers.get('etag'), tag);
  const schema = await sendRaw(gateway.url, ask('GET', '/soap/orders?xsd=1'));
  t.not(schema.headers.get('etag'), tag, 'another document, another tag');
});

t.test('the Host of one caller appears in no answer to another', async (t) => {
  const { gateway } = await start(t);
  const tags = new Set<string>();
  const bodies = new Set<string>();
  for (const host of ['evil.example', 'good.example', 'evil.example:80', 'good.example']) {
    const answer = await sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl', host));
    const hosts = [...answer.body.matchAll(/"http:\/\/([^/"]+)\/soap\/orders/g)].map(
      ([, named]) => named,
    );
    t.ok(hosts.length > 2);
    t.same(new Set(hosts), new Set([host]));
    tags.add(answer.headers.get('etag') ?? '');
    bodies.add(answer.body);
  }
  t.equal(bodies.size, 3);
  t.equal(tags.size, 3, 'a tag for each text');
});

t.test('documents that are not to be seen are not there', async (t) => {
  const backend = await useBackend(t, answerWith('', 'text/html'));
  const wsdl = relativeToTemporary(DEMO);
  const gateway = await useGateway(
    t,
    `services:\n  plain:\n    url: ${backend.url}\n  hidden: { url: "${backend.url}", wsdl: ` +
      `${wsdl}, serveWsdl: false }\n`,
  );
  for (const service of ['plain', 'hidden']) {
    for (const query of ['?wsdl', '?WSDL', '?wsdl=0', '?xsd=1', '?singleWsdl']) {
      const answer = await sendRaw(gateway.url, ask('GET', `/soap/${service}${query}`));
      t.equal(answer.status, 404, `${service}${query}`);
      t.equal(
        answer.body,
        (await sendRaw(gateway.url, ask('GET', '/nothing'))).body,
        'as of any path',
      );
    }
    for (const query of ['?wsdl=../../a', '?singleWsdl=1', '?wsdl&x=1']) {
      const answer = await sendRaw(gateway.url, ask('GET', `/soap/${service}${query}`));
      t.equal(answer.status, 400, `${service}${query}`);
    }
  }
  t.equal(backend.begun, 0, 'nor is the backend asked for them');
});

t.test('a long document goes out in parts, and is whole', async (t) => {
  const home = t.testdir({});
  const types = Array.from(
    { length: 3000 },
    (_, n) => `<xs:element name="e${n}" type="xs:string"/><!-- ${n} -->\n`,
  );
  const long = (await readFile(DEMO, 'utf8')).replace(
    /(<\w+:schema\b[^>]*>)/,
    `$1${types.join('').replaceAll('xs:', 'x:').replaceAll('<x:element', '<x:element xmlns:x="http://www.w3.org/2001/XMLSchema"')}`,
  );
  await writeFile(join(home, 'long.wsdl'), long);
  await copyFile(resolve('config/demo/legacy.xsd'), join(home, 'legacy.xsd'));
  const { gateway } = await start(t, join(home, 'long.wsdl'));
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendRaw(gateway.url, ask('GET', '/soap/orders?wsdl'))),
  );
  for (const { body, headers, isCut } of answers) {
    t.equal(isCut, false);
    t.ok(Buffer.byteLength(body) > 200_000);
    t.equal(headers.get('content-length'), String(Buffer.byteLength(body)));
    t.equal(body, answers[0]?.body);
  }
  t.notMatch(answers[0]?.body, '<!--', 'without the notes of its authors');
});
