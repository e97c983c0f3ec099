import type { Test } from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { useBackend, useGateway } from '../kit/use.js';
import { until, useRedis } from '../redis/kit.js';
import type { Rows } from './rows.js';

const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity';

/** Longer messages are on their way to the backend before they end. */
const LONG = 'x'.repeat(300_000);

function message(nonce: string | null, content = ''): string {
  const created = new Date().toISOString();
  const token =
    nonce === null
      ? ''
      : `<s:Security xmlns:s="${WSS}-secext-1.0.xsd"><s:UsernameToken><s:Username>a</s:Username>\
<s:Nonce>${nonce}</s:Nonce>
         <u:Created xmlns:u="${WSS}-utility-1.0.xsd">${created}</u:Created>\
</s:UsernameToken></s:Security>`;
  return envelope(`<Ping xmlns="urn:ping">${content}</Ping>`, token);
}

const REPLY = envelope('<Pong xmlns="urn:ping"/>');

async function send({ url }: TestGateway, path: string, body: string): Promise<string> {
  const response = await postSoap(url + path, body);
  const text = await response.text();
  if (response.ok) return 'pass';
  return (
    /code="([^"]+)"/.exec(text)?.[1] ??
    /<faultcode[^>]*>([^<]*)/.exec(text)?.[1] ??
    String(response.status)
  );
}

export function testNonces(t: Test, rows: Rows): void {
  void t.test('R21: nonces that another replica has seen', { buffered: true }, async (t) => {
    const redis = await useRedis(t);
    const backend = await useBackend(t, answerWith(REPLY));
    const service = (path: string, security: string): string => `  ${path}:
    url: ${backend.url}
    namespace: urn:ping
    security: { nonces: true${security} }
`;
    const config = `redis: { url: "${redis.url}", replicas: 2, operationMillis: 500 }
services:
${service('strict', '')}${service('lenient', ', noncesWithoutRedis: true')}`;
    const [a, b] = await Promise.all([useGateway(t, config), useGateway(t, config)]);
    await Promise.all([a.logLine('Redis is there'), b.logLine('Redis is there')]);
    const whole = (): number => backend.complete.length;
    const refused = async (
      gateway: TestGateway,
      path: string,
      body: string,
      code: string,
      what: string,
    ) => {
      const before = whole();
      t.equal(await send(gateway, path, body), code, what);
      t.equal(whole(), before, `${what}: the backend gets nothing`);
    };

    for (const path of ['/soap/strict', '/soap/lenient']) {
      t.equal(await send(a, path, message('n1')), rows.answer('R21', 'a new nonce'));
      const code = rows.answer('R21', 'the same nonce at another replica');
      await refused(b, path, message('n1'), code, 'at another replica');
      await refused(a, path, message('n1'), code, 'at the same replica');
      await refused(b, path, message('n1', LONG), code, 'a long message');
      t.equal(await send(b, path, message('n2', LONG)), 'pass', 'a long message with a new nonce');
      t.equal(await send(a, path, message('gU8WGlzM2Uf+C7ftr1vfAg==')), 'pass', 'one of base64');
      for (const again of [
        'gU8WGlzM2Uf\n+C7ftr1vfAg',
        'gU8WGlzM2Uf+C7ftr1vfAh==',
        'gU8WGlzM2Uf-C7ftr1vfAg==',
        '*gU8WGlzM2Uf+C7ftr1vfAg==',
      ]) {
        await refused(b, path, message(again), code, 'written anew');
      }
    }

    await redis.kill();
    await until(
      () =>
        [a, b].every((gateway) =>
          gateway.logLines().some(({ msg }) => String(msg).includes('away')),
        ),
      'away',
    );
    const strict = rows.answer('R21', 'a new nonce during the outage');
    await refused(a, '/soap/strict', message('n3'), strict, 'a nonce during the outage');
    await refused(a, '/soap/strict', message('n4', LONG), strict, 'in a long message');
    t.equal(
      await send(a, '/soap/strict', message(null)),
      rows.answer('R21', 'no nonce during the outage'),
    );
    const lenient = rows.answer(
      'R21',
      'a new nonce during the outage, where the operator lets it pass',
    );
    t.equal(await send(a, '/soap/lenient', message('n5')), lenient);
    await refused(
      a,
      '/soap/lenient',
      message('n5'),
      'wsse:FailedAuthentication',
      'this process still knows it',
    );

    await redis.start();
    await until(
      () =>
        [a, b].every(
          (gateway) =>
            gateway.logLines().filter(({ msg }) => msg === 'Redis is there').length === 2,
        ),
      'back',
    );
    t.equal(await send(a, '/soap/strict', message('n6')), 'pass', 'after it');
  });
}
