import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compile } from '../../../src/compile.js';
import { loadConfig } from '../../../src/config/load.js';
import { DriftWatch } from '../../../src/flow/drift/drift.js';
import type { DriftReading } from '../../../src/flow/drift/drift-reading.js';
import { startTestGateway } from '../../kit/gateway.js';
import { schemaWith, wsdlWith } from '../../wsdl/written.js';

interface Told {
  readonly outcome: string;
  /** Null where nothing new was told. */
  readonly reading: DriftReading | null;
}

/** A backend that shows what `shown` is; each look at it takes the next one. */
async function watch(
  t: Test,
  shown: readonly string[],
): Promise<{ readonly looks: readonly Told[]; readonly log: string[] }> {
  const pages = [...shown];
  const backend = createServer((_, response) => response.end(pages.length > 1 ? pages.shift() : pages[0]));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
  const folder = t.testdir({
    'a.wsdl': wsdlWith({}),
    'soapstone.yaml': `services: { a: { wsdl: a.wsdl, url: '${url}', drift: { url: '${url}?wsdl', everyMillis: 1000 } } }`,
  });
  const compiled = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  const looks: { outcome: string; reading: DriftReading | null }[] = [];
  const log: string[] = [];
  let close = async (): Promise<void> => {};
  await new Promise<void>((resolve) => {
    const watching = new DriftWatch(compiled.services, {
      looked(_, outcome) {
        looks.push({ outcome, reading: null });
        if (looks.length === shown.length) setImmediate(resolve);
      },
      changed(_, message, reading) {
        log.push(message);
        const last = looks.at(-1);
        if (last !== undefined) last.reading = reading;
      },
    });
    close = () => watching.close();
  });
  await close();
  await compiled.close();
  backend.close();
  return { looks, log };
}

t.test('what a backend shows is compared with what is served, and news are told once', async (t) => {
  const same = wsdlWith({}).replace('http://internal.example/get', 'http://elsewhere.example/');
  const other = wsdlWith({ types: schemaWith('').replace('type="xs:string"', 'type="xs:int"') });
  const { looks, log } = await watch(t, [same, other, other, '<html><body>Please log in</body></html>', same]);
  t.strictSame(
    looks.map(({ outcome }) => outcome),
    ['same', 'changed', 'changed', 'failed', 'same'],
  );
  t.strictSame(log, [
    'the backend shows another WSDL than is served',
    'the WSDL the backend shows could not be read',
    'the backend shows the WSDL that is served again',
  ]);
  t.match(looks[1]?.reading, { kind: 'read', counts: { breaking: 1, dangerous: 0, safe: 0 } });
  t.match(looks[1]?.reading, { first: ['breaking: Get reply: GetResponse is of type int instead of string'] });
  t.match(looks[3]?.reading, { kind: 'failed', why: /HTML page/ });
});

t.test('drift shows in metrics and log, and what is served stays', async (t) => {
  const shown = wsdlWith({ types: schemaWith('').replace('type="xs:string"', 'type="xs:int"') });
  const asked: (string | undefined)[] = [];
  const backend = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.end(shown);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
  const folder = t.testdir({ 'a.wsdl': wsdlWith({}) });
  const gateway = await startTestGateway(
    `services: { a: { wsdl: a.wsdl, url: '${url}', drift: { url: '${url}?wsdl', headers: { Authorization: Bearer x } } } }`,
    folder,
  );
  const line = await gateway.logLine('the backend shows another WSDL than is served');
  t.match(line, { level: 'warn', service: 'a', counts: { breaking: 1 } });
  t.same(asked, ['Bearer x']);
  const metrics = await gateway.metrics();
  t.match(metrics, 'soapstone_wsdl_drift{service="a",severity="breaking"} 1');
  t.match(metrics, 'soapstone_wsdl_looks_total{service="a",outcome="changed"} 1');
  t.match(await (await fetch(`${gateway.url}/soap/a?wsdl`)).text(), 'type="xs:string"');
  await gateway.close();
  backend.close();
});
