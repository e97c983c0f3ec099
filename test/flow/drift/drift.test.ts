import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compile } from '../../../src/compile.js';
import { loadConfig } from '../../../src/config/load.js';
import { type DriftListener, DriftWatch } from '../../../src/flow/drift/drift.js';
import type { DriftReading } from '../../../src/flow/drift/drift-reading.js';
import { ReloadLimiter } from '../../../src/flow/drift/reload-limiter.js';
import type { WsdlOffer } from '../../../src/flow/drift/safe-changes.js';
import { listen } from '../../kit/listen.js';
import { startNtlmServer } from '../../kit/ntlm-server.js';
import { until } from '../../kit/until.js';
import { useGateway } from '../../kit/use.js';
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
  const backend = createServer((_, response) =>
    response.end(pages.length > 1 ? pages.shift() : pages[0]),
  );
  const url = `${(await listen(t, backend)).url}/`;
  const folder = t.testdir({
    'a.wsdl': wsdlWith({}),
    'soapstone.yaml':
      `services: { a: { wsdl: a.wsdl, url: '${url}', drift: { url: '${url}?wsdl', ` +
      'everyMillis: 1000 } } }',
  });
  const compiled = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  const looks: { outcome: string; reading: DriftReading | null }[] = [];
  const log: string[] = [];
  let close = async (): Promise<void> => {};
  await new Promise<void>((resolve) => {
    const listener: DriftListener = {
      offered() {},
      limited() {},
      looked(_, outcome) {
        looks.push({ outcome, reading: null });
        if (looks.length === shown.length) setImmediate(resolve);
      },
      changed(_, message, reading) {
        log.push(message);
        const last = looks.at(-1);
        if (last !== undefined) last.reading = reading;
      },
    };
    const watching = new DriftWatch(compiled.services, listener, new ReloadLimiter());
    watching.start();
    close = () => watching.close();
  });
  await close();
  await compiled.close();
  return { looks, log };
}

t.test(
  'the WSDL of a backend is compared with the served one, and changes are reported once',
  async (t) => {
    const same = wsdlWith({}).replace('http://internal.example/get', 'http://elsewhere.example/');
    const other = wsdlWith({ types: schemaWith('').replace('type="xs:string"', 'type="xs:int"') });
    const { looks, log } = await watch(t, [
      same,
      other,
      other,
      '<html><body>Please log in</body></html>',
      same,
    ]);
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
    t.match(looks[1]?.reading, {
      first: ['breaking: Get reply: GetResponse is of type int instead of string'],
    });
    t.match(looks[3]?.reading, { kind: 'failed', why: /HTML page/ });
  },
);

t.test('drift shows in metrics and log, and what is served stays', async (t) => {
  const shown = wsdlWith({ types: schemaWith('').replace('type="xs:string"', 'type="xs:int"') });
  const asked: (string | undefined)[] = [];
  const backend = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.end(shown);
  });
  const url = `${(await listen(t, backend)).url}/`;
  const folder = t.testdir({ 'a.wsdl': wsdlWith({}) });
  const gateway = await useGateway(
    t,
    `services: { a: { wsdl: a.wsdl, url: '${url}', drift: { url: '${url}?wsdl', headers: ` +
      '{ Authorization: Bearer x } } } }',
    folder,
  );
  const line = await gateway.logLine('the backend shows another WSDL than is served');
  t.match(line, { level: 'warn', service: 'a', counts: { breaking: 1 } });
  t.same(asked, ['Bearer x']);
  const metrics = await gateway.metrics();
  t.match(metrics, 'soapstone_wsdl_drift{service="a",severity="breaking"} 1');
  t.match(metrics, 'soapstone_wsdl_looks_total{service="a",outcome="changed"} 1');
  t.match(await (await fetch(`${gateway.url}/soap/a?wsdl`)).text(), 'type="xs:string"');
});

/** A WSDL with a schema in a document of its own. */
const importing = wsdlWith({
  types: schemaWith('<xs:import namespace="urn:other" schemaLocation="other.xsd"/>').replace(
    '"xs:string"',
    '"xs:int"',
  ),
});
const OTHER =
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other"/>';

t.test('the query of its address, which may be a token, is not logged', async (t) => {
  const backend = createServer((_, response) => response.writeHead(500).end());
  const url = `${(await listen(t, backend)).url}/shop`;
  const folder = t.testdir({ 'a.wsdl': wsdlWith({}) });
  const drift = `{ url: '${url}?wsdl&token=SECRET-TOKEN', everyMillis: 1000 }`;
  const gateway = await useGateway(
    t,
    `services: { a: { wsdl: a.wsdl, url: '${url}', drift: ${drift} } }`,
    folder,
  );
  const line = await gateway.logLine('the WSDL the backend shows could not be read');
  t.match(line['why'], `${url}?...: The document ${url}?... could not be read`);
  t.notMatch(JSON.stringify(gateway.logLines()), 'SECRET');
});

t.test(
  'the WSDL of a backend that wants NTLM is read with the credentials of the service',
  async (t) => {
    const read: string[] = [];
    const backend = await startNtlmServer({
      accounts: { web: 'secret' },
      answer({ user, request }, response) {
        read.push(`${user} ${request.url}`);
        response.end(request.url === '/app/other.xsd' ? OTHER : importing);
      },
    });
    t.teardown(() => backend.close());
    const gateway = await useGateway(
      t,
      `services: { a: { wsdl: a.wsdl, url: '${backend.url}/app/x.svc', drift: { url: ` +
        `'${backend.url}/app/x.svc?wsdl' }, auth: { ntlm: { username: web, password: ` +
        'secret, domain: CORP } } } }',
      t.testdir({ 'a.wsdl': wsdlWith({}) }),
    );
    const line = await gateway.logLine('the backend shows another WSDL than is served');
    t.match(line, { service: 'a', counts: { breaking: 1 } });
    t.match(read, [/web \/app\/x.svc\?wsdl$/, /web \/app\/other.xsd$/]);
  },
);

t.test('a challenge is answered for the address of the WSDL, not for that of calls', async (t) => {
  const uris: string[] = [];
  const backend = createServer(({ headers, url = '' }, response) => {
    const [, uri] = /uri="([^"]*)"/.exec(headers.authorization ?? '') ?? [];
    if (uri === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Digest realm=r, nonce=1, qop=auth' }).end();
      return;
    }
    uris.push(`${url} ${uri}`);
    if (url === '/moved?wsdl')
      response.end(wsdlWith({ types: schemaWith('').replace('"xs:string"', '"xs:int"') }));
    else response.writeHead(302, { location: '/moved?wsdl' }).end();
  });
  const { url } = await listen(t, backend);
  const gateway = await useGateway(
    t,
    `services: { a: { wsdl: a.wsdl, url: '${url}/ws', drift: { url: '${url}/docs?wsdl' }, ` +
      'auth: { digest: { username: web, password: secret } } } }',
    t.testdir({ 'a.wsdl': wsdlWith({}) }),
  );
  await gateway.logLine('the backend shows another WSDL than is served');
  t.same(uris, ['/docs?wsdl /docs?wsdl', '/moved?wsdl /moved?wsdl']);
});

t.test('nothing is offered while the file is not the one that is served', async (t) => {
  const narrow = wsdlWith({});
  const id = '<xs:element name="id" type="xs:int"/>';
  const optional = (name: string): string =>
    `<xs:element name="${name}" type="xs:string" minOccurs="0"/>`;
  const served = narrow.replace(id, `${id}${optional('old')}`);
  const shown = narrow.replace(id, `${id}${optional('new')}`);
  const backend = createServer((_, response) => response.end(shown));
  const url = `${(await listen(t, backend)).url}/`;
  const drift = `{ url: '${url}?wsdl', everyMillis: 1000, apply: safe, looks: 1 }`;
  const folder = t.testdir({
    'a.wsdl': served,
    'soapstone.yaml': `services: { a: { wsdl: a.wsdl, url: '${url}', drift: ${drift} } }`,
  });
  const compiled = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  t.teardown(() => compiled.close());
  let looks = 0;
  const offers: WsdlOffer[] = [];
  const listener: DriftListener = {
    offered: (offer) => void offers.push(offer),
    limited() {},
    looked: () => void looks++,
    changed() {},
  };
  // Over the file that was edited, and not reloaded, the change is safe.
  await writeFile(join(folder, 'a.wsdl'), narrow);
  const watching = new DriftWatch(compiled.services, listener, new ReloadLimiter());
  t.teardown(() => watching.close());
  watching.start();
  await until(() => looks >= 2);
  t.same(offers, []);
});
