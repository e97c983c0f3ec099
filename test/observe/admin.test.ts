import t from 'tap';

import { startTestGateway } from '../kit/gateway.js';
import { sendRaw } from '../kit/raw-client.js';

/** What the admin address answers, by the host that is named. */

t.test('the admin address answers known hosts only', async (t) => {
  const gateway = await startTestGateway(
    'adminHosts: [Metrics.Internal]\nservices: { a: { url: "http://127.0.0.1:1/" } }\n',
  );
  t.teardown(() => gateway.close());
  const ask = async (path: string, host: string): Promise<number> =>
    (await sendRaw(gateway.adminUrl, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status;
  for (const host of [
    '127.0.0.1:4001',
    '10.1.2.3',
    '[::1]:4001',
    'localhost',
    'metrics.internal:80',
    'METRICS.internal.',
  ])
    t.equal(await ask('/metrics', host), 200, host);
  for (const host of ['rebound.example', 'rebound.example:4001', 'a.metrics.internal', '127.0.0.1.example', 'a b', ''])
    for (const path of ['/metrics', '/']) t.equal(await ask(path, host), 421, `${host} ${path}`);
  for (const path of ['/live', '/ready']) t.equal(await ask(path, 'rebound.example'), 200, 'probes may name any');
  const line = await gateway.logLine('a request to the admin address was refused: its Host is not known');
  t.match(line, { level: 'warn', key: 'adminHosts', found: String });
  t.equal(gateway.logLines().filter(({ key }) => key === 'adminHosts').length, 12);
});
