import { request } from 'node:http';
import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import type { TestGateway } from '../kit/gateway.js';
import { useGateway } from '../kit/use.js';

/** The gateway's address in the WSDLs that it serves, behind proxies and without. */

const SERVICES =
  `services: { orders: { wsdl: "${resolve('config/demo/legacy.wsdl')}", url: ` +
  'http://127.0.0.1:9/ } }\n';

const start = (t: Test, yaml: string): Promise<TestGateway> => useGateway(t, SERVICES + yaml);

interface Answer {
  readonly status: number;
  readonly address: string;
  readonly etag: string;
  readonly vary: string;
}

function ask({ url }: TestGateway, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/soap/orders?wsdl`, { headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          address: /<(?:\w+:)?address location="([^"]+)"/.exec(text)?.[1] ?? '',
          etag: answer.headers.etag ?? '',
          vary: answer.headers.vary ?? '',
        }),
      );
    });
    sent.on('error', reject).end();
  });
}

const HTTPS = { host: 'desk.example', 'x-forwarded-proto': 'https' };

t.test('a trusted proxy gives the scheme, and its tag is that of the document', async (t) => {
  const gateway = await start(t, 'clients: { trustedProxies: [127.0.0.1] }\n');
  const encrypted = await ask(gateway, HTTPS);
  t.equal(encrypted.address, 'https://desk.example/soap/orders');
  const clear = await ask(gateway, { ...HTTPS, 'x-forwarded-proto': 'http' });
  t.equal(clear.address, 'http://desk.example/soap/orders');
  t.not(encrypted.etag, clear.etag);
  t.equal(
    (await ask(gateway, { ...HTTPS, 'if-none-match': clear.etag })).status,
    200,
    'no document of another scheme',
  );
  t.equal((await ask(gateway, { ...HTTPS, 'if-none-match': encrypted.etag })).status, 304);
  t.match(encrypted.vary, 'x-forwarded-proto');
  const schemes: Record<string, string> = {
    'http, https': 'https',
    HTTPS: 'https',
    javascript: 'http',
    'https, ': 'http',
  };
  for (const [field, scheme] of Object.entries(schemes))
    t.match(
      (await ask(gateway, { ...HTTPS, 'x-forwarded-proto': field })).address,
      `${scheme}://`,
      field,
    );
});

t.test('the fields of other peers count for nothing', async (t) => {
  const gateway = await start(
    t,
    'clients: { trustedProxies: [192.0.2.1] }\nhosts: [desk.example, api.example]\n',
  );
  const headers = { ...HTTPS, 'x-forwarded-host': 'api.example' };
  t.equal((await ask(gateway, headers)).address, 'http://desk.example/soap/orders');
});

t.test('the host of a proxy counts where the configuration has it', async (t) => {
  const gateway = await start(
    t,
    'clients: { trustedProxies: [127.0.0.1] }\nhosts: [inside.example, Api.example]\n',
  );
  const addressFor = async (forwarded: string): Promise<string> =>
    (
      await ask(gateway, {
        host: 'inside.example:4000',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': forwarded,
      })
    ).address;
  t.equal(await addressFor('api.example:8443'), 'https://api.example:8443/soap/orders');
  for (const other of [
    'evil.example',
    '127.0.0.1',
    'api.example, evil.example',
    'api.example@evil.example',
    '',
  ])
    t.equal(await addressFor(other), 'https://inside.example:4000/soap/orders', other);
});

t.test('publicUrl comes before what proxies say', async (t) => {
  const gateway = await start(
    t,
    'clients: { trustedProxies: [127.0.0.1] }\npublicUrl: https://www.example/\n',
  );
  const answer = await ask(gateway, { host: 'inside', 'x-forwarded-proto': 'http' });
  t.equal(answer.address, 'https://www.example/soap/orders');
  t.notMatch(answer.vary, 'x-forwarded-proto');
});
